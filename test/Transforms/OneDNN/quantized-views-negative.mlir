// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

!q = tensor<2x3xi8>
!f = tensor<2x3xf32>
!g = tensor<3x2xf32>
!r = tensor<3x2xi8>

// A scale that differs by little, a zero point.
// REMARK-DAG: remark: [Missed] onednn-quantized-view | Category:fxgraph-onednn-quantized-views | Remark="the quantizations have other scales or zero points"
// CHECK-LABEL: func.func @parameters
// CHECK-COUNT-2: fxgraph.quantize_per_tensor
func.func @parameters(%q: !q) -> (!r, !r) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (!q) -> !f
  %1 = fxgraph.permute %0 dims [1, 0] : (!f) -> !g
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1000001 zero_point 0 range [-128, 127] : (!g) -> !r
  %3 = fxgraph.permute %0 dims [1, 0] : (!f) -> !g
  %4 = fxgraph.quantize_per_tensor %3 scale 0.1 zero_point 1 range [-128, 127] : (!g) -> !r
  return %2, %4 : !r, !r
}

// -128 becomes -127.
// REMARK-DAG: Remark="the range of the quantization does not hold all numbers of the dtype"
// CHECK-LABEL: func.func @range
// CHECK: fxgraph.quantize_per_tensor
func.func @range(%q: !q) -> !r {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-127, 127] : (!q) -> !f
  %1 = fxgraph.permute %0 dims [1, 0] : (!f) -> !g
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-127, 127] : (!g) -> !r
  return %2 : !r
}

// Negative numbers become 0.
// CHECK-LABEL: func.func @positive_range
// CHECK: fxgraph.quantize_per_tensor
func.func @positive_range(%q: !q) -> !r {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [0, 127] : (!q) -> !f
  %1 = fxgraph.permute %0 dims [1, 0] : (!f) -> !g
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [0, 127] : (!g) -> !r
  return %2 : !r
}

// REMARK-DAG: Remark="the quantized dtypes are wide or differ"
// CHECK-LABEL: func.func @dtypes
// CHECK-COUNT-2: fxgraph.quantize_per_tensor
func.func @dtypes(%q: !q, %w: tensor<2x3xi32>) -> (tensor<3x2xui8>, tensor<3x2xi32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (!q) -> !f
  %1 = fxgraph.permute %0 dims [1, 0] : (!f) -> !g
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [0, 255] : (!g) -> tensor<3x2xui8>
  %3 = fxgraph.dequantize_per_tensor %w scale 0.1 zero_point 0 range [-2147483648, 2147483647] : (tensor<2x3xi32>) -> !f
  %4 = fxgraph.permute %3 dims [1, 0] : (!f) -> !g
  %5 = fxgraph.quantize_per_tensor %4 scale 0.1 zero_point 0 range [-2147483648, 2147483647] : (!g) -> tensor<3x2xi32>
  return %2, %5 : tensor<3x2xui8>, tensor<3x2xi32>
}

// Elements that no quantized number made; numbers that overflow, or are all 0; 16 bits between.
// REMARK-DAG: Remark="the view makes elements"
// REMARK-DAG: Remark="numbers of this scale and zero point may not come back"
// REMARK-DAG: Remark="the values between are of 16 bits"
// CHECK-LABEL: func.func @others
// CHECK-COUNT-4: fxgraph.quantize_per_tensor
func.func @others(%q: !q) -> (tensor<2x4xi8>, !r, !r, !r) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (!q) -> !f
  %1 = fxgraph.constant_pad_nd %0 by [0, 1] : (!f) -> tensor<2x4xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-128, 127] : (tensor<2x4xf32>) -> tensor<2x4xi8>
  %3 = fxgraph.dequantize_per_tensor %q scale 1.0e+38 zero_point 0 range [-128, 127] : (!q) -> !f
  %4 = fxgraph.permute %3 dims [1, 0] : (!f) -> !g
  %5 = fxgraph.quantize_per_tensor %4 scale 1.0e+38 zero_point 0 range [-128, 127] : (!g) -> !r
  %6 = fxgraph.dequantize_per_tensor %q scale 1.0e-44 zero_point 0 range [-128, 127] : (!q) -> !f
  %7 = fxgraph.permute %6 dims [1, 0] : (!f) -> !g
  %8 = fxgraph.quantize_per_tensor %7 scale 1.0e-44 zero_point 0 range [-128, 127] : (!g) -> !r
  %9 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (!q) -> tensor<2x3xbf16>
  %10 = fxgraph.permute %9 dims [1, 0] : (tensor<2x3xbf16>) -> tensor<3x2xbf16>
  %11 = fxgraph.quantize_per_tensor %10 scale 0.1 zero_point 0 range [-128, 127] : (tensor<3x2xbf16>) -> !r
  return %2, %5, %8, %11 : tensor<2x4xi8>, !r, !r, !r
}

// Computed on between.
// CHECK-LABEL: func.func @computed
// CHECK: fxgraph.quantize_per_tensor
func.func @computed(%q: !q) -> !q {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (!q) -> !f
  %1 = fxgraph.relu %0 : !f
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-128, 127] : (!f) -> !q
  return %2 : !q
}
