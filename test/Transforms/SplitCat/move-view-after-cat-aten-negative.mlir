// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-splitcat-move-view-after-cat-aten --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.permute

!x = tensor<2x4x5xf32>
!p = tensor<1x4x5xf32>
!r = tensor<4x5xf32>

// The pieces are of two splits. (Inductor looks at their numbers alone.)
func.func @two_splits(%x: !x, %y: !x) -> tensor<4x10xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (!x) -> (!p, !p)
  %q:2 = fxgraph.split_with_sizes %y sizes [1, 1] dim 0 : (!x) -> (!p, !p)
  %v0 = fxgraph.reshape %p#0 shape [4, 5] : !p -> !r
  %v1 = fxgraph.reshape %q#1 shape [4, 5] : !p -> !r
  // expected-remark@below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %v0, %v1 dim 1 : (!r, !r) -> tensor<4x10xf32>
  return %c : tensor<4x10xf32>
}

// -----

!x = tensor<3x4x5xf32>
!p = tensor<1x4x5xf32>
!r = tensor<4x5xf32>

func.func @out_of_order(%x: !x) -> (tensor<4x15xf32>, tensor<4x10xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 1, 1] dim 0 : (!x) -> (!p, !p, !p)
  %v0 = fxgraph.reshape %p#0 shape [4, 5] : !p -> !r
  %v1 = fxgraph.reshape %p#1 shape [4, 5] : !p -> !r
  %v2 = fxgraph.reshape %p#2 shape [4, 5] : !p -> !r
  // expected-remark@below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %v1, %v0, %v2 dim 1 : (!r, !r, !r) -> tensor<4x15xf32>
  // expected-remark@below {{the operands are not all pieces of one split in order}}
  %d = fxgraph.cat %v0, %v1 dim 1 : (!r, !r) -> tensor<4x10xf32>
  return %c, %d : tensor<4x15xf32>, tensor<4x10xf32>
}

// -----

!x = tensor<5x4xf32>

func.func @uneven(%x: !x) -> tensor<20xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [3, 2] dim 0 : (!x) -> (tensor<3x4xf32>, tensor<2x4xf32>)
  %v0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %v1 = fxgraph.reshape %p#1 shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  // expected-remark@below {{the pieces have different extents}}
  %c = fxgraph.cat %v0, %v1 dim 0 : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
  return %c : tensor<20xf32>
}

// -----

!x = tensor<2x?xf32>
!p = tensor<1x?xf32>

func.func @not_known(%x: !x, %n: index) -> tensor<?xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (!x) -> (!p, !p)
  %v0 = fxgraph.reshape %p#0 shape [%n] : !p -> tensor<?xf32>
  %v1 = fxgraph.reshape %p#1 shape [%n] : !p -> tensor<?xf32>
  // expected-remark@below {{an extent of the input is not known}}
  %c = fxgraph.cat %v0, %v1 dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// -----

!x = tensor<2x4x5xf32>
!p = tensor<1x4x5xf32>
!r = tensor<4x5xf32>

func.func @written(%x: !x) -> tensor<f32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (!x) -> (!p, !p)
  %v0 = fxgraph.reshape %p#0 shape [4, 5] : !p -> !r
  %v1 = fxgraph.reshape %p#1 shape [4, 5] : !p -> !r
  // expected-remark@below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %v0, %v1 dim 1 : (!r, !r) -> tensor<4x10xf32>
  %o = fxgraph.opaque "custom.fill_.default"(%c) : (tensor<4x10xf32>) -> tensor<f32>
  return %o : tensor<f32>
}
