// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: fx-opt %S/quantized-products-example.mlir --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// DEVICE: Remark="the product is not on the CPU"
// EXACT-NOT: qlinear
// EXACT-NOT: qconv

// REMARK-DAG: remark: [Missed] onednn-quantized-linear | Category:fxgraph-onednn-quantized-products | Remark="alpha or beta is not 1"
// REMARK-DAG: Remark="the bias has not one value for each output"
// CHECK-LABEL: func.func @scaled
// CHECK-NOT: qlinear
func.func @scaled(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %b: tensor<3xf32>, %c: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s zero_points %z axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %2 = fxgraph.permute %1 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %3 = fxgraph.addmm %b, %0, %2 beta 0.0 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %4 = fxgraph.addmm %c, %0, %2 : (tensor<4x3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %3, %4 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Scales along the contracted dimension; of weights that are square no shape tells.
// REMARK-DAG: Remark="the scales of the weight are not by outputs"
// CHECK-LABEL: func.func @axis
// CHECK-NOT: qlinear
func.func @axis(%q: tensor<4x8xui8>, %w: tensor<8x8xi8>, %s: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s axis 1 range [-128, 127] : (tensor<8x8xi8>, tensor<8xf32>) -> tensor<8x8xf32>
  %2 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<8x8xi8>, tensor<8xf32>) -> tensor<8x8xf32>
  %3 = fxgraph.linear %0, %1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %4 = fxgraph.mm %0, %2 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %5 = fxgraph.permute %1 dims [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %6 = fxgraph.mm %0, %5 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %3, %4, %6 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// REMARK-DAG: Remark="the input is not quantized to 8 bits"
// REMARK-DAG: Remark="the weight is not quantized to int8"
// REMARK-DAG: Remark="the integers are not dequantized in f32"
// CHECK-LABEL: func.func @dtypes
// CHECK-NOT: qlinear
func.func @dtypes(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %q2: tensor<4x8xi16>, %w2: tensor<3x8xui8>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>) {
  %0 = fxgraph.dequantize_per_tensor %q2 scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xi16>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s zero_points %z axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %2 = fxgraph.linear %0, %1 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %4 = fxgraph.dequantize_per_channel %w2 scales %s axis 0 range [0, 255] : (tensor<3x8xui8>, tensor<3xf32>) -> tensor<3x8xf32>
  %5 = fxgraph.linear %3, %4 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %6 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf64>
  %7 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>) -> tensor<3x8xf64>
  %8 = fxgraph.linear %6, %7 : (tensor<4x8xf64>, tensor<3x8xf64>) -> tensor<4x3xf64>
  return %2, %5, %8 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>
}

// REMARK-DAG: Remark="the convolution is transposed"
// REMARK-DAG: Remark="the input has no batch"
// CHECK-LABEL: func.func @convolutions
// CHECK-NOT: qconv
func.func @convolutions(%q: tensor<1x4x8xui8>, %p: tensor<4x8xui8>, %w: tensor<4x4x3xi8>, %s: tensor<4xf32>) -> (tensor<1x4x10xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<1x4x8xui8>) -> tensor<1x4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<4x4x3xi8>, tensor<4xf32>) -> tensor<4x4x3xf32>
  %2 = fxgraph.convolution %0, %1 stride [1] padding [0] dilation [1] transposed true output_padding [0] : (tensor<1x4x8xf32>, tensor<4x4x3xf32>) -> tensor<1x4x10xf32>
  %3 = fxgraph.dequantize_per_tensor %p scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %4 = fxgraph.convolution %3, %1 stride [1] padding [0] dilation [1] output_padding [0] : (tensor<4x8xf32>, tensor<4x4x3xf32>) -> tensor<4x6xf32>
  return %2, %4 : tensor<1x4x10xf32>, tensor<4x6xf32>
}

