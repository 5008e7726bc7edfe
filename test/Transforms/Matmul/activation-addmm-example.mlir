// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-activation-addmm{default-device=cuda}))' | FileCheck %s

!x = tensor<4x8xf32>
!w = tensor<8x3xf32>

// CHECK-LABEL: func.func @relu
// CHECK-NEXT: %[[R:.+]] = fxgraph.addmm_activation %arg2, %arg0, %arg1 alpha 2.000000e+00 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @relu(%x: !x, %w: !w, %bias: tensor<3xf32>) -> tensor<4x3xf32> {
  %y = fxgraph.addmm %bias, %x, %w alpha 2.0 : (tensor<3xf32>, !x, !w) -> tensor<4x3xf32>
  %r = fxgraph.relu %y : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @gelu
// CHECK-NEXT: %[[R:.+]] = fxgraph.addmm_activation %arg2, %arg0, %arg1 use_gelu true approximate "tanh"
// CHECK-NEXT: return %[[R]]
func.func @gelu(%x: !x, %w: !w, %bias: tensor<3xf32>) -> tensor<4x3xf32> {
  %y = fxgraph.addmm %bias, %x, %w : (tensor<3xf32>, !x, !w) -> tensor<4x3xf32>
  %r = fxgraph.gelu %y approximate "tanh" : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
