module {
  func.func @pointwise_tanh(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.tanh %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_sigmoid(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sigmoid %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_silu(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.silu %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_exp(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.exp %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_exp2(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.exp2 %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_expm1(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.expm1 %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_log(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.log %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_log1p(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.log1p %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_log2(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.log2 %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_log10(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.log10 %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_sqrt(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sqrt %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_rsqrt(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.rsqrt %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_reciprocal(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.reciprocal %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_sin(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sin %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_cos(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.cos %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_tan(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.tan %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_asin(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.asin %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_acos(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.acos %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_atan(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.atan %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_sinh(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sinh %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_cosh(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.cosh %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_erf(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.erf %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_log_sigmoid(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.log_sigmoid %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_hardsigmoid(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.hardsigmoid %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_hardswish(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.hardswish %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_mish(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.mish %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_relu(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.relu %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_neg(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.neg %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_abs(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.abs %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_sign(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sign %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_ceil(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.ceil %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_floor(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.floor %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_round(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.round %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_trunc(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.trunc %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_detach(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.detach %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_bitwise_not(%arg0: tensor<4xi1>) -> tensor<4xi1> {
    %0 = fxgraph.bitwise_not %arg0 : tensor<4xi1>
    return %0 : tensor<4xi1>
  }
  func.func @pointwise_gelu(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.gelu %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_gelu_tanh(%arg0: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
    %0 = fxgraph.gelu %arg0 approximate "tanh" : tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
  func.func @pointwise_softplus(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.softplus %arg0 beta 2.000000e+00 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_softplus_both(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.softplus %arg0 beta 2.000000e+00 threshold 1.000000e+01 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_elu(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.elu %arg0 alpha 1.500000e+00 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_elu_all(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.elu %arg0 alpha 1.500000e+00 scale 2.000000e+00 input_scale 5.000000e-01 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_leaky_relu(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.leaky_relu %arg0 slope 2.000000e-01 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_clamp(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.clamp %arg0 min 0.000000e+00 max 6.000000e+00 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_clamp_min(%arg0: tensor<4xi64>) -> tensor<4xi64> {
    %0 = fxgraph.clamp %arg0 min 0.000000e+00 : tensor<4xi64>
    return %0 : tensor<4xi64>
  }
  func.func @pointwise_clamp_none(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.clamp %arg0 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_nan_to_num(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.nan_to_num %arg0 posinf 1.000000e+00 neginf -1.000000e+00 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_nan_to_num_nan(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.nan_to_num %arg0 nan 2.000000e+00 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_isnan(%arg0: tensor<2x3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.isnan %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_isinf(%arg0: tensor<2x3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.isinf %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_isfinite(%arg0: tensor<2x3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.isfinite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_logical_not(%arg0: tensor<2x3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.logical_not %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_convert_element_type(%arg0: tensor<2x3xf32>) -> tensor<2x3xbf16> {
    %0 = fxgraph.convert_element_type %arg0 : (tensor<2x3xf32>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
  func.func @pointwise_convert_element_type_symbol(%arg0: tensor<?x3xui8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.convert_element_type %arg0 : (tensor<?x3xui8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @pointwise_dropout(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.dropout %arg0 p 1.000000e-01 : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_dropout_eval(%arg0: tensor<4xf32>) -> tensor<4xf32> {
    %0 = fxgraph.dropout %arg0 p 5.000000e-01 training false : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
  func.func @pointwise_sub(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.sub %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_mul(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.mul %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_pow(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.pow %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_maximum(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_minimum(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.minimum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_remainder(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.remainder %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_fmod(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.fmod %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_atan2(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.atan2 %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_add(%arg0: tensor<2x1xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_add_alpha(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
    %0 = fxgraph.add %arg0, %arg1 alpha 2.000000e+00 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
    return %0 : tensor<2x3xi64>
  }
  func.func @pointwise_add_wrapped_number(%arg0: tensor<2x3xf16>, %arg1: tensor<f64>) -> tensor<2x3xf16> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<2x3xf16>, tensor<f64>) -> tensor<2x3xf16>
    return %0 : tensor<2x3xf16>
  }
  func.func @pointwise_add_symbols(%arg0: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %arg1: tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @pointwise_add_unknown(%arg0: tensor<?x?xf32>, %arg1: tensor<4x1xf32>) -> tensor<4x?xf32> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<?x?xf32>, tensor<4x1xf32>) -> tensor<4x?xf32>
    return %0 : tensor<4x?xf32>
  }
  func.func @pointwise_add_device(%arg0: tensor<4xf32, #fxgraph.meta<device = "cuda:1">>, %arg1: tensor<f64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<4xf32, #fxgraph.meta<device = "cuda:1">>, tensor<f64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
    return %0 : tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
  }
  func.func @pointwise_add_empty(%arg0: tensor<0x3xf32>, %arg1: tensor<1x3xf32>) -> tensor<0x3xf32> {
    %0 = fxgraph.add %arg0, %arg1 : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>
    return %0 : tensor<0x3xf32>
  }
  func.func @pointwise_add_same_operand(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.add %arg0, %arg0 : (tensor<f32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @pointwise_sub_alpha(%arg0: tensor<2x3xf32>, %arg1: tensor<f64>) -> tensor<2x3xf32> {
    %0 = fxgraph.sub %arg0, %arg1 alpha 2.000000e+00 : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_div(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.div %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_div_floor(%arg0: tensor<2x3xi64>, %arg1: tensor<i64>) -> tensor<2x3xi64> {
    %0 = fxgraph.div %arg0, %arg1 rounding_mode "floor" : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
    return %0 : tensor<2x3xi64>
  }
  func.func @pointwise_eq(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.eq %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_ne(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.ne %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_lt(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.lt %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_le(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.le %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_gt(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.gt %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_ge(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.ge %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_logical_and(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.logical_and %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_logical_or(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.logical_or %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_logical_xor(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
    %0 = fxgraph.logical_xor %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
    return %0 : tensor<2x3xi1>
  }
  func.func @pointwise_bitwise_and(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>) -> tensor<2x3xi32> {
    %0 = fxgraph.bitwise_and %arg0, %arg1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func @pointwise_bitwise_or(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>) -> tensor<2x3xi32> {
    %0 = fxgraph.bitwise_or %arg0, %arg1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func @pointwise_bitwise_xor(%arg0: tensor<2x3xi32>, %arg1: tensor<3xi32>) -> tensor<2x3xi32> {
    %0 = fxgraph.bitwise_xor %arg0, %arg1 : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
    return %0 : tensor<2x3xi32>
  }
  func.func @pointwise_where(%arg0: tensor<2x1xi1>, %arg1: tensor<3xf32>, %arg2: tensor<f64>) -> tensor<2x3xf32> {
    %0 = fxgraph.where %arg0, %arg1, %arg2 : (tensor<2x1xi1>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @pointwise_relu_nan_to_num(%arg0: tensor<4xbf16>) -> tensor<4xbf16> {
    %0 = fxgraph.relu_nan_to_num %arg0 nan 2.000000e+00 posinf 1.000000e+00 : tensor<4xbf16>
    %1 = fxgraph.relu_nan_to_num %0 : tensor<4xbf16>
    return %1 : tensor<4xbf16>
  }
  func.func @pointwise_quantize_per_tensor(%arg0: tensor<?x4xf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xi8, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.quantize_per_tensor %arg0 scale 5.000000e-01 zero_point -3 range[-128, 127] : (tensor<?x4xf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>
  }
  func.func @pointwise_dequantize_per_tensor(%arg0: tensor<3xi8>) -> tensor<3xbf16> {
    %0 = fxgraph.dequantize_per_tensor %arg0 scale 5.000000e-01 zero_point -3 range[-128, 127] : (tensor<3xi8>) -> tensor<3xbf16>
    return %0 : tensor<3xbf16>
  }
  func.func @view_reshape(%arg0: tensor<2x6xf32>) -> tensor<3x4xf32> {
    %0 = fxgraph.reshape %arg0 shape [3, -1] : tensor<2x6xf32> -> tensor<3x4xf32>
    return %0 : tensor<3x4xf32>
  }
  func.func @view_reshape_dynamic(%arg0: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %arg1: index) -> tensor<?x6xf32> {
    %0 = fxgraph.reshape %arg0 shape [%arg1, 6] : tensor<?xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x6xf32>
    return %0 : tensor<?x6xf32>
  }
  func.func @view_reshape_scalar(%arg0: tensor<1x1xf32>) -> tensor<f32> {
    %0 = fxgraph.reshape %arg0 shape [] : tensor<1x1xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @view_view(%arg0: tensor<2x6xf32>) -> tensor<12xf32> {
    %0 = fxgraph.view %arg0 shape [12] : tensor<2x6xf32> -> tensor<12xf32>
    return %0 : tensor<12xf32>
  }
  func.func @view_flatten(%arg0: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
    %0 = fxgraph.flatten %arg0 dims 1 to -1 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
    return %0 : tensor<2x12xf32>
  }
  func.func @view_flatten_scalar(%arg0: tensor<f32>) -> tensor<1xf32> {
    %0 = fxgraph.flatten %arg0 dims 0 to -1 : (tensor<f32>) -> tensor<1xf32>
    return %0 : tensor<1xf32>
  }
  func.func @view_unflatten(%arg0: tensor<2x12xf32>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.unflatten %arg0 dim 1 sizes [3, -1] : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @view_permute(%arg0: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
    %0 = fxgraph.permute %arg0 dims [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
    return %0 : tensor<4x2x3xf32>
  }
  func.func @view_permute_symbols(%arg0: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>> {
    %0 = fxgraph.permute %arg0 dims [-1, 0] : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
    return %0 : tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
  }
  func.func @view_permute_scalar(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.permute %arg0 dims [] : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @view_transpose(%arg0: tensor<2x3x4xf32>) -> tensor<2x4x3xf32> {
    %0 = fxgraph.transpose %arg0 dims -2, -1 : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
    return %0 : tensor<2x4x3xf32>
  }
  func.func @view_squeeze(%arg0: tensor<1x3x1xf32>) -> tensor<3xf32> {
    %0 = fxgraph.squeeze %arg0 dims [0, 2] : (tensor<1x3x1xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @view_squeeze_all(%arg0: tensor<1x3x1xf32>) -> tensor<3xf32> {
    %0 = fxgraph.squeeze %arg0 : (tensor<1x3x1xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @view_squeeze_no_dims(%arg0: tensor<1x3xf32>) -> tensor<1x3xf32> {
    %0 = fxgraph.squeeze %arg0 dims [] : (tensor<1x3xf32>) -> tensor<1x3xf32>
    return %0 : tensor<1x3xf32>
  }
  func.func @view_unsqueeze(%arg0: tensor<2x3xf32>) -> tensor<2x3x1xf32> {
    %0 = fxgraph.unsqueeze %arg0 dim -1 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
    return %0 : tensor<2x3x1xf32>
  }
  func.func @view_expand(%arg0: tensor<2x1xf32>) -> tensor<4x2x3xf32> {
    %0 = fxgraph.expand %arg0 shape [4, -1, 3] : tensor<2x1xf32> -> tensor<4x2x3xf32>
    return %0 : tensor<4x2x3xf32>
  }
  func.func @view_expand_dynamic(%arg0: tensor<1x3xf32>, %arg1: index) -> tensor<?x3xf32> {
    %0 = fxgraph.expand %arg0 shape [%arg1, 3] : tensor<1x3xf32> -> tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
  func.func @view_repeat(%arg0: tensor<2x3xf32>) -> tensor<2x2x9xf32> {
    %0 = fxgraph.repeat %arg0 by [2, 1, 3] : (tensor<2x3xf32>) -> tensor<2x2x9xf32>
    return %0 : tensor<2x2x9xf32>
  }
  func.func @view_slice(%arg0: tensor<2x6xf32>) -> tensor<2x2xf32> {
    %0 = fxgraph.slice %arg0 dim 1 from 1 to 5 step 2 : (tensor<2x6xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @view_slice_open(%arg0: tensor<2x6xf32>) -> tensor<2x2xf32> {
    %0 = fxgraph.slice %arg0 dim -1 from -2 to 9223372036854775807 : (tensor<2x6xf32>) -> tensor<2x2xf32>
    return %0 : tensor<2x2xf32>
  }
  func.func @view_slice_empty(%arg0: tensor<2x6xf32>) -> tensor<0x6xf32> {
    %0 = fxgraph.slice %arg0 dim 0 from 2 to 1 : (tensor<2x6xf32>) -> tensor<0x6xf32>
    return %0 : tensor<0x6xf32>
  }
  func.func @view_select(%arg0: tensor<2x6xf32>) -> tensor<2xf32> {
    %0 = fxgraph.select %arg0 dim 1 at -1 : (tensor<2x6xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @view_flip(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.flip %arg0 dims [0, -1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @view_roll(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.roll %arg0 by [1, -2] dims [0, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @view_roll_flat(%arg0: tensor<2x6xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.roll %arg0 by [1] dims [] : (tensor<2x6xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @view_constant_pad_nd(%arg0: tensor<2x3xf32>) -> tensor<1x6xf32> {
    %0 = fxgraph.constant_pad_nd %arg0 by [1, 2, 0, -1] value 5.000000e-01 : (tensor<2x3xf32>) -> tensor<1x6xf32>
    return %0 : tensor<1x6xf32>
  }
  func.func @view_triu(%arg0: tensor<3x3xf32>) -> tensor<3x3xf32> {
    %0 = fxgraph.triu %arg0 diagonal 1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
    return %0 : tensor<3x3xf32>
  }
  func.func @view_tril(%arg0: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
    %0 = fxgraph.tril %arg0 : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
    return %0 : tensor<2x3x3xf32>
  }
  func.func @view_slice_scatter(%arg0: tensor<2x6xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.slice_scatter %arg0, %arg1 dim 1 from 0 to 2 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @view_slice_scatter_step(%arg0: tensor<2x6xf32>, %arg1: tensor<2x2xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.slice_scatter %arg0, %arg1 dim 1 from 1 to 6 step 3 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @view_select_scatter(%arg0: tensor<2x6xf32>, %arg1: tensor<6xf32>) -> tensor<2x6xf32> {
    %0 = fxgraph.select_scatter %arg0, %arg1 dim 0 at 1 : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
    return %0 : tensor<2x6xf32>
  }
  func.func @split_cat_split(%arg0: tensor<2x10xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
    %0:3 = fxgraph.split %arg0 size 4 dim 1 : (tensor<2x10xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
  }
  func.func @split_cat_split_empty(%arg0: tensor<0x3xf32>) -> tensor<0x3xf32> {
    %0 = fxgraph.split %arg0 size 0 dim 0 : (tensor<0x3xf32>) -> tensor<0x3xf32>
    return %0 : tensor<0x3xf32>
  }
  func.func @split_cat_split_symbol(%arg0: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) {
    %0:2 = fxgraph.split %arg0 size 2 dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>)
    return %0#0, %0#1 : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @split_cat_split_with_sizes(%arg0: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>) {
    %0:3 = fxgraph.split_with_sizes %arg0 sizes [3, 0, 2] dim -1 : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>)
    return %0#0, %0#1, %0#2 : tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>
  }
  func.func @split_cat_split_with_sizes_dynamic(%arg0: tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
    %0:2 = fxgraph.split_with_sizes %arg0 sizes [3, 2] dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>)
    return %0#0, %0#1 : tensor<3xf32>, tensor<2xf32>
  }
  func.func @split_cat_chunk(%arg0: tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
    %0:5 = fxgraph.chunk %arg0 chunks 6 dim 0 : (tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
    return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  }
  func.func @split_cat_unbind(%arg0: tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
    %0:2 = fxgraph.unbind %arg0 dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
  }
  func.func @split_cat_unbind_one(%arg0: tensor<1x2xf32>) -> tensor<2xf32> {
    %0 = fxgraph.unbind %arg0 dim 0 : (tensor<1x2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @split_cat_cat(%arg0: tensor<2x3xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x7xf32> {
    %0 = fxgraph.cat %arg0, %arg1 dim 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
    return %0 : tensor<2x7xf32>
  }
  func.func @split_cat_cat_repeated(%arg0: tensor<2x3xf32>) -> tensor<2x9xf32> {
    %0 = fxgraph.cat %arg0, %arg0, %arg0 dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
    return %0 : tensor<2x9xf32>
  }
  func.func @split_cat_cat_legacy_empty(%arg0: tensor<0xf32>, %arg1: tensor<2x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.cat %arg0, %arg1 dim 1 : (tensor<0xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @split_cat_cat_symbols(%arg0: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %arg1: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>> {
    %0 = fxgraph.cat %arg0, %arg1 dim 1 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>
    return %0 : tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>
  }
  func.func @split_cat_stack(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
    %0 = fxgraph.stack %arg0, %arg1 dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
    return %0 : tensor<2x3x2xf32>
  }
  func.func @split_cat_stack_scalars(%arg0: tensor<f32>, %arg1: tensor<f32>) -> tensor<2xf32> {
    %0 = fxgraph.stack %arg0, %arg1 dim 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @contraction_linear(%arg0: tensor<2x3x4xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5xf32>) -> tensor<2x3x5xf32> {
    %0 = fxgraph.linear %arg0, %arg1, %arg2 : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func @contraction_linear_no_bias(%arg0: tensor<4xf32>, %arg1: tensor<5x4xf32>) -> tensor<5xf32> {
    %0 = fxgraph.linear %arg0, %arg1 : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func @contraction_linear_vector_weight(%arg0: tensor<2x4xf32>, %arg1: tensor<4xf32>) -> tensor<2xf32> {
    %0 = fxgraph.linear %arg0, %arg1 : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @contraction_linear_scalar_bias(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.linear %arg0, %arg1, %arg2 : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @contraction_linear_row_bias(%arg0: tensor<2x4xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<1x5xf32>) -> tensor<2x5xf32> {
    %0 = fxgraph.linear %arg0, %arg1, %arg2 : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func @contraction_linear_symbol(%arg0: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %arg1: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>> {
    %0 = fxgraph.linear %arg0, %arg1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>
    return %0 : tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>
  }
  func.func @contraction_linear_empty(%arg0: tensor<0x4xf32>, %arg1: tensor<5x4xf32>) -> tensor<0x5xf32> {
    %0 = fxgraph.linear %arg0, %arg1 : (tensor<0x4xf32>, tensor<5x4xf32>) -> tensor<0x5xf32>
    return %0 : tensor<0x5xf32>
  }
  func.func @contraction_matmul(%arg0: tensor<5x1x2x3xf32>, %arg1: tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32> {
    %0 = fxgraph.matmul %arg0, %arg1 : (tensor<5x1x2x3xf32>, tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32>
    return %0 : tensor<5x4x2x6xf32>
  }
  func.func @contraction_matmul_dot(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<f32> {
    %0 = fxgraph.matmul %arg0, %arg1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @contraction_matmul_row(%arg0: tensor<3xf32>, %arg1: tensor<5x3x4xf32>) -> tensor<5x4xf32> {
    %0 = fxgraph.matmul %arg0, %arg1 : (tensor<3xf32>, tensor<5x3x4xf32>) -> tensor<5x4xf32>
    return %0 : tensor<5x4xf32>
  }
  func.func @contraction_matmul_column(%arg0: tensor<5x2x3xf32>, %arg1: tensor<3xf32>) -> tensor<5x2xf32> {
    %0 = fxgraph.matmul %arg0, %arg1 : (tensor<5x2x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
    return %0 : tensor<5x2xf32>
  }
  func.func @contraction_matmul_square(%arg0: tensor<3x3xi64>) -> tensor<3x3xi64> {
    %0 = fxgraph.matmul %arg0, %arg0 : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
    return %0 : tensor<3x3xi64>
  }
  func.func @contraction_matmul_empty(%arg0: tensor<2x0xf32>, %arg1: tensor<0x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.matmul %arg0, %arg1 : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @contraction_mm(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.mm %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @contraction_mm_symbol(%arg0: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %arg1: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.mm %arg0, %arg1 : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @contraction_bmm(%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.bmm %arg0, %arg1 : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_bmm_refined_batch(%arg0: tensor<?x2x3xf32>, %arg1: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.bmm %arg0, %arg1 : (tensor<?x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_addmm(%arg0: tensor<4xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.addmm %arg0, %arg1, %arg2 beta 5.000000e-01 alpha 2.000000e+00 : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @contraction_addmm_plain(%arg0: tensor<f32>, %arg1: tensor<2x3xf32>, %arg2: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.addmm %arg0, %arg1, %arg2 : (tensor<f32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @contraction_addmm_alpha(%arg0: tensor<2x1xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<3x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.addmm %arg0, %arg1, %arg2 alpha 2.000000e+00 : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @contraction_baddbmm(%arg0: tensor<2x1xf32>, %arg1: tensor<5x2x3xf32>, %arg2: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.baddbmm %arg0, %arg1, %arg2 beta 0.000000e+00 : (tensor<2x1xf32>, tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_einsum(%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.einsum "bij,bjk->bik", %arg0, %arg1 : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_einsum_implicit(%arg0: tensor<2x3xf32>, %arg1: tensor<4x5xf32>) -> tensor<3x5x4x2xf32> {
    %0 = fxgraph.einsum "bA,aB", %arg0, %arg1 : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<3x5x4x2xf32>
    return %0 : tensor<3x5x4x2xf32>
  }
  func.func @contraction_einsum_diagonal(%arg0: tensor<3x3xf32>) -> tensor<3xf32> {
    %0 = fxgraph.einsum "ii->i", %arg0 : (tensor<3x3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @contraction_einsum_ellipsis(%arg0: tensor<5x2xf32>, %arg1: tensor<4x1x2xf32>) -> tensor<4x5xf32> {
    %0 = fxgraph.einsum "...i,...i->...", %arg0, %arg1 : (tensor<5x2xf32>, tensor<4x1x2xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func @contraction_einsum_ellipsis_summed(%arg0: tensor<5x2xf32>) -> tensor<2xf32> {
    %0 = fxgraph.einsum "...i->i", %arg0 : (tensor<5x2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @contraction_einsum_outer(%arg0: tensor<2xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.einsum " i , j ", %arg0, %arg1 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @contraction_einsum_scalar(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.einsum "", %arg0 : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @contraction_einsum_symbol(%arg0: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %arg1: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.einsum "ij,jk->ik", %arg0, %arg1 : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @contraction_scaled_dot_product_attention(%arg0: tensor<2x8x3x4xf32>, %arg1: tensor<2x8x6x4xf32>, %arg2: tensor<2x8x6x7xf32>) -> tensor<2x8x3x7xf32> {
    %0 = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 causal true scale 5.000000e-01 : (tensor<2x8x3x4xf32>, tensor<2x8x6x4xf32>, tensor<2x8x6x7xf32>) -> tensor<2x8x3x7xf32>
    return %0 : tensor<2x8x3x7xf32>
  }
  func.func @contraction_scaled_dot_product_attention_mask(%arg0: tensor<2x8x3x4xbf16>, %arg1: tensor<2x1x6x4xbf16>, %arg2: tensor<2x1x6x7xbf16>, %arg3: tensor<3x6xi1>) -> tensor<2x8x3x7xbf16> {
    %0 = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %arg3 : (tensor<2x8x3x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x7xbf16>, tensor<3x6xi1>) -> tensor<2x8x3x7xbf16>
    return %0 : tensor<2x8x3x7xbf16>
  }
  func.func @contraction_linear_transpose(%arg0: tensor<2x3x4xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5xf32>) -> tensor<2x5x3xf32> {
    %0 = fxgraph.linear_transpose %arg0, %arg1, %arg2 : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
    return %0 : tensor<2x5x3xf32>
  }
  func.func @contraction_transpose_linear(%arg0: tensor<2x4x3xf32>, %arg1: tensor<5x4xf32>, %arg2: tensor<5xf32>) -> tensor<2x3x5xf32> {
    %0 = fxgraph.transpose_linear %arg0, %arg1, %arg2 : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func @contraction_transpose_linear_no_bias(%arg0: tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %arg1: tensor<5x4xf32>) -> tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>> {
    %0 = fxgraph.transpose_linear %arg0, %arg1 : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<5x4xf32>) -> tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>
    return %0 : tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>
  }
  func.func @contraction_transpose_matmul(%arg0: tensor<5x3x2xf32>, %arg1: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.transpose_matmul %arg0 trans true, %arg1 : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_transpose_matmul_other(%arg0: tensor<5x2x3xf32>, %arg1: tensor<5x4x3xf32>) -> tensor<5x2x4xf32> {
    %0 = fxgraph.transpose_matmul %arg0, %arg1 trans true : (tensor<5x2x3xf32>, tensor<5x4x3xf32>) -> tensor<5x2x4xf32>
    return %0 : tensor<5x2x4xf32>
  }
  func.func @contraction_mm_plus_mm(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<2x5xf32>, %arg3: tensor<5x4xf32>) -> tensor<2x4xf32> {
    %0 = fxgraph.mm_plus_mm %arg0, %arg1, %arg2, %arg3 : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
    return %0 : tensor<2x4xf32>
  }
  func.func @contraction_dot_compress(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3x5xf32>) -> tensor<2x3x5xf32> {
    %0 = fxgraph.dot_compress %arg0, %arg1 : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> tensor<2x3x5xf32>
    return %0 : tensor<2x3x5xf32>
  }
  func.func @contraction_lce(%arg0: tensor<2x3x4xf32>, %arg1: tensor<5x3xf32>, %arg2: tensor<5xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>) {
    %0 = fxgraph.lce %arg0, %arg1, %arg2 : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<2x5x4xf32>
    %1 = fxgraph.lce %arg0, %arg1 : (tensor<2x3x4xf32>, tensor<5x3xf32>) -> tensor<2x5x4xf32>
    return %0, %1 : tensor<2x5x4xf32>, tensor<2x5x4xf32>
  }
  func.func @conv_norm_conv1d(%arg0: tensor<2x3x9xf32>, %arg1: tensor<4x3x3xf32>, %arg2: tensor<4xf32>) -> tensor<2x4x5xf32> {
    %0 = fxgraph.conv1d %arg0, %arg1, %arg2 stride [2] padding [1] dilation [1] : (tensor<2x3x9xf32>, tensor<4x3x3xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
    return %0 : tensor<2x4x5xf32>
  }
  func.func @conv_norm_conv2d(%arg0: tensor<2x4x8x9xf32>, %arg1: tensor<6x2x3x3xf32>, %arg2: tensor<6xf32>) -> tensor<2x6x8x3xf32> {
    %0 = fxgraph.conv2d %arg0, %arg1, %arg2 stride [1, 2] padding [1, 0] dilation [1, 2] groups 2 : (tensor<2x4x8x9xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<2x6x8x3xf32>
    return %0 : tensor<2x6x8x3xf32>
  }
  func.func @conv_norm_conv2d_unbatched(%arg0: tensor<3x8x9xf32>, %arg1: tensor<4x3x1x1xf32>) -> tensor<4x8x9xf32> {
    %0 = fxgraph.conv2d %arg0, %arg1 stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<4x8x9xf32>
    return %0 : tensor<4x8x9xf32>
  }
  func.func @conv_norm_conv2d_empty_batch(%arg0: tensor<0x3x8x9xf32>, %arg1: tensor<4x3x1x1xf32>) -> tensor<0x4x8x9xf32> {
    %0 = fxgraph.conv2d %arg0, %arg1 stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<0x3x8x9xf32>, tensor<4x3x1x1xf32>) -> tensor<0x4x8x9xf32>
    return %0 : tensor<0x4x8x9xf32>
  }
  func.func @conv_norm_conv2d_symbols(%arg0: tensor<?x3x?x9xf32, #fxgraph.meta<dims = [s0, s1]>>, %arg1: tensor<4x3x3x3xf32>) -> tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>> {
    %0 = fxgraph.conv2d %arg0, %arg1 stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<?x3x?x9xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<4x3x3x3xf32>) -> tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>>
    return %0 : tensor<?x4x?x9xf32, #fxgraph.meta<dims = [s0, ?]>>
  }
  func.func @conv_norm_conv3d(%arg0: tensor<2x3x4x5x6xf32>, %arg1: tensor<4x3x2x2x2xf32>) -> tensor<2x4x3x4x5xf32> {
    %0 = fxgraph.conv3d %arg0, %arg1 stride [1, 1, 1] padding [0, 0, 0] dilation [1, 1, 1] : (tensor<2x3x4x5x6xf32>, tensor<4x3x2x2x2xf32>) -> tensor<2x4x3x4x5xf32>
    return %0 : tensor<2x4x3x4x5xf32>
  }
  func.func @conv_norm_convolution(%arg0: tensor<2x4x8x9xf32>, %arg1: tensor<4x6x3x3xf32>, %arg2: tensor<6xf32>) -> tensor<2x6x16x18xf32> {
    %0 = fxgraph.convolution %arg0, %arg1, %arg2 stride [2, 2] padding [1, 1] dilation [1, 1] transposed true output_padding [1, 1] : (tensor<2x4x8x9xf32>, tensor<4x6x3x3xf32>, tensor<6xf32>) -> tensor<2x6x16x18xf32>
    return %0 : tensor<2x6x16x18xf32>
  }
  func.func @conv_norm_convolution_plain(%arg0: tensor<2x3x8xf32>, %arg1: tensor<6x1x3xf32>) -> tensor<2x6x6xf32> {
    %0 = fxgraph.convolution %arg0, %arg1 stride [1] padding [0] dilation [1] output_padding [0] groups 3 : (tensor<2x3x8xf32>, tensor<6x1x3xf32>) -> tensor<2x6x6xf32>
    return %0 : tensor<2x6x6xf32>
  }
  func.func @conv_norm_convolution_transposed_groups(%arg0: tensor<4x8xf32>, %arg1: tensor<4x3x3xf32>) -> tensor<6x17xf32> {
    %0 = fxgraph.convolution %arg0, %arg1 stride [2] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<4x8xf32>, tensor<4x3x3xf32>) -> tensor<6x17xf32>
    return %0 : tensor<6x17xf32>
  }
  func.func @conv_norm_batch_norm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>, %arg3: tensor<3xf32>, %arg4: tensor<3xf32>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.batch_norm %arg0 mean %arg1 var %arg2 weight %arg3 bias %arg4 eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @conv_norm_batch_norm_training(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.batch_norm %arg0 eps 1.000000e-03 training true momentum 2.000000e-01 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @conv_norm_batch_norm_mixed(%arg0: tensor<2x?xbf16>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<2x3xbf16> {
    %0 = fxgraph.batch_norm %arg0 mean %arg1 var %arg2 eps 1.000000e-05 : (tensor<2x?xbf16>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xbf16>
    return %0 : tensor<2x3xbf16>
  }
  func.func @conv_norm_layer_norm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.layer_norm %arg0 weight %arg1 bias %arg2 over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @conv_norm_layer_norm_bias(%arg0: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %arg1: tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.layer_norm %arg0 bias %arg1 over [4] eps 1.000000e-05 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @conv_norm_native_layer_norm(%arg0: tensor<2x3x4xbf16>, %arg1: tensor<3x4xf32>) -> (tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>) {
    %result, %mean, %rstd = fxgraph.native_layer_norm %arg0 weight %arg1 over [3, 4] eps 1.000000e-05 : (tensor<2x3x4xbf16>, tensor<3x4xf32>) -> (tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>)
    return %result, %mean, %rstd : tensor<2x3x4xbf16>, tensor<2x1x1xf32>, tensor<2x1x1xf32>
  }
  func.func @conv_norm_rms_norm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4xf32>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.rms_norm %arg0 weight %arg1 over [4] eps 1.000000e-03 : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @conv_norm_rms_norm_plain(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.rms_norm %arg0 over [4] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @conv_norm_group_norm(%arg0: tensor<2x4x5xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> tensor<2x4x5xf32> {
    %0 = fxgraph.group_norm %arg0 weight %arg1 bias %arg2 groups 2 eps 1.000000e-05 : (tensor<2x4x5xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
    return %0 : tensor<2x4x5xf32>
  }
  func.func @conv_norm_max_pool2d(%arg0: tensor<2x3x8x9xf32>) -> tensor<2x3x5x4xf32> {
    %0 = fxgraph.max_pool2d %arg0 kernel [3, 2] stride [2, 2] padding [1, 0] dilation [1, 2] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x4xf32>
    return %0 : tensor<2x3x5x4xf32>
  }
  func.func @conv_norm_max_pool2d_plain(%arg0: tensor<3x8x9xf32>) -> tensor<3x4x4xf32> {
    %0 = fxgraph.max_pool2d %arg0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<3x8x9xf32>) -> tensor<3x4x4xf32>
    return %0 : tensor<3x4x4xf32>
  }
  func.func @conv_norm_avg_pool2d(%arg0: tensor<2x3x8x9xf32>) -> tensor<2x3x5x5xf32> {
    %0 = fxgraph.avg_pool2d %arg0 kernel [2, 2] stride [2, 2] padding [1, 1] count_include_pad false divisor 3 : (tensor<2x3x8x9xf32>) -> tensor<2x3x5x5xf32>
    return %0 : tensor<2x3x5x5xf32>
  }
  func.func @conv_norm_avg_pool2d_ceil(%arg0: tensor<2x3x8x9xf32>) -> tensor<2x3x4x5xf32> {
    %0 = fxgraph.avg_pool2d %arg0 kernel [2, 2] stride [2, 2] padding [0, 0] ceil true : (tensor<2x3x8x9xf32>) -> tensor<2x3x4x5xf32>
    return %0 : tensor<2x3x4x5xf32>
  }
  func.func @conv_norm_adaptive_avg_pool2d(%arg0: tensor<2x3x8x9xf32>) -> tensor<2x3x1x3xf32> {
    %0 = fxgraph.adaptive_avg_pool2d %arg0 to [1, 3] : (tensor<2x3x8x9xf32>) -> tensor<2x3x1x3xf32>
    return %0 : tensor<2x3x1x3xf32>
  }
  func.func @reduction_mean(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %0 = fxgraph.mean %arg0 dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @reduction_amax(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %0 = fxgraph.amax %arg0 dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @reduction_amin(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %0 = fxgraph.amin %arg0 dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @reduction_logsumexp(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %0 = fxgraph.logsumexp %arg0 dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @reduction_sum(%arg0: tensor<2x3x4xf32>) -> tensor<1x3x1xf32> {
    %0 = fxgraph.sum %arg0 dims [0, -1] keepdim true : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
    return %0 : tensor<1x3x1xf32>
  }
  func.func @reduction_sum_all(%arg0: tensor<2x3xbf16>) -> tensor<bf16> {
    %0 = fxgraph.sum %arg0 : (tensor<2x3xbf16>) -> tensor<bf16>
    return %0 : tensor<bf16>
  }
  func.func @reduction_sum_no_dims(%arg0: tensor<2x3xf32>) -> tensor<f32> {
    %0 = fxgraph.sum %arg0 dims [] : (tensor<2x3xf32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @reduction_sum_bool(%arg0: tensor<2x?xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.sum %arg0 dims [0] : (tensor<2x?xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  }
  func.func @reduction_sum_empty(%arg0: tensor<0x3xf32>) -> tensor<3xf32> {
    %0 = fxgraph.sum %arg0 dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
    return %0 : tensor<3xf32>
  }
  func.func @reduction_sum_scalar(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.sum %arg0 dims [-1] : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @reduction_prod(%arg0: tensor<2x3xi32>) -> tensor<3xi64> {
    %0 = fxgraph.prod %arg0 dims [0] : (tensor<2x3xi32>) -> tensor<3xi64>
    return %0 : tensor<3xi64>
  }
  func.func @reduction_amax_other_dim_empty(%arg0: tensor<0x3xf32>) -> tensor<0xf32> {
    %0 = fxgraph.amax %arg0 dims [1] : (tensor<0x3xf32>) -> tensor<0xf32>
    return %0 : tensor<0xf32>
  }
  func.func @reduction_any(%arg0: tensor<2x3xf32>) -> tensor<3xi1> {
    %0 = fxgraph.any %arg0 dims [0] : (tensor<2x3xf32>) -> tensor<3xi1>
    return %0 : tensor<3xi1>
  }
  func.func @reduction_all(%arg0: tensor<2x3xui8>) -> tensor<ui8> {
    %0 = fxgraph.all %arg0 : (tensor<2x3xui8>) -> tensor<ui8>
    return %0 : tensor<ui8>
  }
  func.func @reduction_var(%arg0: tensor<2x3xf32>) -> tensor<2x1xf32> {
    %0 = fxgraph.var %arg0 dims [1] correction 0.000000e+00 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
    return %0 : tensor<2x1xf32>
  }
  func.func @reduction_vector_norm(%arg0: tensor<2x3xf32>) -> tensor<2xf32> {
    %0 = fxgraph.vector_norm %arg0 ord 0x7FF0000000000000 dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
  func.func @reduction_argmax(%arg0: tensor<2x3xf32>) -> tensor<2x1xi64> {
    %0 = fxgraph.argmax %arg0 dim -1 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xi64>
    return %0 : tensor<2x1xi64>
  }
  func.func @reduction_argmax_flat(%arg0: tensor<2x3xf32>) -> tensor<i64> {
    %0 = fxgraph.argmax %arg0 : (tensor<2x3xf32>) -> tensor<i64>
    return %0 : tensor<i64>
  }
  func.func @reduction_argmin(%arg0: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.argmin %arg0 dim 0 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  }
  func.func @reduction_max_dim(%arg0: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
    %values, %indices = fxgraph.max_dim %arg0 dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
    return %values, %indices : tensor<2xf32>, tensor<2xi64>
  }
  func.func @reduction_min_dim(%arg0: tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x1xi64>) {
    %values, %indices = fxgraph.min_dim %arg0 dim 1 keepdim true : (tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x1xi64>)
    return %values, %indices : tensor<2x1xi32>, tensor<2x1xi64>
  }
  func.func @reduction_softmax(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.softmax %arg0 dim -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @reduction_softmax_scalar(%arg0: tensor<f32>) -> tensor<f32> {
    %0 = fxgraph.softmax %arg0 dim 0 : (tensor<f32>) -> tensor<f32>
    return %0 : tensor<f32>
  }
  func.func @reduction_log_softmax(%arg0: tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.log_softmax %arg0 dim 1 : (tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>
  }
  func.func @reduction_cumsum(%arg0: tensor<2x3xi8>) -> tensor<2x3xi64> {
    %0 = fxgraph.cumsum %arg0 dim 1 : (tensor<2x3xi8>) -> tensor<2x3xi64>
    return %0 : tensor<2x3xi64>
  }
  func.func @reduction_cumprod(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.cumprod %arg0 dim 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @reduction_topk(%arg0: tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
    %values, %indices = fxgraph.topk %arg0 k 2 dim 1 : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
    return %values, %indices : tensor<2x2xf32>, tensor<2x2xi64>
  }
  func.func @reduction_topk_smallest(%arg0: tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>) {
    %values, %indices = fxgraph.topk %arg0 k 1 dim -1 largest false sorted false : (tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    return %values, %indices : tensor<2x1xf32>, tensor<2x1xi64>
  }
  func.func @reduction_topk_dynamic(%arg0: tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
    %values, %indices = fxgraph.topk %arg0 k 3 dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>)
    return %values, %indices : tensor<3xf32>, tensor<3xi64>
  }
  func.func @reduction_sort(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>) {
    %values, %indices = fxgraph.sort %arg0 dim -1 descending true : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
    return %values, %indices : tensor<2x5xf32>, tensor<2x5xi64>
  }
  func.func @indexing_index(%arg0: tensor<4x5x6xf32>, %arg1: tensor<2x1xi64>, %arg2: tensor<3xi64>) -> tensor<2x3x6xf32> {
    %0 = fxgraph.index %arg0[%arg1, %arg2] dims [0, 1] : (tensor<4x5x6xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<2x3x6xf32>
    return %0 : tensor<2x3x6xf32>
  }
  func.func @indexing_index_apart(%arg0: tensor<4x5x6xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi32>) -> tensor<2x5xf32> {
    %0 = fxgraph.index %arg0[%arg1, %arg2] dims [0, 2] : (tensor<4x5x6xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x5xf32>
    return %0 : tensor<2x5xf32>
  }
  func.func @indexing_index_middle(%arg0: tensor<4x5x6xf32>, %arg1: tensor<2x3xi64>) -> tensor<4x2x3x6xf32> {
    %0 = fxgraph.index %arg0[%arg1] dims [1] : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
    return %0 : tensor<4x2x3x6xf32>
  }
  func.func @indexing_index_scalar(%arg0: tensor<4x5xf32>, %arg1: tensor<i64>) -> tensor<5xf32> {
    %0 = fxgraph.index %arg0[%arg1] dims [0] : (tensor<4x5xf32>, tensor<i64>) -> tensor<5xf32>
    return %0 : tensor<5xf32>
  }
  func.func @indexing_index_symbol(%arg0: tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, %arg1: tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>> {
    %0 = fxgraph.index %arg0[%arg1] dims [0] : (tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
    return %0 : tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
  }
  func.func @indexing_index_put(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2x5xf32>) -> tensor<4x5xf32> {
    %0 = fxgraph.index_put %arg0[%arg1] dims [0], %arg2 : (tensor<4x5xf32>, tensor<2xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func @indexing_index_put_accumulate(%arg0: tensor<4x5xf32>, %arg1: tensor<2xi64>, %arg2: tensor<2xi64>, %arg3: tensor<f32>) -> tensor<4x5xf32> {
    %0 = fxgraph.index_put %arg0[%arg1, %arg2] dims [0, 1], %arg3 accumulate true : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func @indexing_index_select(%arg0: tensor<4x5xf32>, %arg1: tensor<3xi32>) -> tensor<4x3xf32> {
    %0 = fxgraph.index_select %arg0, %arg1 dim 1 : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
    return %0 : tensor<4x3xf32>
  }
  func.func @indexing_index_select_scalar_index(%arg0: tensor<4x5xf32>, %arg1: tensor<i64>) -> tensor<1x5xf32> {
    %0 = fxgraph.index_select %arg0, %arg1 dim 0 : (tensor<4x5xf32>, tensor<i64>) -> tensor<1x5xf32>
    return %0 : tensor<1x5xf32>
  }
  func.func @indexing_gather(%arg0: tensor<4x5xf32>, %arg1: tensor<9x2xi64>) -> tensor<9x2xf32> {
    %0 = fxgraph.gather %arg0, %arg1 dim 0 : (tensor<4x5xf32>, tensor<9x2xi64>) -> tensor<9x2xf32>
    return %0 : tensor<9x2xf32>
  }
  func.func @indexing_gather_empty(%arg0: tensor<4x5xf32>, %arg1: tensor<0xi64>) -> tensor<0xf32> {
    %0 = fxgraph.gather %arg0, %arg1 dim 0 : (tensor<4x5xf32>, tensor<0xi64>) -> tensor<0xf32>
    return %0 : tensor<0xf32>
  }
  func.func @indexing_scatter(%arg0: tensor<4x5xf32>, %arg1: tensor<2x5xi64>, %arg2: tensor<3x6xf32>) -> tensor<4x5xf32> {
    %0 = fxgraph.scatter %arg0, %arg1, %arg2 dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func @indexing_scatter_add(%arg0: tensor<4x5xf32>, %arg1: tensor<4x9xi64>, %arg2: tensor<4x9xf32>) -> tensor<4x5xf32> {
    %0 = fxgraph.scatter_add %arg0, %arg1, %arg2 dim -1 : (tensor<4x5xf32>, tensor<4x9xi64>, tensor<4x9xf32>) -> tensor<4x5xf32>
    return %0 : tensor<4x5xf32>
  }
  func.func @indexing_embedding(%arg0: tensor<10x4xf32>, %arg1: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
    %0 = fxgraph.embedding %arg0, %arg1 : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
    return %0 : tensor<2x3x4xf32>
  }
  func.func @indexing_embedding_symbol(%arg0: tensor<10x4xbf16>, %arg1: tensor<?xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.embedding %arg0, %arg1 : (tensor<10x4xbf16>, tensor<?xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
  }
  func.func @structural_constant() -> tensor<2xf32> {
    %cst = fxgraph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
    return %cst : tensor<2xf32>
  }
  func.func @structural_constant_number() -> tensor<f64> {
    %cst = fxgraph.constant dense<5.000000e-01> : tensor<f64>
    return %cst : tensor<f64>
  }
  func.func @structural_constant_bool() -> tensor<3xi1> {
    %cst = fxgraph.constant dense<true> : tensor<3xi1>
    return %cst : tensor<3xi1>
  }
  func.func @structural_full() -> tensor<2x3xf32> {
    %0 = fxgraph.full 1.500000e+00 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @structural_full_dynamic(%arg0: index) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
    %0 = fxgraph.full 0.000000e+00 sizes %arg0 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  }
  func.func @structural_arange() -> tensor<4xi64> {
    %0 = fxgraph.arange from 0.000000e+00 : tensor<4xi64>
    return %0 : tensor<4xi64>
  }
  func.func @structural_arange_dynamic(%arg0: index) -> tensor<?xf32> {
    %0 = fxgraph.arange size %arg0 from 1.000000e+00 step 5.000000e-01 : tensor<?xf32>
    return %0 : tensor<?xf32>
  }
  func.func @structural_rand() -> tensor<2x3xf32> {
    %0 = fxgraph.rand : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @structural_randn(%arg0: index) -> tensor<?x3xf32> {
    %0 = fxgraph.randn sizes %arg0 : tensor<?x3xf32>
    return %0 : tensor<?x3xf32>
  }
  func.func @structural_clone(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.clone %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @structural_contiguous(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    %0 = fxgraph.contiguous %arg0 : tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
  func.func @structural_copy_(%arg0: tensor<2x3xf32> {fxgraph.kind = "buffer", fxgraph.name = "running"}, %arg1: tensor<2x3xf32>) {
    fxgraph.copy_ %arg1 into %arg0 : tensor<2x3xf32>, tensor<2x3xf32>
    return
  }
  func.func @structural_sym_size(%arg0: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> index {
    %0 = fxgraph.sym_size %arg0 dim -1 : tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
    return %0 : index
  }
  func.func @structural_assert_tensor_metadata(%arg0: tensor<2x?xf32>) {
    fxgraph.assert_tensor_metadata %arg0 is tensor<2x?xf32> : tensor<2x?xf32>
    return
  }
  func.func @structural_opaque(%arg0: tensor<2x3xf32>, %arg1: index) -> (tensor<2xf32>, i64) {
    %0:2 = fxgraph.opaque "aten.foo.default"(%arg0, %arg1) args {args = ["%0", 3, ["%1"]]} : (tensor<2x3xf32>, index) -> (tensor<2xf32>, i64)
    return %0#0, %0#1 : tensor<2xf32>, i64
  }
  func.func @structural_opaque_bare() {
    fxgraph.opaque "my.op"() : () -> ()
    return
  }
  func.func @structural_exponential(%arg0: index) -> (tensor<?x3xf32>, tensor<3xbf16>) {
    %0 = fxgraph.exponential rate 2.000000e+00 sizes %arg0 : tensor<?x3xf32>
    %1 = fxgraph.exponential : tensor<3xbf16>
    return %0, %1 : tensor<?x3xf32>, tensor<3xbf16>
  }
  func.func @structural_opaque_effects(%arg0: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
    %0 = fxgraph.opaque "aten.foo.default"(%arg0) args {args = ["%0"]} {effects = "none"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %1 = fxgraph.opaque "aten.bar.default"(%0) {effects = "operands"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
  }
  func.func @pointwise_fma(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<f64>) -> tensor<2x3xf32> {
    %0 = fxgraph.fma %arg0, %arg1, %arg2 : (tensor<2x3xf32>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
    return %0 : tensor<2x3xf32>
  }
}

