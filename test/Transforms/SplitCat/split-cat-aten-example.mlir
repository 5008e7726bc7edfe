// RUN: fx-opt %s --fxgraph-splitcat-split-cat-aten="threshold-to-cat=2" | FileCheck %s

// CHECK-LABEL: func.func @run
// CHECK-SAME: %[[X:.+]]: tensor<4x12xf32>, %[[A:.+]]: tensor<4x3xf32>
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %[[X]] dim 1 from 3 to 9
// CHECK-NEXT: fxgraph.cat %[[A]], %[[S]] dim 1
func.func @run(%x: tensor<4x12xf32>, %a: tensor<4x3xf32>) -> tensor<4x9xf32> {
  %p:4 = fxgraph.split_with_sizes %x sizes [3, 3, 3, 3] dim 1 : (tensor<4x12xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>)
  %r = fxgraph.cat %a, %p#1, %p#2 dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x9xf32>
  return %r : tensor<4x9xf32>
}
