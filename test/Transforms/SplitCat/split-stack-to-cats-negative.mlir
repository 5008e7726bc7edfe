// RUN: fx-opt %s --fxgraph-splitcat-split-stack-to-cats="threshold-to-cat=3 allow-steps=true" --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// REPORT-NOT: split_stack_to_cats_pass

// CHECK-LABEL: func @repeated
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.stack
func.func @repeated(%x: tensor<4xf32>) -> tensor<3x2xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %p#1, %p#1, %p#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}

// Three pieces with a step of 3, but those between differ.
// CHECK-LABEL: func @unequal_between
// CHECK: fxgraph.stack
func.func @unequal_between(%x: tensor<9xf32>) -> tensor<3x1xf32> {
  %p:7 = fxgraph.split_with_sizes %x sizes [1, 1, 1, 1, 3, 1, 1] dim 0 : (tensor<9xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %p#0, %p#3, %p#6 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  return %s : tensor<3x1xf32>
}

// CHECK-LABEL: func @dynamic_extent
// CHECK: fxgraph.stack
func.func @dynamic_extent(%x: tensor<?xf32>) -> tensor<2x2xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<?xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the extent of the input is not known}}
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.stack
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %o = fxgraph.opaque "custom.add_.default"(%s) : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %o : tensor<2x2xf32>
}

// Unbinds and cats are for other passes.
// CHECK-LABEL: func @others
// CHECK: fxgraph.stack
// CHECK: fxgraph.cat
func.func @others(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %t = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %p:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  return %t, %c : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @backwards
// CHECK: fxgraph.stack
func.func @backwards(%x: tensor<6xf32>) -> tensor<3x2xf32> {
  %p:3 = fxgraph.split %x size 2 dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %p#2, %p#1, %p#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}

// Same numbers, two splits.
// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.stack
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x2xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %q:2 = fxgraph.split %y size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %p#0, %q#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// One piece is the whole input, but nothing gets shorter.
// CHECK-LABEL: func @one_section
// CHECK: fxgraph.stack
func.func @one_section(%x: tensor<4xf32>) -> tensor<2x4xf32> {
  %p = fxgraph.split %x size 4 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %p, %p dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
