// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-getitem-squeeze-cat | FileCheck %s

// The middle three of five rows, beside something else.
// CHECK-LABEL: func @run
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<5x4xf32>, %[[Y:[a-z0-9]+]]: tensor<2xf32>
// CHECK: %[[S:.+]] = fxgraph.slice %[[X]] dim 0 from 1 to 4 : (tensor<5x4xf32>) -> tensor<3x4xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[S]] shape [12]
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %[[Y]], %[[R]] dim 0 : (tensor<2xf32>, tensor<12xf32>) -> tensor<14xf32>
// CHECK-NEXT: return %[[C]]
func.func @run(%x: tensor<5x4xf32>, %y: tensor<2xf32>) -> tensor<14xf32> {
  %p:5 = fxgraph.split_with_sizes %x sizes [1, 1, 1, 1, 1] dim 0 : (tensor<5x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>)
  %1 = fxgraph.squeeze %p#1 dims [0] : (tensor<1x4xf32>) -> tensor<4xf32>
  %2 = fxgraph.squeeze %p#2 dims [0] : (tensor<1x4xf32>) -> tensor<4xf32>
  %3 = fxgraph.squeeze %p#3 dims [0] : (tensor<1x4xf32>) -> tensor<4xf32>
  %c = fxgraph.cat %y, %1, %2, %3 dim 0 : (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<14xf32>
  return %c : tensor<14xf32>
}
