// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s --mlir-print-op-generic | fx-opt | FileCheck %s

// CHECK-LABEL: func.func @linear_pointwise
// CHECK: fxgraph.linear_pointwise %{{.*}}, %{{.*}} bias %{{.*}} binary "add" with %{{.*}} activation "relu"
func.func @linear_pointwise(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.linear_pointwise %x, %w bias %b binary "add" with %y activation "relu" : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @convolution_pointwise
// CHECK: fxgraph.convolution_pointwise %{{.*}}, %{{.*}} activation "leaky_relu" scalars [1.000000e-01]
func.func @convolution_pointwise(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = fxgraph.convolution_pointwise %x, %w activation "leaky_relu" scalars [0.1] stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

// CHECK-LABEL: func.func @weight_int8pack_mm
// CHECK: fxgraph.weight_int8pack_mm
func.func @weight_int8pack_mm(%x: tensor<2x3xbf16>, %w: tensor<4x3xi8>, %s: tensor<4xbf16>) -> tensor<2x4xbf16> {
  %0 = fxgraph.weight_int8pack_mm %x, %w, %s : (tensor<2x3xbf16>, tensor<4x3xi8>, tensor<4xbf16>) -> tensor<2x4xbf16>
  return %0 : tensor<2x4xbf16>
}

// CHECK-LABEL: func.func @weight_int4pack_mm
// CHECK: fxgraph.weight_int4pack_mm %{{.*}}, %{{.*}}, %{{.*}} group 32 layout "avx2" : (tensor<?x64xbf16>, tensor<16x32xui8>, tensor<2x16x2xbf16>) -> tensor<?x16xbf16>
func.func @weight_int4pack_mm(%x: tensor<?x64xbf16>, %w: tensor<16x32xui8>, %s: tensor<2x16x2xbf16>) -> tensor<?x16xbf16> {
  %0 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<?x64xbf16>, tensor<16x32xui8>, tensor<2x16x2xbf16>) -> tensor<?x16xbf16>
  return %0 : tensor<?x16xbf16>
}

// CHECK-LABEL: func.func @qlinear_pointwise
// CHECK: fxgraph.qlinear_pointwise %{{.*}} scale 1.000000e-01 zero_point 3, %{{.*}} scales %{{.*}} zero_points %{{.*}} bias %{{.*}} binary "add" with %{{.*}} activation "relu" {other_scale = 5.000000e-01 : f64, output_scale = 2.000000e-01 : f64, output_zero_point = 7 : i64}
// CHECK: fxgraph.qlinear_pointwise %{{.*}} scale 1.000000e-01 zero_point 3, %{{.*}} scales %{{.*}} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xbf16>
func.func @qlinear_pointwise(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %b: tensor<3xf32>, %y: tensor<2x3xi8>) -> tensor<2x3xui8> {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s zero_points %z bias %b binary "add" with %y activation "relu" {other_scale = 0.5, output_scale = 0.2, output_zero_point = 7 : i64} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<2x3xi8>) -> tensor<2x3xui8>
  %1 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xbf16>
  return %0 : tensor<2x3xui8>
}

// CHECK-LABEL: func.func @qconv_pointwise
// CHECK: fxgraph.qconv_pointwise %{{.*}} scale 1.000000e-01 zero_point 3, %{{.*}} scales %{{.*}} activation "hardtanh" scalars [0.000000e+00, 6.000000e+00] stride [1, 1] padding [1, 1] dilation [1, 1] groups 2
func.func @qconv_pointwise(%q: tensor<1x4x8x8xi8>, %w: tensor<6x2x3x3xi8>, %s: tensor<6xf32>) -> tensor<1x6x8x8xf32> {
  %0 = fxgraph.qconv_pointwise %q scale 0.1 zero_point 3, %w scales %s activation "hardtanh" scalars [0.0, 6.0] stride [1, 1] padding [1, 1] dilation [1, 1] groups 2 : (tensor<1x4x8x8xi8>, tensor<6x2x3x3xi8>, tensor<6xf32>) -> tensor<1x6x8x8xf32>
  return %0 : tensor<1x6x8x8xf32>
}
