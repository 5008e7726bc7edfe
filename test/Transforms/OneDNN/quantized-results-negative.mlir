// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-results))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK-DAG: remark: [Missed] onednn-quantized-result | Category:fxgraph-onednn-quantized-results | Remark="the range of the quantization does not hold all numbers of the dtype"
// REMARK-DAG: Remark="the result is not quantized to 8 bits"
// REMARK-DAG: Remark="the product is rounded to 16 bits before it is quantized"
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-3: fxgraph.quantize_per_tensor
func.func @kinds(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>) -> (tensor<4x3xi8>, tensor<4x3xi32>, tensor<4x3xui8>) {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.quantize_per_tensor %0 scale 0.5 zero_point 0 range [-127, 127] : (tensor<4x3xf32>) -> tensor<4x3xi8>
  %2 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.quantize_per_tensor %2 scale 0.5 zero_point 0 range [-128, 127] : (tensor<4x3xf32>) -> tensor<4x3xi32>
  %4 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xbf16>
  %5 = fxgraph.quantize_per_tensor %4 scale 0.5 zero_point 0 range [0, 255] : (tensor<4x3xbf16>) -> tensor<4x3xui8>
  return %1, %3, %5 : tensor<4x3xi8>, tensor<4x3xi32>, tensor<4x3xui8>
}

// REMARK-DAG: Remark="the product has other users"
// CHECK-LABEL: func.func @users
// CHECK: fxgraph.quantize_per_tensor
func.func @users(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>) -> (tensor<4x3xi8>, tensor<4x3xf32>) {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.quantize_per_tensor %0 scale 0.5 zero_point 0 range [-128, 127] : (tensor<4x3xf32>) -> tensor<4x3xi8>
  return %1, %0 : tensor<4x3xi8>, tensor<4x3xf32>
}

// REMARK-DAG: Remark="what the product joins is not dequantized from 8 bits in f32"
// CHECK-LABEL: func.func @joined
// CHECK: fxgraph.dequantize_per_tensor
func.func @joined(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %y: tensor<4x3xi32>) -> tensor<4x3xf32> {
  %0 = fxgraph.dequantize_per_tensor %y scale 0.2 zero_point 0 range [0, 255] : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %1 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "add" with %0 : (tensor<4x8xui8>, tensor<3x8xi8>, tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// The quantization of a product of floats, and an activation of it.
// CHECK-LABEL: func.func @others
// CHECK: fxgraph.linear_pointwise
// CHECK-NEXT: fxgraph.quantize_per_tensor
func.func @others(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>) -> tensor<4x3xi8> {
  %0 = fxgraph.linear_pointwise %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.quantize_per_tensor %0 scale 0.5 zero_point 0 range [-128, 127] : (tensor<4x3xf32>) -> tensor<4x3xi8>
  return %1 : tensor<4x3xi8>
}
