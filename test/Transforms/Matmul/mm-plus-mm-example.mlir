// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm))' | FileCheck %s

// CHECK-LABEL: func.func @two_products
// CHECK-NEXT: %[[R:.+]] = fxgraph.mm_plus_mm %arg0, %arg1, %arg2, %arg3 : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @two_products(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %c: tensor<4x5xf32>, %d: tensor<5x3xf32>) -> tensor<4x3xf32> {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %c, %d : (tensor<4x5xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.add %p, %q : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
