// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products))' | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[Y:.+]] = fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 zero_points %arg3 bias %arg4
// CHECK-NEXT: return %[[Y]]
func.func @linear(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s zero_points %z axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %2 = fxgraph.permute %1 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %3 = fxgraph.addmm %b, %0, %2 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %3 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: %[[Y:.+]] = fxgraph.qconv_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 stride [1, 1] padding [1, 1] dilation [1, 1]
// CHECK-NEXT: return %[[Y]]
func.func @convolution(%q: tensor<1x3x8x8xui8>, %w: tensor<4x3x3x3xi8>, %s: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<1x3x8x8xui8>) -> tensor<1x3x8x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<4x3x3x3xi8>, tensor<4xf32>) -> tensor<4x3x3x3xf32>
  %2 = fxgraph.convolution %0, %1 stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %2 : tensor<1x4x8x8xf32>
}
