// RUN: fx-opt %s --fxgraph-predispatch-remove-split-ops | FileCheck %s

// CHECK-LABEL: func @one_used_piece
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x4xf32>
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %[[X]] dim 0 from 3 to 5 : (tensor<8x4xf32>) -> tensor<2x4xf32>
// CHECK-NEXT: fxgraph.neg %[[S]]
func.func @one_used_piece(%x: tensor<8x4xf32>) -> tensor<2x4xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [3, 2, 3] dim 0 : (tensor<8x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>)
  %n = fxgraph.neg %p#1 : tensor<2x4xf32>
  return %n : tensor<2x4xf32>
}
