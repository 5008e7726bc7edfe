// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-results))' | FileCheck %s

// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[Y:.+]] = fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 binary "add" with %arg3 activation "relu" {other_scale = 2.000000e-01 : f64, other_zero_point = 1 : i64, output_scale = 5.000000e-01 : f64, output_zero_point = 7 : i64}
// CHECK-NEXT: return %[[Y]] : tensor<4x3xui8>
func.func @chain(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %y: tensor<4x3xui8>) -> tensor<4x3xui8> {
  %0 = fxgraph.dequantize_per_tensor %y scale 0.2 zero_point 1 range [0, 255] : (tensor<4x3xui8>) -> tensor<4x3xf32>
  %1 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "add" with %0 activation "relu" : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.5 zero_point 7 range [0, 255] : (tensor<4x3xf32>) -> tensor<4x3xui8>
  return %2 : tensor<4x3xui8>
}
