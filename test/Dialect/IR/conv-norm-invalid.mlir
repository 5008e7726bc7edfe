// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of convolution, normalisation and pooling.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @uniform_c1_conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xbf16>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @uniform_c1_conv_bias(%x: tensor<1x3x8x8xbf16>, %w: tensor<4x3x3x3xbf16>, %b: tensor<4xf32>) {
  // expected-error @+2 {{expected operands of one element type but got 'bf16' and 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xbf16>, tensor<4x3x3x3xbf16>, tensor<4xf32>) -> tensor<1x4x6x6xbf16>
  return
}

// -----

func.func @uniform_c2_conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected operands on one device but got the module's and cuda:1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c1_weight(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{expected weight of rank 4 but got rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c2_input(%x: tensor<8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected input of rank 3 or 4 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c3_stride(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected 2 value(s) of stride but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c3_output_padding(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected 2 value(s) of output_padding but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c4_stride(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected stride >= 1 and < 2^31 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 0] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c4_padding(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected padding >= 0 and < 2^31 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, -1] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c4_dilation(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected dilation >= 1 and < 2^31 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [0, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c4_huge(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{expected padding >= 0 and < 2^31 but got 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv1d %x, %w stride [1] padding [9223372036854775807] dilation [1] : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return
}

// -----

