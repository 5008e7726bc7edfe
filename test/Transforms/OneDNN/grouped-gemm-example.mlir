// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-grouped-gemm))' | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK: %[[R:.+]]:2 = fxgraph.grouped_mm(%arg0, %arg0) x(%{{.+}}, %{{.+}}) + (%arg3, %arg4)
// CHECK-NEXT: return %[[R]]#0, %[[R]]#1
func.func @two(%x: tensor<4x8xf32>, %v: tensor<3x8xf32>, %w: tensor<3x8xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.linear_pointwise %x, %v bias %b : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.linear_pointwise %x, %w bias %c : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
