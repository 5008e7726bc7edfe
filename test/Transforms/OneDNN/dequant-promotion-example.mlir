// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-dequant-promotion))' | FileCheck %s

// CHECK-LABEL: func.func @shared
// CHECK: %[[A:.+]] = fxgraph.dequantize_per_tensor %arg0
// CHECK-NEXT: fxgraph.add %[[A]], %arg1
// CHECK-NEXT: %[[B:.+]] = fxgraph.dequantize_per_tensor %arg0
// CHECK-NEXT: fxgraph.tanh %[[B]]
func.func @shared(%q: tensor<4x8xui8>, %x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.add %0, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = fxgraph.tanh %0 : tensor<4x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
}
