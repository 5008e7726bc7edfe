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
