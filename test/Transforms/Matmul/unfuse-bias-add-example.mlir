// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @activation
// CHECK-NEXT: %[[P:.+]] = fxgraph.mm %arg0, %arg1
// CHECK-NEXT: %[[S:.+]] = fxgraph.add %arg2, %[[P]]
// CHECK-NEXT: fxgraph.gelu %[[S]]
func.func @activation(%x: tensor<4x8xf32>, %w: tensor<8x3xf32>, %bias: tensor<3xf32>) -> tensor<4x3xf32> {
  %y = fxgraph.addmm %bias, %x, %w : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.gelu %y : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
