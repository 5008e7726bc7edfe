// RUN: fx-opt %s --fxgraph-splitcat-split-cat --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @permuted
// CHECK: fxgraph.stack
func.func @permuted(%x: tensor<6xf32>) -> tensor<3x2xf32> {
  // expected-remark @below {{no neighbouring pieces go into one cat or stack}}
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#2, %p#1, %p#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.stack
func.func @repeated(%x: tensor<4xf32>) -> tensor<3x2xf32> {
  // expected-remark @below {{no neighbouring pieces go into one cat or stack}}
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#0, %p#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}

// One user takes 0 and 1, the other 1 and 2.
// CHECK-LABEL: func @overlapping
// CHECK: fxgraph.stack
// CHECK: fxgraph.stack
func.func @overlapping(%x: tensor<6xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark @below {{two users take overlapping runs of pieces}}
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %t = fxgraph.stack %p#1, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s, %t : tensor<2x2xf32>, tensor<2x2xf32>
}

// A piece of the run has another user.
// CHECK-LABEL: func @other_user
// CHECK: fxgraph.stack
func.func @other_user(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
  // expected-remark @below {{two users take overlapping runs of pieces}}
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %r = fxgraph.relu %p#1 : tensor<2xf32>
  return %s, %r : tensor<2x2xf32>, tensor<2xf32>
}

// Chunks of uneven size: the last one is no part of the run.
// CHECK-LABEL: func @uneven
// CHECK: fxgraph.cat
func.func @uneven(%x: tensor<5x2xf32>) -> (tensor<2x2xf32>, tensor<1x4xf32>) {
  // expected-remark @below {{no neighbouring pieces go into one cat or stack}}
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 1] dim 0 : (tensor<5x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<1x2xf32>)
  %r = fxgraph.relu %p#1 : tensor<2x2xf32>
  %c = fxgraph.cat %p#2, %p#2 dim 1 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  return %r, %c : tensor<2x2xf32>, tensor<1x4xf32>
}

// A legacy empty tensor that happens to be a piece joins nothing.
// CHECK-LABEL: func @legacy_empty_piece
// CHECK: fxgraph.split_with_sizes
func.func @legacy_empty_piece(%e: tensor<0xf32>, %x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p:2 = fxgraph.split_with_sizes %e sizes [0, 0] dim 0 : (tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>)
  %c = fxgraph.cat %p#0, %p#1, %x dim 1 : (tensor<0xf32>, tensor<0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}

// CHECK-LABEL: func @unknown_extent
// CHECK: fxgraph.cat
func.func @unknown_extent(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-remark @below {{the result and what would replace it differ in type}}
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 3] dim 0 : (tensor<?xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.stack
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %c = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %o = fxgraph.opaque "custom.add_.default"(%c, %x) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// CHECK-LABEL: func @squeeze_of_all
// CHECK: fxgraph.split_with_sizes
func.func @squeeze_of_all(%x: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // expected-remark @below {{a piece is not squeezed along the split dimension}}
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %a = fxgraph.squeeze %p#0 : (tensor<1x3xf32>) -> tensor<3xf32>
  %b = fxgraph.squeeze %p#1 : (tensor<1x3xf32>) -> tensor<3xf32>
  return %a, %b : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func @squeeze_other_dim
// CHECK: fxgraph.split_with_sizes
func.func @squeeze_other_dim(%x: tensor<2x1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  // expected-remark @below {{a piece is not squeezed along the split dimension}}
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>)
  %a = fxgraph.squeeze %p#0 dims [-1] : (tensor<1x1xf32>) -> tensor<1xf32>
  %b = fxgraph.squeeze %p#1 dims [0] : (tensor<1x1xf32>) -> tensor<1xf32>
  return %a, %b : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func @squeeze_of_two
// CHECK: fxgraph.split_with_sizes
func.func @squeeze_of_two(%x: tensor<4x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  // expected-remark @below {{a section is not 1}}
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  %a = fxgraph.squeeze %p#0 dims [0] : (tensor<2x1xf32>) -> tensor<2x1xf32>
  %b = fxgraph.squeeze %p#1 dims [0] : (tensor<2x1xf32>) -> tensor<2x1xf32>
  return %a, %b : tensor<2x1xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func @squeeze_and_other_user
// CHECK: fxgraph.split_with_sizes
func.func @squeeze_and_other_user(%x: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32>) {
  // expected-remark @below {{a piece has other users}}
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  %a = fxgraph.squeeze %p#0 dims [0] : (tensor<1x3xf32>) -> tensor<3xf32>
  %b = fxgraph.squeeze %p#1 dims [0] : (tensor<1x3xf32>) -> tensor<3xf32>
  return %a, %b, %p#1 : tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32>
}
