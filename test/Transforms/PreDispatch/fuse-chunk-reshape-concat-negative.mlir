// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-concat --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @short_last_piece
// CHECK: fxgraph.cat
func.func @short_last_piece(%x: tensor<5x4xf32>) -> tensor<20xf32> {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<5x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  // expected-remark @below {{the pieces have different extents}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<8xf32>) -> tensor<20xf32>
  return %c : tensor<20xf32>
}

// CHECK-LABEL: func @out_of_order
// CHECK: fxgraph.cat
func.func @out_of_order(%x: tensor<6x4xf32>) -> tensor<24xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %1, %0 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  return %c : tensor<24xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<6x4xf32>) -> tensor<36xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{a reshaped piece has other users}}
  %c = fxgraph.cat %0, %1, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<36xf32>
  return %c : tensor<36xf32>
}

// CHECK-LABEL: func @piece_missing
// CHECK: fxgraph.cat
func.func @piece_missing(%x: tensor<9x4xf32>) -> tensor<24xf32> {
  %p:3 = fxgraph.split %x size 3 dim 0 : (tensor<9x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  return %c : tensor<24xf32>
}

// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat
func.func @two_splits(%x: tensor<6x4xf32>, %y: tensor<6x4xf32>) -> tensor<24xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %q:2 = fxgraph.split %y size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %q#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  return %c : tensor<24xf32>
}

// CHECK-LABEL: func @different_reshapes
// CHECK: fxgraph.cat
func.func @different_reshapes(%x: tensor<6x4xf32>) -> tensor<2x12xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [2, 6] : tensor<3x4xf32> -> tensor<2x6xf32>
  %1 = fxgraph.reshape %p#1 shape [2, 6] : tensor<3x4xf32> -> tensor<2x6xf32>
  %2 = fxgraph.reshape %1 shape [2, 6] : tensor<2x6xf32> -> tensor<2x6xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.cat %0, %2 dim 1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  return %c : tensor<2x12xf32>
}

// 4 elements in front of the pieces, 6 in front of the seam: neither divides the other.
// CHECK-LABEL: func @two_movements
// CHECK: fxgraph.cat
func.func @two_movements(%x: tensor<4x9xf32>) -> tensor<6x6xf32> {
  %p:3 = fxgraph.split %x size 3 dim 1 : (tensor<4x9xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  %0 = fxgraph.reshape %p#0 shape [6, 2] : tensor<4x3xf32> -> tensor<6x2xf32>
  %1 = fxgraph.reshape %p#1 shape [6, 2] : tensor<4x3xf32> -> tensor<6x2xf32>
  %2 = fxgraph.reshape %p#2 shape [6, 2] : tensor<4x3xf32> -> tensor<6x2xf32>
  // expected-remark @below {{more than one movement of dimensions would be needed}}
  %c = fxgraph.cat %0, %1, %2 dim 1 : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x6xf32>
  return %c : tensor<6x6xf32>
}

// CHECK-LABEL: func @unknown_extent
// CHECK: fxgraph.cat
func.func @unknown_extent(%x: tensor<6x?xf32>) -> tensor<?xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x?xf32>) -> (tensor<3x?xf32>, tensor<3x?xf32>)
  %0 = fxgraph.reshape %p#0 shape [-1] : tensor<3x?xf32> -> tensor<?xf32>
  %1 = fxgraph.reshape %p#1 shape [-1] : tensor<3x?xf32> -> tensor<?xf32>
  // expected-remark @below {{an extent of the input is not known}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}

// CHECK-LABEL: func @other_user_of_a_piece
// CHECK: fxgraph.cat
func.func @other_user_of_a_piece(%x: tensor<6x4xf32>) -> (tensor<24xf32>, tensor<3x4xf32>) {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{a piece has other users}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  %n = fxgraph.neg %p#1 : tensor<3x4xf32>
  return %c, %n : tensor<24xf32>, tensor<3x4xf32>
}

// CHECK-LABEL: func @unknown_op_writes
// CHECK: fxgraph.cat
func.func @unknown_op_writes(%x: tensor<6x4xf32>) {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  fxgraph.opaque "mine.write_.default"(%c) : (tensor<24xf32>) -> ()
  return
}