// Of integers that are scaled behind: a weight that may change, scales the other way round, of another dtype, with more dimensions, a
// step that is used.
// REMARK-DAG: Remark="the weight may change between runs"
// REMARK-DAG: Remark="the first scale is not by rows"
// REMARK-DAG: Remark="the second scale has not one number for each column"
// REMARK-DAG: Remark="a scale has another dtype than the converted product"
// REMARK-DAG: Remark="a scale has more dimensions than the product"
// REMARK-DAG: Remark="a step between has other users"
// CHECK-LABEL: func.func @scaled_behind
// CHECK-NOT: qlinear
func.func @scaled_behind(%a: tensor<3x8xi8>, %b: tensor<8x3xi8> {fxgraph.kind = "buffer"}, %u: tensor<8x3xi8>, %r: tensor<3x1xf32>, %c: tensor<3xf32>, %d: tensor<1x1x3xf32>, %n: tensor<f64>)
    -> (tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<1x3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>) {
  %0 = fxgraph.int_mm %a, %u : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %1 = fxgraph.convert_element_type %0 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %2 = fxgraph.mul %1, %r : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %3 = fxgraph.mul %2, %c : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %4 = fxgraph.int_mm %a, %b : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %5 = fxgraph.convert_element_type %4 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %6 = fxgraph.mul %5, %c : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %7 = fxgraph.mul %6, %c : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %8 = fxgraph.int_mm %a, %b : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %9 = fxgraph.convert_element_type %8 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %10 = fxgraph.mul %9, %r : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %11 = fxgraph.mul %10, %r : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %12 = fxgraph.int_mm %a, %b : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %13 = fxgraph.convert_element_type %12 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %14 = fxgraph.mul %13, %n : (tensor<3x3xf32>, tensor<f64>) -> tensor<3x3xf32>
  %15 = fxgraph.mul %14, %c : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %16 = fxgraph.int_mm %a, %b : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %17 = fxgraph.convert_element_type %16 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %18 = fxgraph.mul %17, %r : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %19 = fxgraph.mul %18, %d : (tensor<3x3xf32>, tensor<1x1x3xf32>) -> tensor<1x3x3xf32>
  %20 = fxgraph.int_mm %a, %b : (tensor<3x8xi8>, tensor<8x3xi8>) -> tensor<3x3xi32>
  %21 = fxgraph.convert_element_type %20 : (tensor<3x3xi32>) -> tensor<3x3xf32>
  %22 = fxgraph.mul %21, %r : (tensor<3x3xf32>, tensor<3x1xf32>) -> tensor<3x3xf32>
  %23 = fxgraph.mul %22, %c : (tensor<3x3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %3, %7, %11, %15, %19, %23, %22 : tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>, tensor<1x3x3xf32>, tensor<3x3xf32>, tensor<3x3xf32>
}

// Weights that the graph writes are none, of integers or rounded.
// REMARK-DAG: :[[#@LINE+8]]:8: remark: [Missed] onednn-quantized-linear | Category:fxgraph-onednn-quantized-products | Remark="the weight may change between runs"
// CHECK-LABEL: func.func @written
// CHECK-NOT: pointwise
func.func @written(%x: tensor<4x8xf32>, %a: tensor<4x8xi8>, %b: tensor<8x3xi8> {fxgraph.kind = "buffer"}, %u: tensor<8x3xi8>, %r: tensor<4x1xf32>, %c: tensor<3xf32>,
                   %w: tensor<3x8xf32> {fxgraph.kind = "parameter"}, %v: tensor<3x8xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.int_mm %a, %b : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %2 = fxgraph.mul %1, %r : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.mul %2, %c : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %4 = fxgraph.convert_element_type %w : (tensor<3x8xf32>) -> tensor<3x8xf16>
  %5 = fxgraph.convert_element_type %4 : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %6 = fxgraph.linear %x, %5 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  fxgraph.copy_ %u into %b : tensor<8x3xi8>, tensor<8x3xi8>
  fxgraph.copy_ %v into %w : tensor<3x8xf32>, tensor<3x8xf32>
  return %3, %6 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Of what was rounded: an input, bf16, one cast, f64; alpha, and a bias that is a matrix.
// REMARK-DAG: [Missed] onednn-half-linear | Category:fxgraph-onednn-quantized-products | Remark="the weight may change between runs"
// REMARK-DAG: [Missed] onednn-half-linear | {{.*}}| Remark="alpha or beta is not 1"
// REMARK-DAG: [Missed] onednn-half-linear | {{.*}}| Remark="the bias has not one value for each output"
// CHECK-LABEL: func.func @half
// CHECK-NOT: linear_pointwise
func.func @half(%x: tensor<4x8xf32>, %d: tensor<4x8xf64>, %v: tensor<3x8xf32>, %w: tensor<3x8xf32> {fxgraph.kind = "parameter"}, %h: tensor<3x8xf16> {fxgraph.kind = "parameter"}, %b: tensor<3xf32>, %m: tensor<4x3xf32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.convert_element_type %v : (tensor<3x8xf32>) -> tensor<3x8xf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %2 = fxgraph.linear %x, %1 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.convert_element_type %w : (tensor<3x8xf32>) -> tensor<3x8xbf16>
  %4 = fxgraph.convert_element_type %3 : (tensor<3x8xbf16>) -> tensor<3x8xf32>
  %5 = fxgraph.linear %x, %4 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %6 = fxgraph.convert_element_type %h : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %7 = fxgraph.linear %x, %6 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %8 = fxgraph.convert_element_type %w : (tensor<3x8xf32>) -> tensor<3x8xf16>
  %9 = fxgraph.convert_element_type %8 : (tensor<3x8xf16>) -> tensor<3x8xf64>
  %10 = fxgraph.linear %d, %9 : (tensor<4x8xf64>, tensor<3x8xf64>) -> tensor<4x3xf64>
  %11 = fxgraph.convert_element_type %8 : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %12 = fxgraph.permute %11 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %13 = fxgraph.addmm %b, %x, %12 alpha 2.0 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %14 = fxgraph.addmm %m, %x, %12 : (tensor<4x3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %2, %5, %7, %10, %13, %14 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>, tensor<4x3xf32>, tensor<4x3xf32>
}
