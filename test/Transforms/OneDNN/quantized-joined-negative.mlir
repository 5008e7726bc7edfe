// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// REMARK-NOT: [Passed]

!q = tensor<1x2x4x4xui8>
!f = tensor<1x2x4x4xf32>
!p = tensor<1x2x2x2xf32>
!r = tensor<1x2x2x2xui8>

// What is pooled is quantized otherwise than it was, which Inductor does not look at; the largest values are used.
// REMARK-DAG: Remark="the quantizations have other scales or zero points"
// REMARK-DAG: Remark="the largest values have other users"
// CHECK-LABEL: func.func @pools
// CHECK-COUNT-3: fxgraph.quantize_per_tensor
func.func @pools(%q: !q) -> (!r, !r, !r, !p) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 7 range [0, 255] : (!q) -> !f
  %1 = fxgraph.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (!f) -> !p
  %2 = fxgraph.quantize_per_tensor %1 scale 0.2 zero_point 7 range [0, 255] : (!p) -> !r
  %3 = fxgraph.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [1, 1] dilation [2, 2] : (!f) -> !p
  %4 = fxgraph.quantize_per_tensor %3 scale 0.1 zero_point 8 range [0, 255] : (!p) -> !r
  %5 = fxgraph.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (!f) -> !p
  %6 = fxgraph.quantize_per_tensor %5 scale 0.1 zero_point 7 range [0, 255] : (!p) -> !r
  return %2, %4, %6, %5 : !r, !r, !r, !p
}

// An average is no number of those there were.
// CHECK-LABEL: func.func @average
// CHECK: fxgraph.quantize_per_tensor
func.func @average(%q: !q) -> !r {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 7 range [0, 255] : (!q) -> !f
  %1 = fxgraph.avg_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] : (!f) -> !p
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 7 range [0, 255] : (!p) -> !r
  return %2 : !r
}

// One operand of another scale, zero point or dtype, or that was not dequantized; the cat is used.
// REMARK-DAG: Remark="the quantized dtypes are wide or differ"
// REMARK-DAG: Remark="the cat has other users"
// CHECK-LABEL: func.func @cats
// CHECK-COUNT-5: fxgraph.quantize_per_tensor
func.func @cats(%q: tensor<2xui8>, %i: tensor<2xi8>, %x: tensor<2xf32>) -> (tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 7 range [0, 255] : (tensor<2xui8>) -> tensor<2xf32>
  %1 = fxgraph.dequantize_per_tensor %q scale 0.1000001 zero_point 7 range [0, 255] : (tensor<2xui8>) -> tensor<2xf32>
  %2 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 8 range [0, 255] : (tensor<2xui8>) -> tensor<2xf32>
  %3 = fxgraph.dequantize_per_tensor %i scale 0.1 zero_point 7 range [-128, 127] : (tensor<2xi8>) -> tensor<2xf32>
  %4 = fxgraph.cat %0, %1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %5 = fxgraph.quantize_per_tensor %4 scale 0.1 zero_point 7 range [0, 255] : (tensor<4xf32>) -> tensor<4xui8>
  %6 = fxgraph.cat %0, %2 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %7 = fxgraph.quantize_per_tensor %6 scale 0.1 zero_point 7 range [0, 255] : (tensor<4xf32>) -> tensor<4xui8>
  %8 = fxgraph.cat %0, %3 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %9 = fxgraph.quantize_per_tensor %8 scale 0.1 zero_point 7 range [0, 255] : (tensor<4xf32>) -> tensor<4xui8>
  %10 = fxgraph.cat %0, %x dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %11 = fxgraph.quantize_per_tensor %10 scale 0.1 zero_point 7 range [0, 255] : (tensor<4xf32>) -> tensor<4xui8>
  %12 = fxgraph.cat %0, %0 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %13 = fxgraph.quantize_per_tensor %12 scale 0.1 zero_point 7 range [0, 255] : (tensor<4xf32>) -> tensor<4xui8>
  return %5, %7, %9, %11, %13, %12 : tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xui8>, tensor<4xf32>
}
