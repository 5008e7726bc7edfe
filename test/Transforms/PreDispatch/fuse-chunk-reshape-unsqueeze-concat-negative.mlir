// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// The unsqueezes are at different places: the shapes agree, the meaning does not matter to a cat, but R is
// not one.
// CHECK-LABEL: func @no_reshape
// CHECK: fxgraph.cat
func.func @no_reshape(%x: tensor<6x4xf32>) -> tensor<2x3x4xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %u = fxgraph.unsqueeze %p#0 dim 0 : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
  %v = fxgraph.unsqueeze %p#1 dim 0 : (tensor<3x4xf32>) -> tensor<1x3x4xf32>
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
  return %c : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @reshape_has_other_users
// CHECK: fxgraph.cat
func.func @reshape_has_other_users(%x: tensor<6x4xf32>) -> (tensor<2x12xf32>, tensor<12xf32>) {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  // expected-remark @below {{a reshaped piece has other users}}
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<2x12xf32>
  %n = fxgraph.neg %0 : tensor<12xf32>
  return %c, %n : tensor<2x12xf32>, tensor<12xf32>
}

// CHECK-LABEL: func @short_last_piece
// CHECK: fxgraph.cat
func.func @short_last_piece(%x: tensor<5x4xf32>) -> tensor<1x20xf32> {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<5x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<8xf32>) -> tensor<1x8xf32>
  // expected-remark @below {{the pieces have different extents}}
  %c = fxgraph.cat %u, %v dim 1 : (tensor<1x12xf32>, tensor<1x8xf32>) -> tensor<1x20xf32>
  return %c : tensor<1x20xf32>
}

// CHECK-LABEL: func @out_of_order
// CHECK: fxgraph.cat
func.func @out_of_order(%x: tensor<6x4xf32>) -> tensor<2x12xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %v, %u dim 0 : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<2x12xf32>
  return %c : tensor<2x12xf32>
}

// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat
func.func @two_splits(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<2x12xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %q:2 = fxgraph.split %y size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %q#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<2x12xf32>
  return %c : tensor<2x12xf32>
}

// CHECK-LABEL: func @unknown_op_writes
// CHECK: fxgraph.cat
func.func @unknown_op_writes(%x: tensor<6x4xf32>) {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<2x12xf32>
  fxgraph.opaque "mine.write_.default"(%c) : (tensor<2x12xf32>) -> ()
  return
}

// CHECK-LABEL: func @unknown_extent
// CHECK: fxgraph.cat
func.func @unknown_extent(%x: tensor<6x?xf32>) -> tensor<2x?xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32>)
  %0 = fxgraph.reshape %p#0 shape [-1] : tensor<3x?xf32> -> tensor<?xf32>
  %1 = fxgraph.reshape %p#1 shape [-1] : tensor<3x?xf32> -> tensor<?xf32>
  %u = fxgraph.unsqueeze %0 dim 0 : (tensor<?xf32>) -> tensor<1x?xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<?xf32>) -> tensor<1x?xf32>
  // expected-remark @below {{an extent of the input is not known}}
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x?xf32>, tensor<1x?xf32>) -> tensor<2x?xf32>
  return %c : tensor<2x?xf32>
}
