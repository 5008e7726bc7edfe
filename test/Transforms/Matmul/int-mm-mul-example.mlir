// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-int-mm-mul{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @scaled
// CHECK-NEXT: %[[R:.+]] = fxgraph.int_mm_mul %arg0, %arg1, %arg2 : (tensor<4x8xi8>, tensor<8x3xi8>, tensor<1x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @scaled(%a: tensor<4x8xi8>, %b: tensor<8x3xi8>, %scale: tensor<1x3xf32>) -> tensor<4x3xf32> {
  %p = fxgraph.int_mm %a, %b : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %c = fxgraph.convert_element_type %p : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %r = fxgraph.mul %c, %scale : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
