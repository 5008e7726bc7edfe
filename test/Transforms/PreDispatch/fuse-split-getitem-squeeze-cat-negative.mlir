// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-getitem-squeeze-cat --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @every_second
// CHECK: fxgraph.cat
func.func @every_second(%x: tensor<3x5xf32>) -> tensor<10xf32> {
  %p:3 = fxgraph.split %x size 1 dim 0 : (tensor<3x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %2 = fxgraph.squeeze %p#2 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{no two neighbouring operands are neighbouring pieces}}
  %c = fxgraph.cat %0, %2 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  return %c : tensor<10xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<3x5xf32>) -> tensor<15xf32> {
  %p:3 = fxgraph.split %x size 1 dim 0 : (tensor<3x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{a reshaped piece has other users}}
  %c = fxgraph.cat %0, %0, %1 dim 0 : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<15xf32>
  return %c : tensor<15xf32>
}

// In a stack a part cannot be one operand.
// CHECK-LABEL: func @stack_of_more
// CHECK: fxgraph.stack
func.func @stack_of_more(%x: tensor<2x5xf32>, %y: tensor<5xf32>) -> tensor<3x5xf32> {
  %p:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{the operands are not all pieces of one split in order}}
  %c = fxgraph.stack %0, %1, %y dim 0 : (tensor<5xf32>, tensor<5xf32>, tensor<5xf32>) -> tensor<3x5xf32>
  return %c : tensor<3x5xf32>
}

// CHECK-LABEL: func @out_of_order
// CHECK: fxgraph.cat
func.func @out_of_order(%x: tensor<2x5xf32>) -> tensor<10xf32> {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{no two neighbouring operands are neighbouring pieces}}
  %c = fxgraph.cat %1, %0 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  return %c : tensor<10xf32>
}

// Same numbers, two splits.
// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat
func.func @two_splits(%x: tensor<2x5xf32>, %y: tensor<2x5xf32>) -> tensor<10xf32> {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %q:2 = fxgraph.chunk %y chunks 2 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %q#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{no two neighbouring operands are neighbouring pieces}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  return %c : tensor<10xf32>
}

// CHECK-LABEL: func @other_users
// CHECK: fxgraph.cat
func.func @other_users(%x: tensor<2x5xf32>) -> (tensor<10xf32>, tensor<5xf32>, tensor<1x5xf32>) {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{a piece has other users}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  %n = fxgraph.neg %0 : tensor<5xf32>
  %m = fxgraph.neg %p#1 : tensor<1x5xf32>
  return %c, %n, %m : tensor<10xf32>, tensor<5xf32>, tensor<1x5xf32>
}

// CHECK-LABEL: func @unknown_op_writes
// CHECK: fxgraph.cat
func.func @unknown_op_writes(%x: tensor<2x5xf32>) {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<2x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  fxgraph.opaque "mine.write_.default"(%c) : (tensor<10xf32>) -> ()
  return
}

// Squeezed along another dimension than split.
// CHECK-LABEL: func @other_dimension
// CHECK: fxgraph.cat
func.func @other_dimension(%x: tensor<4x1x5xf32>) -> tensor<4x5xf32> {
  %p:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<4x1x5xf32>) -> (tensor<2x1x5xf32>, tensor<2x1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [1] : (tensor<2x1x5xf32>) -> tensor<2x5xf32>
  %1 = fxgraph.squeeze %p#1 dims [1] : (tensor<2x1x5xf32>) -> tensor<2x5xf32>
  // expected-remark @below {{a piece that is squeezed has not }}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<2x5xf32>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return %c : tensor<4x5xf32>
}

// CHECK-LABEL: func @unknown_extent
// CHECK: fxgraph.cat
func.func @unknown_extent(%x: tensor<2x?xf32>) -> tensor<?xf32> {
  %p:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x?xf32>) -> (tensor<1x?xf32>, tensor<1x?xf32>)
  %0 = fxgraph.squeeze %p#0 dims [0] : (tensor<1x?xf32>) -> tensor<?xf32>
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x?xf32>) -> tensor<?xf32>
  // expected-remark @below {{an extent of the input is not known}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  return %c : tensor<?xf32>
}
