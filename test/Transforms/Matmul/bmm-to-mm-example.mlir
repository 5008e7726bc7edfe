// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-bmm-to-mm{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @one_matrix
// CHECK-NEXT: %[[A:.+]] = fxgraph.squeeze %arg0 dims [0] : (tensor<1x4x8xf32>) -> tensor<4x8xf32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.squeeze %arg1 dims [0] : (tensor<1x8x3xf32>) -> tensor<8x3xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mm %[[A]], %[[B]] : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.unsqueeze %[[P]] dim 0 : (tensor<4x3xf32>) -> tensor<1x4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @one_matrix(%a: tensor<1x4x8xf32>, %b: tensor<1x8x3xf32>) -> tensor<1x4x3xf32> {
  %r = fxgraph.bmm %a, %b : (tensor<1x4x8xf32>, tensor<1x8x3xf32>) -> tensor<1x4x3xf32>
  return %r : tensor<1x4x3xf32>
}
