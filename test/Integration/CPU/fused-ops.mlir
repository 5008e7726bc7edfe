// The ops that only passes make, compiled for the CPU.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5

func.func @linear_transpose(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %0 = fxgraph.linear_transpose %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
  %1 = fxgraph.linear_transpose %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3xf32>
  return %0, %1 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
}

func.func @transpose_linear(%x: tensor<2x4x3xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0 = fxgraph.transpose_linear %x, %w, %b : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.transpose_linear %x, %w : (tensor<2x4x3xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

func.func @transpose_matmul(%x: tensor<5x3x2xf32>, %y: tensor<5x3x4xf32>, %z: tensor<5x4x2xf32>) -> (tensor<5x2x4xf32>, tensor<5x3x4xf32>) {
  %0 = fxgraph.transpose_matmul %x trans true, %y : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  %1 = fxgraph.transpose_matmul %x, %z trans true : (tensor<5x3x2xf32>, tensor<5x4x2xf32>) -> tensor<5x3x4xf32>
  return %0, %1 : tensor<5x2x4xf32>, tensor<5x3x4xf32>
}

func.func @mm_plus_mm(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x5xf32>, %d: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// No element, and a sum of none.
func.func @empty(%x: tensor<0x3x4xf32>, %w: tensor<5x4xf32>, %u: tensor<2x0xf32>, %v: tensor<0x4xf32>) -> (tensor<0x5x3xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.linear_transpose %x, %w : (tensor<0x3x4xf32>, tensor<5x4xf32>) -> tensor<0x5x3xf32>
  %1 = fxgraph.mm_plus_mm %u, %v, %u, %v : (tensor<2x0xf32>, tensor<0x4xf32>, tensor<2x0xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<0x5x3xf32>, tensor<2x4xf32>
}

func.func @embeddings(%x: tensor<2x5x6xf32>, %v: tensor<5x3xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) -> (tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.dot_compress %x, %v : (tensor<2x5x6xf32>, tensor<5x3xf32>) -> tensor<2x5x3xf32>
  %1 = fxgraph.lce %x, %w, %b : (tensor<2x5x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.lce %x, %w : (tensor<2x5x6xf32>, tensor<4x5xf32>) -> tensor<2x4x6xf32>
  return %0, %1, %2 : tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

func.func @dynamic(%x: tensor<?x5x6xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) -> tensor<?x4x6xf32> {
  %0 = fxgraph.lce %x, %w, %b : (tensor<?x5x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<?x4x6xf32>
  return %0 : tensor<?x4x6xf32>
}

func.func @empty_embeddings(%x: tensor<2x0x6xf32>, %v: tensor<0x3xf32>, %w: tensor<4x0xf32>, %b: tensor<4xf32>) -> (tensor<2x0x3xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.dot_compress %x, %v : (tensor<2x0x6xf32>, tensor<0x3xf32>) -> tensor<2x0x3xf32>
  %1 = fxgraph.lce %x, %w, %b : (tensor<2x0x6xf32>, tensor<4x0xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  return %0, %1 : tensor<2x0x3xf32>, tensor<2x4x6xf32>
}

func.func @special(%y: tensor<7x4xf16>, %q: tensor<7x4xi8>) -> (tensor<13xf32>, tensor<7x4xf16>, tensor<10xui8>, tensor<7x4xi8>, tensor<7x4xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[0.0, 0.25, 0.75, 1.5, -2.5, 0.5, -0.5, 3.0, 1000.0, -1000.0]> : tensor<10xf32>
  %0 = fxgraph.relu_nan_to_num %c nan 2.0 posinf 3.0 : tensor<13xf32>
  %1 = fxgraph.relu_nan_to_num %y : tensor<7x4xf16>
  %2 = fxgraph.quantize_per_tensor %d scale 0.5 zero_point 128 range [0, 255] : (tensor<10xf32>) -> tensor<10xui8>
  %3 = fxgraph.quantize_per_tensor %y scale 0.01 zero_point 3 range [-128, 127] : (tensor<7x4xf16>) -> tensor<7x4xi8>
  %4 = fxgraph.dequantize_per_tensor %q scale 0.37 zero_point -3 range [-128, 127] : (tensor<7x4xi8>) -> tensor<7x4xf32>
  return %0, %1, %2, %3, %4 : tensor<13xf32>, tensor<7x4xf16>, tensor<10xui8>, tensor<7x4xi8>, tensor<7x4xf32>
}

func.func @addmm_activation(%b: tensor<5xf32>, %x: tensor<2x3xf32>, %w: tensor<3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>) {
  %0 = fxgraph.addmm_activation %b, %x, %w beta 0.5 alpha 2.0 : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %1 = fxgraph.addmm_activation %b, %x, %w use_gelu true : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  %2 = fxgraph.addmm_activation %b, %x, %w use_gelu true approximate "tanh" : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0, %1, %2 : tensor<2x5xf32>, tensor<2x5xf32>, tensor<2x5xf32>
}

func.func @int_mm(%a: tensor<4x70xi8>, %b: tensor<70x3xi8>, %s: tensor<1x3xf32>, %t: tensor<4x1xf32>, %e: tensor<4x0xi8>, %f: tensor<0x3xi8>) -> (tensor<4x3xi32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xi32>) {
  %0 = fxgraph.int_mm %a, %b : (tensor<4x70xi8>, tensor<70x3xi8>) -> tensor<4x3xi32>
  %1 = fxgraph.int_mm_mul %a, %b, %s : (tensor<4x70xi8>, tensor<70x3xi8>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %2 = fxgraph.int_mm_mul %a, %b, %t : (tensor<4x70xi8>, tensor<70x3xi8>, tensor<4x1xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.int_mm %e, %f : (tensor<4x0xi8>, tensor<0x3xi8>) -> tensor<4x3xi32>
  return %0, %1, %2, %3 : tensor<4x3xi32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xi32>
}

func.func @grouped_mm(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>, %v: tensor<3x6xf32>, %w: tensor<5x2xf32>, %b: tensor<6xf32>, %c: tensor<4x1xf32>) -> (tensor<2x6xf32>, tensor<4x2xf32>, tensor<2x6xf32>, tensor<4x2xf32>) {
  %0:2 = fxgraph.grouped_mm (%x, %y) x (%v, %w) : (tensor<2x3xf32>, tensor<4x5xf32>, tensor<3x6xf32>, tensor<5x2xf32>) -> (tensor<2x6xf32>, tensor<4x2xf32>)
  %1:2 = fxgraph.grouped_mm (%x, %y) x (%v, %w) + (%b, %c) : (tensor<2x3xf32>, tensor<4x5xf32>, tensor<3x6xf32>, tensor<5x2xf32>, tensor<6xf32>, tensor<4x1xf32>) -> (tensor<2x6xf32>, tensor<4x2xf32>)
  return %0#0, %0#1, %1#0, %1#1 : tensor<2x6xf32>, tensor<4x2xf32>, tensor<2x6xf32>, tensor<4x2xf32>
}

func.func @b2b_gemm(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6x2xf32>) -> (tensor<8x2xf32>, tensor<8x2xf32>) {
  %0 = fxgraph.b2b_gemm %a, %b, %c left true {
  ^bb0(%x: tensor<8x6xf32>):
    %n = fxgraph.constant dense<2.5> : tensor<f64>
    %y = fxgraph.mul %x, %n : (tensor<8x6xf32>, tensor<f64>) -> tensor<8x6xf32>
    %z = fxgraph.tanh %y : tensor<8x6xf32>
    fxgraph.yield %z : tensor<8x6xf32>
  } : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  %1 = fxgraph.b2b_gemm %a, %b, %c left false {
  ^bb0(%x: tensor<4x2xf32>):
    fxgraph.yield %x : tensor<4x2xf32>
  } : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  return %0, %1 : tensor<8x2xf32>, tensor<8x2xf32>
}

func.func @linear_pointwise(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %b: tensor<4xf32>, %y: tensor<2x4xf32>, %z: tensor<1x4xf32>, %e: tensor<2x0xf32>, %f: tensor<4x0xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.linear_pointwise %x, %w bias %b binary "add" with %y activation "relu" : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.linear_pointwise %x, %w binary "sub" with %z activation "sigmoid" : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %2 = fxgraph.linear_pointwise %x, %w binary "mul" with %y activation "tanh" : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = fxgraph.linear_pointwise %x, %w bias %b activation "silu" : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = fxgraph.linear_pointwise %x, %w activation "hardswish" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %5 = fxgraph.linear_pointwise %x, %w activation "hardsigmoid" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %6 = fxgraph.linear_pointwise %x, %w activation "leaky_relu" scalars [0.1] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %7 = fxgraph.linear_pointwise %x, %w activation "hardtanh" scalars [-0.5, 0.25] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %8 = fxgraph.linear_pointwise %e, %f bias %b activation "gelu" : (tensor<2x0xf32>, tensor<4x0xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %9 = fxgraph.linear_pointwise %x, %w activation "gelu" algorithm "tanh" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

func.func @linear_pointwise_widened(%x: tensor<2x5x3xf32>, %w: tensor<4x3xf16>, %b: tensor<4xf32>) -> tensor<2x5x4xf32> {
  %0 = fxgraph.linear_pointwise %x, %w bias %b activation "relu" : (tensor<2x5x3xf32>, tensor<4x3xf16>, tensor<4xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

func.func @convolution_pointwise(%x: tensor<1x4x9x8xf32>, %w: tensor<6x2x3x3xf32>, %b: tensor<6xf32>, %y: tensor<1x6x5x4xf32>, %t: tensor<4x3x3x3xf32>) -> (tensor<1x6x5x4xf32>, tensor<1x3x18x16xf32>) {
  %0 = fxgraph.convolution_pointwise %x, %w bias %b binary "mul" with %y activation "hardswish" stride [2, 1] padding [1, 0] dilation [1, 2] output_padding [0, 0] groups 2 : (tensor<1x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>, tensor<1x6x5x4xf32>) -> tensor<1x6x5x4xf32>
  %1 = fxgraph.convolution_pointwise %x, %t activation "gelu" stride [2, 2] padding [1, 1] dilation [1, 1] output_padding [1, 1] transposed true : (tensor<1x4x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x18x16xf32>
  return %0, %1 : tensor<1x6x5x4xf32>, tensor<1x3x18x16xf32>
}

func.func @weight_int8pack_mm(%x: tensor<2x70xf32>, %w: tensor<4x70xi8>, %s: tensor<4xf32>, %e: tensor<0x70xf32>) -> (tensor<2x4xf32>, tensor<0x4xf32>) {
  %0 = fxgraph.weight_int8pack_mm %x, %w, %s : (tensor<2x70xf32>, tensor<4x70xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.weight_int8pack_mm %e, %w, %s : (tensor<0x70xf32>, tensor<4x70xi8>, tensor<4xf32>) -> tensor<0x4xf32>
  return %0, %1 : tensor<2x4xf32>, tensor<0x4xf32>
}

func.func @qlinear_pointwise(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>, %z: tensor<3xi64>, %b: tensor<3xf32>, %y: tensor<2x3xi8>, %f: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>) {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s zero_points %z bias %b binary "add" with %y activation "relu" {other_scale = 0.5, other_zero_point = 2 : i64} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xi64>, tensor<3xf32>, tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "mul" with %f : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s activation "silu" : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xbf16>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xbf16>
}

func.func @qconv_pointwise(%q: tensor<1x4x9x8xui8>, %w: tensor<6x2x3x3xi8>, %s: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<1x6x5x4xf32> {
  %0 = fxgraph.qconv_pointwise %q scale 0.1 zero_point 3, %w scales %s bias %b activation "hardtanh" scalars [-1.0, 6.0] stride [2, 1] padding [1, 0] dilation [1, 2] groups 2 : (tensor<1x4x9x8xui8>, tensor<6x2x3x3xi8>, tensor<6xf32>, tensor<6xf32>) -> tensor<1x6x5x4xf32>
  return %0 : tensor<1x6x5x4xf32>
}

func.func @weight_int4pack_mm(%x: tensor<2x64xf32>, %w: tensor<80x32xui8>, %s: tensor<2x80x2xf32>, %e: tensor<0x64xf32>) -> (tensor<2x80xf32>, tensor<2x80xf32>, tensor<2x80xf32>, tensor<0x80xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx512" : (tensor<2x64xf32>, tensor<80x32xui8>, tensor<2x80x2xf32>) -> tensor<2x80xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<2x64xf32>, tensor<80x32xui8>, tensor<2x80x2xf32>) -> tensor<2x80xf32>
  %2 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "scalar" : (tensor<2x64xf32>, tensor<80x32xui8>, tensor<2x80x2xf32>) -> tensor<2x80xf32>
  %3 = fxgraph.weight_int4pack_mm %e, %w, %s group 32 layout "avx2" : (tensor<0x64xf32>, tensor<80x32xui8>, tensor<2x80x2xf32>) -> tensor<0x80xf32>
  return %0, %1, %2, %3 : tensor<2x80xf32>, tensor<2x80xf32>, tensor<2x80xf32>, tensor<0x80xf32>
}

func.func @invoke_quant(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = fxgraph.invoke_quant(%x, %y) scheme "nf4" {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1, %b : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

func.func @scaled_mm(%a: tensor<3x16xf8E4M3FN>, %b: tensor<16x5xf8E5M2>, %s: tensor<f32>, %t: tensor<1x1xf32>, %rows: tensor<3x1xf32>, %columns: tensor<1x5xf32>, %bias: tensor<5xbf16>) -> (tensor<3x5xf32>, tensor<3x5xbf16>) {
  %0 = fxgraph.scaled_mm %a, %b scales %s, %t : (tensor<3x16xf8E4M3FN>, tensor<16x5xf8E5M2>, tensor<f32>, tensor<1x1xf32>) -> tensor<3x5xf32>
  %1 = fxgraph.scaled_mm %a, %b scales %rows, %columns bias %bias : (tensor<3x16xf8E4M3FN>, tensor<16x5xf8E5M2>, tensor<3x1xf32>, tensor<1x5xf32>, tensor<5xbf16>) -> tensor<3x5xbf16>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xbf16>
}
