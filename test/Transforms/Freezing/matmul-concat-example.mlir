// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @three_products
// CHECK-NEXT: %[[W:.+]] = fxgraph.cat %arg1, %arg2, %arg3 dim 1 : (tensor<8x4xf32>, tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<8x10xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mm %arg0, %[[W]]
// CHECK-NEXT: %[[S:.+]]:3 = fxgraph.split_with_sizes %[[P]] sizes [4, 4, 2] dim 1
// CHECK-NEXT: relu %[[S]]#0
// CHECK-NEXT: relu %[[S]]#1
// CHECK-NEXT: relu %[[S]]#2
func.func @three_products(%x: tensor<3x8xf32>, %q: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %k: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x2xf32> {fxgraph.kind = "parameter"})
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x2xf32>) {
  %0 = fxgraph.mm %x, %q : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = fxgraph.mm %x, %k : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %2 = fxgraph.mm %x, %v : (tensor<3x8xf32>, tensor<8x2xf32>) -> tensor<3x2xf32>
  %3 = fxgraph.relu %0 : tensor<3x4xf32>
  %4 = fxgraph.relu %1 : tensor<3x4xf32>
  %5 = fxgraph.relu %2 : tensor<3x2xf32>
  return %3, %4, %5 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x2xf32>
}
