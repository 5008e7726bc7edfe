// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-quantization-lift-up))' | FileCheck %s

// CHECK-LABEL: func.func @heads
// CHECK: %[[Y:.+]] = fxgraph.linear
// CHECK-NEXT: %[[Q:.+]] = fxgraph.quantize_per_tensor %[[Y]] scale 5.000000e-02 zero_point 3 range[-128, 127] : (tensor<6x8xf32>) -> tensor<6x8xi8>
// CHECK-NEXT: %[[V:.+]] = fxgraph.view %[[Q]] shape [2, 3, 2, 4] : tensor<6x8xi8> -> tensor<2x3x2x4xi8>
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[V]] dims [0, 2, 1, 3] : (tensor<2x3x2x4xi8>) -> tensor<2x2x3x4xi8>
// CHECK-NEXT: return %[[P]]
func.func @heads(%x: tensor<6x4xf32>, %w: tensor<8x4xf32>) -> tensor<2x2x3x4xi8> {
  %y = fxgraph.linear %x, %w : (tensor<6x4xf32>, tensor<8x4xf32>) -> tensor<6x8xf32>
  %v = fxgraph.view %y shape [2, 3, 2, 4] : tensor<6x8xf32> -> tensor<2x3x2x4xf32>
  %p = fxgraph.permute %v dims [0, 2, 1, 3] : (tensor<2x3x2x4xf32>) -> tensor<2x2x3x4xf32>
  %q = fxgraph.quantize_per_tensor %p scale 0.05 zero_point 3 range [-128, 127] : (tensor<2x2x3x4xf32>) -> tensor<2x2x3x4xi8>
  return %q : tensor<2x2x3x4xi8>
}