func.func @conv_c5_zero(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected groups > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 0 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c5_negative(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected groups > 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups -1 : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c6_outputs(%x: tensor<1x4x8x8xf32>, %w: tensor<3x2x3x3xf32>) {
  // expected-error @+2 {{expected first extent of weight divisible by groups = 2 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x4x8x8xf32>, tensor<3x2x3x3xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @conv_c6_no_outputs(%x: tensor<1x4x8x8xf32>, %w: tensor<0x4x3x3xf32>) {
  // expected-error @+2 {{expected first extent of weight > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x4x8x8xf32>, tensor<0x4x3x3xf32>) -> tensor<1x0x6x6xf32>
  return
}

// -----

func.func @conv_c7_channels(%x: tensor<1x3x8x8xf32>, %w: tensor<4x2x3x3xf32>) {
  // expected-error @+2 {{expected second extent of weight to be 3 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x2x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c7_groups(%x: tensor<1x3x8x8xf32>, %w: tensor<4x1x3x3xf32>) {
  // expected-error @+2 {{expected channels of input divisible by groups = 2 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 : (tensor<1x3x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c7_unbatched(%x: tensor<2x8x8xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected second extent of weight to be 2 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<2x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x6x6xf32>
  return
}

// -----

func.func @conv_c8_bias(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{expected bias of shape [4] but got [1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<1xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c8_bias_rank(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4x1x1xf32>) {
  // expected-error @+2 {{expected bias of shape [4] but got [4, 1, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4x1x1xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c9_kernel(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x0x3xf32>) {
  // expected-error @+2 {{expected kernel extent > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x0x3xf32>) -> tensor<1x4x6x6xf32>
  return
}

// -----

func.func @conv_c9_input(%x: tensor<1x3x0xf32>, %w: tensor<4x3x1xf32>) {
  // expected-error @+2 {{expected input extent > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv1d %x, %w stride [1] padding [1] dilation [1] : (tensor<1x3x0xf32>, tensor<4x3x1xf32>) -> tensor<1x4x2xf32>
  return
}

// -----

func.func @conv_c10_fits(%x: tensor<1x3x8x2xf32>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{expected a window that fits the padded input extent 2 but got 3 in spatial dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x2xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x6x0xf32>
  return
}

// -----

func.func @conv_c10_dilated(%x: tensor<1x3x8x8x8xf32>, %w: tensor<4x3x1x1x3xf32>) {
  // expected-error @+2 {{expected a window that fits the padded input extent 8 but got 11 in spatial dimension 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv3d %x, %w stride [1, 1, 1] padding [0, 0, 0] dilation [1, 1, 5] : (tensor<1x3x8x8x8xf32>, tensor<4x3x1x1x3xf32>) -> tensor<1x4x8x8x1xf32>
  return
}

// -----

func.func @convolution_c1_rank(%x: tensor<1x3xf32>, %w: tensor<4x3xf32>) {
  // expected-error @+2 {{expected weight of rank >= 3 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [] padding [] dilation [] output_padding [] : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<1x4xf32>
  return
}

// -----

func.func @convolution_c2_channels(%x: tensor<1x3x8xf32>, %w: tensor<4x3x3xf32>) {
  // expected-error @+2 {{expected channels of input to be 4 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [2] padding [0] dilation [1] transposed true output_padding [0] : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x3x17xf32>
  return
}

// -----

func.func @convolution_c3_output_padding(%x: tensor<1x3x8xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error @+2 {{expected output_padding less than stride or dilation but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [2] padding [0] dilation [1] transposed true output_padding [2] : (tensor<1x3x8xf32>, tensor<3x4x3xf32>) -> tensor<1x4x19xf32>
  return
}

// -----

func.func @convolution_c4_extent(%x: tensor<1x3x2xf32>, %w: tensor<3x4x3xf32>) {
  // expected-error @+2 {{expected a result extent >= 1 but got 0 in spatial dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [1] padding [2] dilation [1] transposed true output_padding [0] : (tensor<1x3x2xf32>, tensor<3x4x3xf32>) -> tensor<1x4x0xf32>
  return
}

// -----

func.func @batch_norm_c1_rank(%x: tensor<3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{expected input of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x mean %m var %v eps 1.0e-5 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @batch_norm_c2_integer(%x: tensor<2x3xi32>) {
  // expected-error @+2 {{expected input of a floating-point type but got 'i32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x eps 1.0e-5 training true : (tensor<2x3xi32>) -> tensor<2x3xi32>
  return
}

// -----

func.func @batch_norm_c3_extent(%x: tensor<2x3xf32>, %m: tensor<2xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{expected running_mean of shape [3] but got [2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x mean %m var %v eps 1.0e-5 : (tensor<2x3xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c3_rank(%x: tensor<2x3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>, %w: tensor<1x3xf32>) {
  // expected-error @+2 {{expected weight of shape [3] but got [1, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x mean %m var %v weight %w eps 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c4_half(%x: tensor<2x3xf32>, %v: tensor<3xf32>) {
  // expected-error @+1 {{expected both running statistics or neither but got only the variance}}
  %r = fxgraph.batch_norm %x var %v eps 1.0e-5 training true : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @batch_norm_c5_eval(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected running statistics in eval mode but got none}}
  %r = fxgraph.batch_norm %x eps 1.0e-5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @uniform_c2_norm(%x: tensor<2x3xf32>, %w: tensor<3xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected operands on one device but got the module's and cuda:1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x weight %w over [3] eps 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<2x3xf32>
  return
}

// -----

func.func @norm_c1_narrow_weight(%x: tensor<2x3xf32>, %w: tensor<3xbf16>) {
  // expected-error @+2 {{expected parameters of element type 'f32' but got 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x weight %w over [3] eps 1.0e-5 : (tensor<2x3xf32>, tensor<3xbf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @norm_c1_two_types(%x: tensor<2x3xbf16>, %m: tensor<3xf32>, %v: tensor<3xf32>, %w: tensor<3xbf16>) {
  // expected-error @+2 {{expected parameters of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x mean %m var %v weight %w eps 1.0e-5 : (tensor<2x3xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<3xbf16>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @norm_c1_f64(%x: tensor<2x3xf32>, %w: tensor<3xf64>) {
  // expected-error @+2 {{expected parameters of element type 'f32' but got 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.rms_norm %x weight %w over [3] : (tensor<2x3xf32>, tensor<3xf64>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trailing_norm_c1_empty(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected a normalized_shape of at least one dimension but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x over [] eps 1.0e-5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trailing_norm_c1_negative(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected extents >= 0 in normalized_shape but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x over [-1] eps 1.0e-5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trailing_norm_c2_extent(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected trailing dimensions of input of shape [2] but got [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x over [2] eps 1.0e-5 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trailing_norm_c2_rank(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected input of rank >= 3 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = fxgraph.native_layer_norm %x over [1, 2, 3] eps 1.0e-5 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1xf32>, tensor<1xf32>)
  return
}

// -----

func.func @trailing_norm_c3_weight(%x: tensor<2x3xf32>, %w: tensor<1xf32>) {
  // expected-error @+2 {{expected weight of shape [3] but got [1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.rms_norm %x weight %w over [3] : (tensor<2x3xf32>, tensor<1xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @trailing_norm_c3_bias(%x: tensor<2x3xf32>, %w: tensor<3xf32>) {
  // expected-error @+2 {{expected bias of shape [2, 3] but got [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x bias %w over [2, 3] eps 1.0e-5 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @group_norm_c1_rank(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected input of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.group_norm %x groups 2 eps 1.0e-5 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @group_norm_c2_zero(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{expected groups > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.group_norm %x groups 0 eps 1.0e-5 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @group_norm_c2_divides(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{expected channels of input divisible by groups = 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.group_norm %x groups 3 eps 1.0e-5 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @group_norm_c3_weight(%x: tensor<2x4xf32>, %w: tensor<2xf32>) {
  // expected-error @+2 {{expected weight of shape [4] but got [2]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.group_norm %x weight %w groups 2 eps 1.0e-5 : (tensor<2x4xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @pool_c1_rank(%x: tensor<8x8xf32>) {
  // expected-error @+2 {{expected input of rank 3 or 4 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [3, 3] stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<8x8xf32>) -> tensor<6x6xf32>
  return
}

// -----

func.func @pool_c1_adaptive(%x: tensor<1x1x1x8x8xf32>) {
  // expected-error @+2 {{expected input of rank 3 or 4 but got rank 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.adaptive_avg_pool2d %x to [1, 1] : (tensor<1x1x1x8x8xf32>) -> tensor<1x1x1x1x1xf32>
  return
}

// -----

func.func @pool_c2_kernel(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected 2 value(s) of kernel_size but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [3] stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @pool_c2_no_stride(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected 2 value(s) of stride but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.avg_pool2d %x kernel [3, 3] stride [] padding [0, 0] : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @pool_c3_stride(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected stride >= 1 and < 2^31 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [3, 3] stride [0, 1] padding [0, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @pool_c3_kernel(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected kernel_size >= 1 and < 2^31 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.avg_pool2d %x kernel [0, 3] stride [1, 1] padding [0, 0] : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @pool_c4_channels(%x: tensor<1x0x8x8xf32>) {
  // expected-error @+2 {{expected input extent > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [3, 3] stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<1x0x8x8xf32>) -> tensor<1x0x6x6xf32>
  return
}

// -----

func.func @pool_c5_padding(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected padding of at most half of kernel_size 3 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [3, 3] stride [1, 1] padding [2, 0] dilation [1, 1] : (tensor<1x3x8x8xf32>) -> tensor<1x3x10x6xf32>
  return
}

// -----

func.func @pool_c6_fits(%x: tensor<1x3x2x8xf32>) {
  // expected-error @+2 {{expected a window that fits the padded input extent 2 but got 3 in spatial dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.avg_pool2d %x kernel [3, 3] stride [1, 1] padding [0, 0] : (tensor<1x3x2x8xf32>) -> tensor<1x3x0x6xf32>
  return
}

// -----

func.func @pool_c6_ceil(%x: tensor<1x3x2x8xf32>) {
  // expected-error @+2 {{expected a window that fits the padded input extent 2 but got 4 in spatial dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [4, 3] stride [2, 1] padding [0, 0] dilation [1, 1] ceil true : (tensor<1x3x2x8xf32>) -> tensor<1x3x1x6xf32>
  return
}

// -----

func.func @avg_pool2d_c1_divisor(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected a divisor other than 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.avg_pool2d %x kernel [3, 3] stride [1, 1] padding [0, 0] divisor 0 : (tensor<1x3x8x8xf32>) -> tensor<1x3x6x6xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c1_count(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected 2 value(s) of output_size but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.adaptive_avg_pool2d %x to [1] : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c1_negative(%x: tensor<1x3x8x8xf32>) {
  // expected-error @+2 {{expected output_size >= 0 and < 2^31 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.adaptive_avg_pool2d %x to [1, -1] : (tensor<1x3x8x8xf32>) -> tensor<1x3x1x1xf32>
  return
}

// -----

func.func @adaptive_avg_pool2d_c2_empty(%x: tensor<1x3x0x8xf32>) {
  // expected-error @+2 {{expected input extent > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.adaptive_avg_pool2d %x to [2, 2] : (tensor<1x3x0x8xf32>) -> tensor<1x3x2x2xf32>
  return
}
