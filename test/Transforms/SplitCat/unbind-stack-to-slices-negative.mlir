// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-to-slices="threshold-to-cat=2" --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// REPORT-NOT: unbind_stack_to_slices_pass

// CHECK-LABEL: func @backwards
// CHECK-NEXT: fxgraph.unbind
// CHECK-NEXT: fxgraph.stack
func.func @backwards(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %u#1, %u#0 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// Every second piece, without allow-steps.
// CHECK-LABEL: func @steps
// CHECK-NEXT: fxgraph.unbind
// CHECK-NEXT: fxgraph.stack
func.func @steps(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %u:4 = fxgraph.unbind %x dim 0 : (tensor<4x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %u#1, %u#3 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// CHECK-LABEL: func @alternating
// CHECK: fxgraph.stack %{{.*}}#0, %{{.*}}#0, %{{.*}}#1, %{{.*}}#1
func.func @alternating(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %v:2 = fxgraph.unbind %y dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %u#0, %v#0, %u#1, %v#1 dim 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %s : tensor<4x3xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.stack
func.func @opaque_writes(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %o = fxgraph.opaque "custom.add_.default"(%s) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %o : tensor<2x3xf32>
}

// The stack knows an extent that the input does not.
// CHECK-LABEL: func @other_type
// CHECK: fxgraph.stack
func.func @other_type(%x: tensor<2x?xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x?xf32>) -> (tensor<?xf32>, tensor<3xf32>)
  // expected-remark @below {{the result and the input of the split differ in type}}
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<?xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// Dead code is left alone.
// CHECK-LABEL: func @dead
// CHECK: fxgraph.stack
func.func @dead(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %x : tensor<2x3xf32>
}

// Same numbers, two unbinds.
// CHECK-LABEL: func @two_unbinds
// CHECK: fxgraph.stack
func.func @two_unbinds(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %v:2 = fxgraph.unbind %y dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %u#0, %v#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// One row alone: nothing gets shorter.
// CHECK-LABEL: func @one_row
// CHECK: fxgraph.stack
func.func @one_row(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %u = fxgraph.unbind %x dim 0 : (tensor<1x3xf32>) -> tensor<3xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %u dim 0 : (tensor<3xf32>) -> tensor<1x3xf32>
  %r = fxgraph.relu %s : tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}
