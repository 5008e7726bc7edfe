// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products{numerics=relaxed}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-products{numerics=relaxed}))' | diff %t.once -

// CHECK-LABEL: func.func @spellings
// CHECK: fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 zero_points %arg3 bias %arg4
// CHECK: fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 zero_points %arg3 :
// CHECK: fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 zero_points %arg3 :
// CHECK-NOT: dequantize
func.func @spellings(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %b: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s zero_points %z axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %2 = fxgraph.linear %0, %1, %b : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.linear %0, %1 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %4 = fxgraph.transpose %1 dims -1, 0 : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %5 = fxgraph.mm %0, %4 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %2, %3, %5 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// The weight is [k, n] as it is, with scales along dimension 1, counted from the end.
// CHECK-LABEL: func.func @columns
// CHECK: %[[W:.+]] = fxgraph.permute %arg1 dims [1, 0]
// CHECK: fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %[[W]] scales %arg2
func.func @columns(%q: tensor<4x8xui8>, %w: tensor<8x3xi8>, %s: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s axis -1 range [-128, 127] : (tensor<8x3xi8>, tensor<3xf32>) -> tensor<8x3xf32>
  %2 = fxgraph.mm %0, %1 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %2 : tensor<4x3xf32>
}

// Rows that were flattened for the product; what else uses the dequantized tensor keeps it.
// CHECK-LABEL: func.func @flattened
// CHECK-DAG: %[[Q:.+]] = fxgraph.view %arg0 shape [4, 8] : tensor<2x2x8xui8> -> tensor<4x8xui8>
// CHECK-DAG: fxgraph.dequantize_per_tensor
// CHECK: fxgraph.qlinear_pointwise %[[Q]] scale
func.func @flattened(%q: tensor<2x2x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<2x2x8xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<2x2x8xui8>) -> tensor<2x2x8xf32>
  %1 = fxgraph.view %0 shape [4, 8] : tensor<2x2x8xf32> -> tensor<4x8xf32>
  %2 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>) -> tensor<3x8xf32>
  %3 = fxgraph.permute %2 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %4 = fxgraph.mm %1, %3 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %4, %0 : tensor<4x3xf32>, tensor<2x2x8xf32>
}

// 16 bits between: the result is cast, the bias is not narrowed.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[B:.+]] = fxgraph.convert_element_type %arg3 : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK: fxgraph.qlinear_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 bias %[[B]] : {{.*}} -> tensor<4x3xbf16>
func.func @narrow(%q: tensor<4x8xui8>, %w: tensor<3x8xi8>, %s: tensor<3xf32>, %b: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (tensor<4x8xui8>) -> tensor<4x8xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4x8xf32>) -> tensor<4x8xbf16>
  %2 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<3x8xi8>, tensor<3xf32>) -> tensor<3x8xf32>
  %3 = fxgraph.convert_element_type %2 : (tensor<3x8xf32>) -> tensor<3x8xbf16>
  %4 = fxgraph.permute %3 dims [1, 0] : (tensor<3x8xbf16>) -> tensor<8x3xbf16>
  %5 = fxgraph.addmm %b, %1, %4 : (tensor<3xbf16>, tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  return %5 : tensor<4x3xbf16>
}

// CHECK-LABEL: func.func @grouped_convolution
// CHECK: fxgraph.qconv_pointwise %arg0 scale 1.000000e-01 zero_point 3, %arg1 scales %arg2 bias %arg3 stride [2] padding [1] dilation [1] groups 2
func.func @grouped_convolution(%q: tensor<2x4x8xi8>, %w: tensor<4x2x3xi8>, %s: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<2x4x4xf32> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [-128, 127] : (tensor<2x4x8xi8>) -> tensor<2x4x8xf32>
  %1 = fxgraph.dequantize_per_channel %w scales %s axis 0 range [-128, 127] : (tensor<4x2x3xi8>, tensor<4xf32>) -> tensor<4x2x3xf32>
  %2 = fxgraph.convolution %0, %1, %b stride [2] padding [1] dilation [1] output_padding [0] groups 2 : (tensor<2x4x8xf32>, tensor<4x2x3xf32>, tensor<4xf32>) -> tensor<2x4x4xf32>
  return %2 : tensor<2x4x4xf32>
}

