// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of convolution, normalisation and pooling.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @conv1d(
// CHECK: fxgraph.conv1d %{{.+}}, %{{.+}}, %{{.+}} stride [2] padding [1] dilation [1] : (tensor<2x3x9xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
func.func @conv1d(%x: tensor<2x3x9xf32>, %w: tensor<4x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x5xf32> {
  %r = fxgraph.conv1d %x, %w, %b stride [2] padding [1] dilation [1] : (tensor<2x3x9xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// CHECK-LABEL: func @conv2d(
// CHECK: fxgraph.conv2d %{{.+}}, %{{.+}}, %{{.+}} stride [1, 2] padding [1, 0] dilation [1, 2] groups 2 : (tensor<2x4x8x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x8x3xf32>
func.func @conv2d(%x: tensor<2x4x8x9xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x8x3xf32> {
  %r = fxgraph.conv2d %x, %w, %b stride [1, 2] padding [1, 0] dilation [1, 2] groups 2 : (tensor<2x4x8x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x8x3xf32>
  return %r : tensor<2x6x8x3xf32>
}

// CHECK-LABEL: func @conv2d_unbatched(
// CHECK: fxgraph.conv2d %{{.+}}, %{{.+}} stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<4x8x9xf32>
func.func @conv2d_unbatched(%x: tensor<3x8x9xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<4x8x9xf32> {
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<4x8x9xf32>
  return %r : tensor<4x8x9xf32>
}

// CHECK-LABEL: func @conv2d_empty_batch(
// CHECK: fxgraph.conv2d %{{.+}}, %{{.+}} stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<0x3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<0x4x8x9xf32>
func.func @conv2d_empty_batch(%x: tensor<0x3x8x9xf32>, %w: tensor<4x3x1x1xf32>) -> tensor<0x4x8x9xf32> {
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<0x3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<0x4x8x9xf32>
  return %r : tensor<0x4x8x9xf32>
}

// CHECK-LABEL: func @conv2d_symbols(
// CHECK: fxgraph.conv2d %{{.+}}, %{{.+}} stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<?x3x?x9xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>>
func.func @conv2d_symbols(%x: tensor<?x3x?x9xf32, #fxgraph.meta<dims = [s0, s1]>>, %w: tensor<4x3x3x3xf32>) -> tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>> {
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<?x3x?x9xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>>
  return %r : tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>>
}

// CHECK-LABEL: func @conv3d(
// CHECK: fxgraph.conv3d %{{.+}}, %{{.+}} stride [1, 1, 1] padding [0, 0, 0] dilation [1, 1, 1] : (tensor<2x3x4x5x6xf32>, tensor<4x3x2x2x2xf32>) -> tensor<2x4x3x4x5xf32>
func.func @conv3d(%x: tensor<2x3x4x5x6xf32>, %w: tensor<4x3x2x2x2xf32>) -> tensor<2x4x3x4x5xf32> {
  %r = fxgraph.conv3d %x, %w stride [1, 1, 1] padding [0, 0, 0] dilation [1, 1, 1] : (tensor<2x3x4x5x6xf32>, tensor<4x3x2x2x2xf32>) -> tensor<2x4x3x4x5xf32>
  return %r : tensor<2x4x3x4x5xf32>
}

// CHECK-LABEL: func @convolution(
// CHECK: fxgraph.convolution %{{.+}}, %{{.+}}, %{{.+}} stride [2, 2] padding [1, 1] dilation [1, 1] transposed true output_padding [1, 1] : (tensor<2x4x8x9xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<2x6x16x18xf32>
func.func @convolution(%x: tensor<2x4x8x9xf32>, %w: tensor<4x6x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x16x18xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [2, 2] padding [1, 1] dilation [1, 1] transposed true output_padding [1, 1] : (tensor<2x4x8x9xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<2x6x16x18xf32>
  return %r : tensor<2x6x16x18xf32>
}

// CHECK-LABEL: func @convolution_plain(
// CHECK: fxgraph.convolution %{{.+}}, %{{.+}} stride [1] padding [0] dilation [1] output_padding [0] groups 3 : (tensor<2x3x8xf32>, tensor<6x1x3xf32>) -> tensor<2x6x6xf32>
func.func @convolution_plain(%x: tensor<2x3x8xf32>, %w: tensor<6x1x3xf32>) -> tensor<2x6x6xf32> {
  %r = fxgraph.convolution %x, %w stride [1] padding [0] dilation [1] output_padding [0] groups 3 : (tensor<2x3x8xf32>, tensor<6x1x3xf32>) -> tensor<2x6x6xf32>
  return %r : tensor<2x6x6xf32>
}

// CHECK-LABEL: func @convolution_transposed_groups(
// CHECK: fxgraph.convolution %{{.+}}, %{{.+}} stride [2] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<4x8xf32>, tensor<4x3x3xf32>) -> tensor<6x17xf32>
func.func @convolution_transposed_groups(%x: tensor<4x8xf32>, %w: tensor<4x3x3xf32>) -> tensor<6x17xf32> {
  %r = fxgraph.convolution %x, %w stride [2] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<4x8xf32>, tensor<4x3x3xf32>) -> tensor<6x17xf32>
  return %r : tensor<6x17xf32>
}

// CHECK-LABEL: func @batch_norm(
// CHECK: fxgraph.batch_norm %{{.+}} mean %{{.+}} var %{{.+}} weight %{{.+}} bias %{{.+}} eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
func.func @batch_norm(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %w: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %r = fxgraph.batch_norm %x mean %m var %v weight %w bias %b eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @batch_norm_training(
// CHECK: fxgraph.batch_norm %{{.+}} eps 1.000000e-03 training true momentum 2.000000e-01 : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @batch_norm_training(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.batch_norm %x eps 1.000000e-03 training true momentum 2.000000e-01 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @batch_norm_mixed(
// CHECK: fxgraph.batch_norm %{{.+}} mean %{{.+}} var %{{.+}} eps 1.000000e-05 : (tensor<2x?xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xbf16>
func.func @batch_norm_mixed(%x: tensor<2x?xbf16>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<2x3xbf16> {
  %r = fxgraph.batch_norm %x mean %m var %v eps 1.000000e-05 : (tensor<2x?xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}

// CHECK-LABEL: func @layer_norm(
// CHECK: fxgraph.layer_norm %{{.+}} weight %{{.+}} bias %{{.+}} over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
func.func @layer_norm(%x: tensor<2x3x4xf32>, %w: tensor<3x4xf32>, %b: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
  %r = fxgraph.layer_norm %x weight %w bias %b over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @layer_norm_bias(
// CHECK: fxgraph.layer_norm %{{.+}} bias %{{.+}} over [4] eps 1.000000e-05 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
func.func @layer_norm_bias(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %b: tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.layer_norm %x bias %b over [4] eps 1.000000e-05 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @native_layer_norm(
// CHECK: fxgraph.native_layer_norm %{{.+}} weight %{{.+}} over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xbf16>, tensor<3x4xf32>) -> (tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
func.func @native_layer_norm(%x: tensor<2x3x4xbf16>, %w: tensor<3x4xf32>) -> (tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
  %r:3 = fxgraph.native_layer_norm %x weight %w over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xbf16>, tensor<3x4xf32>) -> (tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>
}

// CHECK-LABEL: func @rms_norm(
// CHECK: fxgraph.rms_norm %{{.+}} weight %{{.+}} over [4] eps 1.000000e-03 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
func.func @rms_norm(%x: tensor<2x3x4xf32>, %w: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %r = fxgraph.rms_norm %x weight %w over [4] eps 1.000000e-03 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @rms_norm_plain(
// CHECK: fxgraph.rms_norm %{{.+}} over [4] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
func.func @rms_norm_plain(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %r = fxgraph.rms_norm %x over [4] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @group_norm(
// CHECK: fxgraph.group_norm %{{.+}} weight %{{.+}} bias %{{.+}} groups 2 eps 1.000000e-05 : (tensor<2x4x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
func.func @group_norm(%x: tensor<2x4x5xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4x5xf32> {
  %r = fxgraph.group_norm %x weight %w bias %b groups 2 eps 1.000000e-05 : (tensor<2x4x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
  return %r : tensor<2x4x5xf32>
}

// CHECK-LABEL: func @max_pool2d(
// CHECK: fxgraph.max_pool2d %{{.+}} kernel [3, 2] stride [2, 2] padding [1, 0] dilation [1, 2] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x4xf32>
func.func @max_pool2d(%x: tensor<2x3x8x9xf32>) -> tensor<2x3x5x4xf32> {
  %r = fxgraph.max_pool2d %x kernel [3, 2] stride [2, 2] padding [1, 0] dilation [1, 2] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x4xf32>
  return %r : tensor<2x3x5x4xf32>
}

// CHECK-LABEL: func @max_pool2d_plain(
// CHECK: fxgraph.max_pool2d %{{.+}} kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>) -> tensor<3x4x4xf32>
func.func @max_pool2d_plain(%x: tensor<3x8x9xf32>) -> tensor<3x4x4xf32> {
  %r = fxgraph.max_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>) -> tensor<3x4x4xf32>
  return %r : tensor<3x4x4xf32>
}

// CHECK-LABEL: func @avg_pool2d(
// CHECK: fxgraph.avg_pool2d %{{.+}} kernel [2, 2] stride [2, 2] padding [1, 1] count_include_pad false divisor 3 : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x5xf32>
func.func @avg_pool2d(%x: tensor<2x3x8x9xf32>) -> tensor<2x3x5x5xf32> {
  %r = fxgraph.avg_pool2d %x kernel [2, 2] stride [2, 2] padding [1, 1] count_include_pad false divisor 3 : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x5xf32>
  return %r : tensor<2x3x5x5xf32>
}

// CHECK-LABEL: func @avg_pool2d_ceil(
// CHECK: fxgraph.avg_pool2d %{{.+}} kernel [2, 2] stride [2, 2] padding [0, 0] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x5xf32>
func.func @avg_pool2d_ceil(%x: tensor<2x3x8x9xf32>) -> tensor<2x3x4x5xf32> {
  %r = fxgraph.avg_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x5xf32>
  return %r : tensor<2x3x4x5xf32>
}

// CHECK-LABEL: func @adaptive_avg_pool2d(
// CHECK: fxgraph.adaptive_avg_pool2d %{{.+}} to [1, 3] : (tensor<2x3x8x9xf32>) -> tensor<2x3x1x3xf32>
func.func @adaptive_avg_pool2d(%x: tensor<2x3x8x9xf32>) -> tensor<2x3x1x3xf32> {
  %r = fxgraph.adaptive_avg_pool2d %x to [1, 3] : (tensor<2x3x8x9xf32>) -> tensor<2x3x1x3xf32>
  return %r : tensor<2x3x1x3xf32>
}
