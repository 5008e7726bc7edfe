// RUN: fx-opt %s --fxgraph-postgrad-reuse-partial="min-elements=8" | FileCheck %s

// CHECK-LABEL: func.func @scales
// CHECK-NEXT: %[[P:.+]] = fxgraph.amax %arg0 dims [1]
// CHECK-NEXT: %[[F:.+]] = fxgraph.amax %[[P]] : (tensor<4xf32>) -> tensor<f32>
// CHECK-NEXT: return %[[P]], %[[F]]
func.func @scales(%x: tensor<4x8xf32>) -> (tensor<4xf32>, tensor<f32>) {
  %rows = fxgraph.amax %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  %all = fxgraph.amax %x : (tensor<4x8xf32>) -> tensor<f32>
  return %rows, %all : tensor<4xf32>, tensor<f32>
}