// A product of integers with a scale for each row and each column; repeated for the columns; one scale for all rows.
// CHECK-LABEL: func.func @scaled_rows
// CHECK: %[[W:.+]] = fxgraph.permute %arg1 dims [1, 0] : (tensor<8x3xi8>) -> tensor<3x8xi8>
// CHECK: %[[P:.+]] = fxgraph.qlinear_pointwise %arg0 scale 1.000000e+00 zero_point 0, %[[W]] scales %arg3 : (tensor<4x8xi8>, tensor<3x8xi8>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK: fxgraph.mul %[[P]], %arg2 : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
func.func @scaled_rows(%a: tensor<4x8xi8>, %b: tensor<8x3xi8> {fxgraph.kind = "buffer"}, %r: tensor<4x1xf32>, %c: tensor<3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.int_mm %a, %b : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %2 = fxgraph.expand %r shape [4, 3] : tensor<4x1xf32> -> tensor<4x3xf32>
  %3 = fxgraph.mul %1, %2 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %4 = fxgraph.mul %3, %c : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %4 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @scaled_narrow_rows
// CHECK-DAG: %[[C:.+]] = fxgraph.select %arg3 dim 0 at 0 : (tensor<1x3xbf16>) -> tensor<3xbf16>
// CHECK-DAG: %[[S:.+]] = fxgraph.convert_element_type %[[C]] : (tensor<3xbf16>) -> tensor<3xf32>
// CHECK: %[[P:.+]] = fxgraph.qlinear_pointwise %arg0 scale 1.000000e+00 zero_point 0, %{{.+}} scales %[[S]] : {{.*}} -> tensor<4x3xbf16>
// CHECK: fxgraph.mul %[[P]], %arg2 : (tensor<4x3xbf16>, tensor<1xbf16>) -> tensor<4x3xbf16>
func.func @scaled_narrow_rows(%a: tensor<4x8xi8>, %b: tensor<3x8xi8> {fxgraph.kind = "buffer"}, %r: tensor<1xbf16>, %c: tensor<1x3xbf16>) -> tensor<4x3xbf16> {
  %t = fxgraph.permute %b dims [1, 0] : (tensor<3x8xi8>) -> tensor<8x3xi8>
  %0 = fxgraph.int_mm %a, %t : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4x3xi32>) -> tensor<4x3xbf16>
  %2 = fxgraph.mul %1, %r : (tensor<4x3xbf16>, tensor<1xbf16>) -> tensor<4x3xbf16>
  %3 = fxgraph.mul %2, %c : (tensor<4x3xbf16>, tensor<1x3xbf16>) -> tensor<4x3xbf16>
  return %3 : tensor<4x3xbf16>
}

// Weights that were rounded to f16, the exchange of dimensions before, between and behind the casts, or none.
// CHECK-LABEL: func.func @half
// CHECK: %[[H:.+]] = fxgraph.convert_element_type %arg1 : (tensor<3x8xf32>) -> tensor<3x8xf16>
// CHECK: fxgraph.linear_pointwise %arg0, %[[H]] bias %arg2 : (tensor<4x8xf32>, tensor<3x8xf16>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK: fxgraph.linear_pointwise %arg0, %[[H]] : (tensor<4x8xf32>, tensor<3x8xf16>) -> tensor<4x3xf32>
// CHECK: %[[P:.+]] = fxgraph.permute %arg1 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
// CHECK: %[[I:.+]] = fxgraph.convert_element_type %[[P]] : (tensor<8x3xf32>) -> tensor<8x3xf16>
// CHECK: %[[Q:.+]] = fxgraph.permute %[[I]] dims [1, 0] : (tensor<8x3xf16>) -> tensor<3x8xf16>
// CHECK: fxgraph.linear_pointwise %arg0, %[[Q]] : (tensor<4x8xf32>, tensor<3x8xf16>) -> tensor<4x3xf32>
// CHECK: fxgraph.linear_pointwise %arg0, %[[H]] : (tensor<4x8xf32>, tensor<3x8xf16>) -> tensor<4x3xf32>
func.func @half(%x: tensor<4x8xf32>, %w: tensor<3x8xf32> {fxgraph.kind = "parameter"}, %b: tensor<3xf32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %h = fxgraph.convert_element_type %w : (tensor<3x8xf32>) -> tensor<3x8xf16>
  %0 = fxgraph.convert_element_type %h : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %2 = fxgraph.addmm %b, %x, %1 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.permute %h dims [1, 0] : (tensor<3x8xf16>) -> tensor<8x3xf16>
  %4 = fxgraph.convert_element_type %3 : (tensor<8x3xf16>) -> tensor<8x3xf32>
  %5 = fxgraph.mm %x, %4 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %6 = fxgraph.permute %w dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %7 = fxgraph.convert_element_type %6 : (tensor<8x3xf32>) -> tensor<8x3xf16>
  %8 = fxgraph.convert_element_type %7 : (tensor<8x3xf16>) -> tensor<8x3xf32>
  %9 = fxgraph.mm %x, %8 : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %10 = fxgraph.linear %x, %0 : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  return %2, %5, %9, %10 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func.func @half_rows
// CHECK: fxgraph.linear_pointwise %arg0, %{{.+}} bias %arg2 : (tensor<2x?x8xf32>, tensor<3x8xf16>, tensor<3xf32>) -> tensor<2x?x3xf32>
func.func @half_rows(%x: tensor<2x?x8xf32>, %w: tensor<3x8xf64> {fxgraph.kind = "constant"}, %b: tensor<3xf32>) -> tensor<2x?x3xf32> {
  %0 = fxgraph.convert_element_type %w : (tensor<3x8xf64>) -> tensor<3x8xf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<3x8xf16>) -> tensor<3x8xf32>
  %2 = fxgraph.linear %x, %1, %b : (tensor<2x?x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x?x3xf32>
  return %2 : tensor<2x?x3xf32>
}
