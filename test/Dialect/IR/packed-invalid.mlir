// RUN: fx-opt %s --split-input-file --verify-diagnostics

func.func @post_op_c1(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected a known activation but got mish}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w activation "mish" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c1_scalars(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected 2 scalars for hardtanh but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w activation "hardtanh" scalars [1.0] : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c1_algorithm(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected algorithm none but got tanh}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w activation "relu" algorithm "tanh" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c1_gelu(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected algorithm none or tanh but got erf}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w activation "gelu" algorithm "erf" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c2(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{expected binary to be none, add, sub or mul but got div}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w binary "div" with %y : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c2_missing(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected an other beside binary add}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w binary "add" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c2_superfluous(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{expected a binary beside other}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w with %y : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @post_op_c3(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>, %y: tensor<5x2x4xf32>) {
  // expected-error @+2 {{expected other}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w binary "add" with %y : (tensor<2x3xf32>, tensor<4x3xf32>, tensor<5x2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @convolution_pointwise_c1(%x: tensor<1x5x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution_pointwise %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x5x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return
}

// -----

func.func @weight_pack_c1_rank(%x: tensor<1x2x3xf32>, %w: tensor<4x3xi8>, %s: tensor<4xf32>) {
  // expected-error @+2 {{expected input of rank 2 but got rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int8pack_mm %x, %w, %s : (tensor<1x2x3xf32>, tensor<4x3xi8>, tensor<4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @weight_pack_c1(%x: tensor<2x3xf32>, %w: tensor<4x5xi8>, %s: tensor<4xf32>) {
  // expected-error @+2 {{expected last dimension of weight}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int8pack_mm %x, %w, %s : (tensor<2x3xf32>, tensor<4x5xi8>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @weight_pack_c2(%x: tensor<2x3xf32>, %w: tensor<4x3xi8>, %s: tensor<3xf32>) {
  // expected-error @+2 {{expected scales}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int8pack_mm %x, %w, %s : (tensor<2x3xf32>, tensor<4x3xi8>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @weight_int4pack_c1_rows(%x: tensor<2x64xf32>, %w: tensor<?x32xui8>, %s: tensor<2x16x2xf32>) {
  // expected-error @+2 {{expected a weight of known extents and an even number of rows}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<2x64xf32>, tensor<?x32xui8>, tensor<2x16x2xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @weight_int4pack_c1(%x: tensor<2x32xf32>, %w: tensor<16x32xui8>, %s: tensor<2x16x2xf32>) {
  // expected-error @+2 {{expected last dimension of input}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<2x32xf32>, tensor<16x32xui8>, tensor<2x16x2xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @weight_int4pack_c2(%x: tensor<2x64xf32>, %w: tensor<16x32xui8>, %s: tensor<2x16x2xbf16>) {
  // expected-error @+2 {{expected scales_and_zeros of}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<2x64xf32>, tensor<16x32xui8>, tensor<2x16x2xbf16>) -> tensor<2x16xf32>
  return
}

// -----

func.func @weight_int4pack_c2_shape(%x: tensor<2x64xf32>, %w: tensor<16x32xui8>, %s: tensor<1x16x2xf32>) {
  // expected-error @+2 {{expected scales_and_zeros}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "avx2" : (tensor<2x64xf32>, tensor<16x32xui8>, tensor<1x16x2xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @weight_int4pack_c3(%x: tensor<2x64xf32>, %w: tensor<16x32xui8>, %s: tensor<2x16x2xf32>) {
  // expected-error @+2 {{expected group_size > 0 that divides 64 but got 48}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 48 layout "avx2" : (tensor<2x64xf32>, tensor<16x32xui8>, tensor<2x16x2xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @weight_int4pack_c4(%x: tensor<2x64xf32>, %w: tensor<16x32xui8>, %s: tensor<2x16x2xf32>) {
  // expected-error @+2 {{expected layout avx512, avx2 or scalar but got neon}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "neon" : (tensor<2x64xf32>, tensor<16x32xui8>, tensor<2x16x2xf32>) -> tensor<2x16xf32>
  return
}

// -----

func.func @quantized_product_c1(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<4xf32>) {
  // expected-error @+1 {{expected scales}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @quantized_product_c2(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>, %b: tensor<3xbf16>) {
  // expected-error @+1 {{expected a bias of f32 but got}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s bias %b : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<3xbf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @quantized_product_c2_extent(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>, %b: tensor<1xf32>) {
  // expected-error @+1 {{expected bias}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s bias %b : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @quantized_product_c3(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected output_scale != 0 but got 0}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s {output_scale = 0.0} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xui8>
  return
}

// -----

func.func @quantized_product_c3_float(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected output_scale 1 and output_zero_point 0 for a result of 'f32'}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s {output_zero_point = 1 : i64} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @quantized_product_c4(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected result}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @linear_c1_quantized(%q: tensor<2x4xui8>, %w: tensor<1x3x4xi8>, %s: tensor<1xf32>) {
  // expected-error @+1 {{expected weight}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<2x4xui8>, tensor<1x3x4xi8>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c3_quantized(%q: tensor<2x5xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected last dimension of weight}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s : (tensor<2x5xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @post_op_c1_quantized(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected a known activation but got mish}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s activation "mish" : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @post_op_c2_quantized(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) {
  // expected-error @+1 {{expected an other beside binary add}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "add" : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @post_op_c3_quantized(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>, %y: tensor<2x2x3xf32>) {
  // expected-error @+1 {{expected other that broadcasts to}}
  %r = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s binary "add" with %y : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>, tensor<2x2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @convolution_pointwise_c1_quantized(%q: tensor<1x5x8xi8>, %w: tensor<6x4x3xi8>, %s: tensor<6xf32>) {
  // expected-error @+1 {{expected second extent of weight}}
  %r = fxgraph.qconv_pointwise %q scale 0.1 zero_point 3, %w scales %s stride [1] padding [1] dilation [1] : (tensor<1x5x8xi8>, tensor<6x4x3xi8>, tensor<6xf32>) -> tensor<1x6x8xf32>
  return
}

// -----

func.func @linear_pointwise_c1(%x: tensor<2x3xf32>, %w: tensor<4x3xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w : (tensor<2x3xf32>, tensor<4x3xbf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @linear_pointwise_c1_bias(%x: tensor<2x3xf32>, %w: tensor<4x3xf16>, %b: tensor<4xf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'f16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_pointwise %x, %w bias %b : (tensor<2x3xf32>, tensor<4x3xf16>, tensor<4xf16>) -> tensor<2x4xf32>
  return
}
