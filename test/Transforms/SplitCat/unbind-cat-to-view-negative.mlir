// RUN: fx-opt %s --fxgraph-splitcat-unbind-cat-to-view="threshold-to-cat=3" --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// REPORT-NOT: unbind_cat_to_view_pass

// CHECK-LABEL: func @backwards
// CHECK-NEXT: fxgraph.unbind
// CHECK-NEXT: fxgraph.cat
func.func @backwards(%x: tensor<3x2xf32>) -> tensor<6xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %u#2, %u#1, %u#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @short
// CHECK-NEXT: fxgraph.unbind
// CHECK-NEXT: fxgraph.cat
func.func @short(%x: tensor<3x2xf32>, %a: tensor<2xf32>) -> tensor<6xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %u#0, %u#1, %a dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @two_unbinds
// CHECK: fxgraph.cat
func.func @two_unbinds(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<4xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %v:2 = fxgraph.unbind %y dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %u#0, %v#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.cat
func.func @opaque_writes(%x: tensor<2x2xf32>) -> tensor<4xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %c = fxgraph.cat %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %v = fxgraph.view %c shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %o = fxgraph.opaque "custom.add_.default"(%v) : (tensor<2x2xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// A split and a stack are for other passes.
// CHECK-LABEL: func @others
// CHECK: fxgraph.cat
// CHECK: fxgraph.stack
func.func @others(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %s:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %t = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %c, %t : tensor<2x2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<3x2xf32>) -> tensor<6xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %u#0, %u#0, %u#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// One row alone: nothing gets shorter.
// CHECK-LABEL: func @one_row
// CHECK: fxgraph.cat
func.func @one_row(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %u = fxgraph.unbind %x dim 0 : (tensor<1x2xf32>) -> tensor<2xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %u dim 0 : (tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.relu %c : tensor<2xf32>
  return %r : tensor<2xf32>
}

// Pieces that a cat of another rank leaves out.
// CHECK-LABEL: func @legacy_empty
// CHECK: fxgraph.unbind
func.func @legacy_empty(%x: tensor<2x0xf32>, %a: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x0xf32>) -> (tensor<0xf32>, tensor<0xf32>)
  %c = fxgraph.cat %u#0, %u#1, %a dim 1 : (tensor<0xf32>, tensor<0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}
