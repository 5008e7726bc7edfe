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
