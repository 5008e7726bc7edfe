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
