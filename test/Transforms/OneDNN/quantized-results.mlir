// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-results))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-results))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary,fxgraph-onednn-fuse-unary,fxgraph-onednn-quantized-results))' | FileCheck %s --check-prefix=ALL

// CHECK-LABEL: func.func @plain
// CHECK-NEXT: fxgraph.qlinear_pointwise {{.*}} {output_scale = 5.000000e-01 : f64, output_zero_point = -7 : i64} : {{.*}} -> tensor<4x3xi8>
// CHECK-NEXT: return
func.func @plain(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>) -> tensor<4x3xi8> {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.quantize_per_tensor %0 scale 0.5 zero_point -7 range [-128, 127] : (tensor<4x3xf32>) -> tensor<4x3xi8>
  return %1 : tensor<4x3xi8>
}

// Everything that stands behind the product is taken in three steps.
// ALL-LABEL: func.func @steps
// ALL-NEXT: fxgraph.qlinear_pointwise {{.*}} binary "add" with %arg3 activation "relu" {other_scale = 2.000000e-01 : f64, other_zero_point = 1 : i64, output_scale = 5.000000e-01 : f64} : {{.*}} -> tensor<4x3xui8>
// ALL-NEXT: return
func.func @steps(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %y: tensor<4x3xi8>) -> tensor<4x3xui8> {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.dequantize_per_tensor %y scale 0.2 zero_point 1 range [-128, 127] : (tensor<4x3xi8>) -> tensor<4x3xf32>
  %2 = fxgraph.add %1, %0 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.relu %2 : tensor<4x3xf32>
  %4 = fxgraph.quantize_per_tensor %3 scale 0.5 zero_point 0 range [0, 255] : (tensor<4x3xf32>) -> tensor<4x3xui8>
  return %4 : tensor<4x3xui8>
}

// CHECK-LABEL: func.func @convolution
// CHECK: fxgraph.qconv_pointwise {{.*}} with %arg3 {{.*}} {other_scale = 2.000000e-01 : f64, output_scale = 5.000000e-01 : f64}
func.func @convolution(%q: tensor<1x2x4xui8>, %w: tensor<3x2x3xi8>, %s: tensor<3xf32>, %y: tensor<1x3x2xui8>) -> tensor<1x3x2xui8> {
  %0 = fxgraph.dequantize_per_tensor %y scale 0.2 zero_point 0 range [0, 255] : (tensor<1x3x2xui8>) -> tensor<1x3x2xf32>
  %1 = fxgraph.qconv_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "sub" with %0 stride [1] padding [0] dilation [1] : (tensor<1x2x4xui8>, tensor<3x2x3xi8>, tensor<3xf32>, tensor<1x3x2xf32>) -> tensor<1x3x2xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.5 zero_point 0 range [0, 255] : (tensor<1x3x2xf32>) -> tensor<1x3x2xui8>
  return %2 : tensor<1x3x2xui8>
}
