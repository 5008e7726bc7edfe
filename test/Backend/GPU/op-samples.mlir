// A sample of each op that a GPU has; docs/Status.md (utils/gen-status.py) takes its column from what becomes of these.
// Products round where the interpreter does: in calls, before what follows them.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=1e-4 --atol=1e-5

func.func @tanh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.tanh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sigmoid(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.sigmoid %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @silu(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.silu %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @exp(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.exp %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @exp2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.exp2 %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @expm1(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.expm1 %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @log(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.log %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @log1p(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.log1p %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @log2(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.log2 %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @log10(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.log10 %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sqrt(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.sqrt %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @rsqrt(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.rsqrt %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @reciprocal(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.reciprocal %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sin(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.sin %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @cos(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.cos %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @tan(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.tan %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @asin(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.asin %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @acos(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.acos %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @atan(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.atan %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @asinh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.asinh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @acosh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.acosh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @atanh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.atanh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sinh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.sinh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @cosh(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.cosh %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @erf(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.erf %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @erfc(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.erfc %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @angle(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.angle %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @log_sigmoid(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.log_sigmoid %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @gelu(%arg0: tensor<6xf32>) -> tensor<6xf32> {
  %0 = fxgraph.gelu %arg0 : tensor<6xf32>
  return %0 : tensor<6xf32>
}

func.func @softplus(%arg0: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.softplus %arg0 : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @elu(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.elu %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @leaky_relu(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.leaky_relu %arg0 slope 1.000000e-02 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @hardsigmoid(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.hardsigmoid %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @hardswish(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.hardswish %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @mish(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.mish %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @relu(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.relu %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @neg(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.neg %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @abs(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.abs %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @sign(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.sign %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @ceil(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.ceil %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @floor(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.floor %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @round(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.round %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @trunc(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.trunc %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @bitwise_not(%arg0: tensor<2x3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_not %arg0 : tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @clamp(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.clamp %arg0 min -1.000000e+00 max 1.000000e+00 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @nan_to_num(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.nan_to_num %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @detach(%arg0: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.detach %arg0 : tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @isnan(%arg0: tensor<8xf32>) -> tensor<8xi1> {
  %0 = fxgraph.isnan %arg0 : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

func.func @isinf(%arg0: tensor<8xf32>) -> tensor<8xi1> {
  %0 = fxgraph.isinf %arg0 : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

func.func @isfinite(%arg0: tensor<8xf32>) -> tensor<8xi1> {
  %0 = fxgraph.isfinite %arg0 : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

func.func @signbit(%arg0: tensor<8xf32>) -> tensor<8xi1> {
  %0 = fxgraph.signbit %arg0 : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

func.func @logical_not(%arg0: tensor<8xf32>) -> tensor<8xi1> {
  %0 = fxgraph.logical_not %arg0 : (tensor<8xf32>) -> tensor<8xi1>
  return %0 : tensor<8xi1>
}

func.func @convert_element_type(%arg0: tensor<5xf32>) -> tensor<5xi64> {
  %0 = fxgraph.convert_element_type %arg0 : (tensor<5xf32>) -> tensor<5xi64>
  return %0 : tensor<5xi64>
}

func.func @quantize_per_tensor(%arg0: tensor<2x3xf32>) -> tensor<2x3xi8> {
  %0 = fxgraph.quantize_per_tensor %arg0 scale 3.700000e-01 zero_point -3 range[-128, 127] : (tensor<2x3xf32>) -> tensor<2x3xi8>
  return %0 : tensor<2x3xi8>
}

func.func @dequantize_per_tensor(%arg0: tensor<2x3xi8>) -> tensor<2x3xf32> {
  %0 = fxgraph.dequantize_per_tensor %arg0 scale 3.700000e-01 zero_point -3 range[-128, 127] : (tensor<2x3xi8>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @dropout(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.dropout %arg0 p 3.000000e-01 training false : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @add(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.add %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @sub(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.sub %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @mul(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.mul %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @div(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.div %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @pow(%arg0: tensor<3xf32>, %arg1: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.pow %arg0, %arg1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @maximum(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.maximum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @minimum(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.minimum %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @fmax(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.fmax %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @fmin(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.fmin %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @remainder(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.remainder %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @fmod(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.fmod %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @copysign(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.copysign %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @atan2(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.atan2 %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @nextafter(%arg0: tensor<8xf32>, %arg1: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.nextafter %arg0, %arg1 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

func.func @gcd(%arg0: tensor<3x4xi64>, %arg1: tensor<4xi64>) -> tensor<3x4xi64> {
  %0 = fxgraph.gcd %arg0, %arg1 : (tensor<3x4xi64>, tensor<4xi64>) -> tensor<3x4xi64>
  return %0 : tensor<3x4xi64>
}

func.func @eq(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.eq %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @ne(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.ne %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @lt(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.lt %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @le(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.le %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @gt(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.gt %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @ge(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.ge %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @logical_and(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.logical_and %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @logical_or(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.logical_or %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @logical_xor(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>) -> tensor<2x3xi1> {
  %0 = fxgraph.logical_xor %arg0, %arg1 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %0 : tensor<2x3xi1>
}

func.func @bitwise_and(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_and %arg0, %arg1 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @bitwise_or(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_or %arg0, %arg1 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @bitwise_xor(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_xor %arg0, %arg1 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @bitwise_left_shift(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_left_shift %arg0, %arg1 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @bitwise_right_shift(%arg0: tensor<2x3xi64>, %arg1: tensor<3xi64>) -> tensor<2x3xi64> {
  %0 = fxgraph.bitwise_right_shift %arg0, %arg1 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %0 : tensor<2x3xi64>
}

func.func @where(%arg0: tensor<2x3xi1>, %arg1: tensor<3xf32>, %arg2: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.where %arg0, %arg1, %arg2 : (tensor<2x3xi1>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @fma(%arg0: tensor<2x3xf32>, %arg1: tensor<3xf32>, %arg2: tensor<2x1xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.fma %arg0, %arg1, %arg2 : (tensor<2x3xf32>, tensor<3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @reshape(%arg0: tensor<2x6xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.reshape %arg0 shape [4, 3] : tensor<2x6xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @view(%arg0: tensor<2x6xf32>, %arg1: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.view %arg0 shape [4, 3] : tensor<2x6xf32> -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @flatten(%arg0: tensor<2x3x4xf32>) -> tensor<24xf32> {
  %0 = fxgraph.flatten %arg0 dims 0 to -1 : (tensor<2x3x4xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

func.func @unflatten(%arg0: tensor<2x6xf32>) -> tensor<2x2x3xf32> {
  %0 = fxgraph.unflatten %arg0 dim 1 sizes [2, 3] : (tensor<2x6xf32>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}

func.func @permute(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.permute %arg0 dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @transpose(%arg0: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.transpose %arg0 dims 0, 1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

func.func @squeeze(%arg0: tensor<2x1x3x1xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.squeeze %arg0 : (tensor<2x1x3x1xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @unsqueeze(%arg0: tensor<2x3xf32>) -> tensor<2x1x3xf32> {
  %0 = fxgraph.unsqueeze %arg0 dim 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}

func.func @expand(%arg0: tensor<1x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.expand %arg0 shape [2, 3] : tensor<1x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @repeat(%arg0: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.repeat %arg0 by [2, 1] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @slice(%arg0: tensor<5x4xf32>) -> tensor<4x4xf32> {
  %0 = fxgraph.slice %arg0 dim 0 from 1 to 9223372036854775807 : (tensor<5x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

func.func @select(%arg0: tensor<3x4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.select %arg0 dim 0 at 1 : (tensor<3x4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @flip(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.flip %arg0 dims [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @roll(%arg0: tensor<2x5xf32>) -> tensor<2x5xf32> {
  %0 = fxgraph.roll %arg0 by [2] dims [] : (tensor<2x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @constant_pad_nd(%arg0: tensor<2x3xf32>) -> tensor<2x6xf32> {
  %0 = fxgraph.constant_pad_nd %arg0 by [1, 2] : (tensor<2x3xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

func.func @triu(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = fxgraph.triu %arg0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @tril(%arg0: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = fxgraph.tril %arg0 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @view_dtype(%arg0: tensor<2x3xf32>) -> tensor<2x3xi32> {
  %0 = fxgraph.view_dtype %arg0 : tensor<2x3xf32> to tensor<2x3xi32>
  return %0 : tensor<2x3xi32>
}

func.func @slice_scatter(%arg0: tensor<5x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<5x3xf32> {
  %0 = fxgraph.slice_scatter %arg0, %arg1 dim 0 from 1 to 3 : (tensor<5x3xf32>, tensor<2x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

func.func @select_scatter(%arg0: tensor<3x4xf32>, %arg1: tensor<4xf32>) -> tensor<3x4xf32> {
  %0 = fxgraph.select_scatter %arg0, %arg1 dim 0 at -1 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @split(%arg0: tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>) {
  %0:3 = fxgraph.split %arg0 size 3 dim 0 : (tensor<7x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>)
  return %0#0, %0#1, %0#2 : tensor<3x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>
}

func.func @split_with_sizes(%arg0: tensor<6x2xf32>) -> (tensor<1x2xf32>, tensor<5x2xf32>) {
  %0:2 = fxgraph.split_with_sizes %arg0 sizes [1, 5] dim 0 : (tensor<6x2xf32>) -> (tensor<1x2xf32>, tensor<5x2xf32>)
  return %0#0, %0#1 : tensor<1x2xf32>, tensor<5x2xf32>
}

func.func @chunk(%arg0: tensor<10xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>) {
  %0:4 = fxgraph.chunk %arg0 chunks 4 dim 0 : (tensor<10xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>)
  return %0#0, %0#1, %0#2, %0#3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<1xf32>
}

func.func @unbind(%arg0: tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %0:3 = fxgraph.unbind %arg0 dim 0 : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %0#0, %0#1, %0#2 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

func.func @cat(%arg0: tensor<2x3xf32>, %arg1: tensor<1x3xf32>) -> tensor<3x3xf32> {
  %0 = fxgraph.cat %arg0, %arg1 dim 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

func.func @stack(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  %0 = fxgraph.stack %arg0, %arg1 dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

func.func @linear(%arg0: tensor<2x4xf32>, %arg1: tensor<3x4xf32>, %arg2: tensor<3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.linear %arg0, %arg1, %arg2 : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @matmul(%arg0: tensor<4xf32>, %arg1: tensor<4xf32>) -> tensor<f32> {
  %0 = fxgraph.matmul %arg0, %arg1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @mm(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.mm %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @bmm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<2x4x1xf32>) -> tensor<2x3x1xf32> {
  %0 = fxgraph.bmm %arg0, %arg1 : (tensor<2x3x4xf32>, tensor<2x4x1xf32>) -> tensor<2x3x1xf32>
  return %0 : tensor<2x3x1xf32>
}

func.func @addmm(%arg0: tensor<3xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.addmm %arg0, %arg1, %arg2 : (tensor<3xf32>, tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @baddbmm(%arg0: tensor<2x1x3xi64>, %arg1: tensor<2x2x4xi64>, %arg2: tensor<2x4x3xi64>) -> tensor<2x2x3xi64> {
  %0 = fxgraph.baddbmm %arg0, %arg1, %arg2 beta 0.000000e+00 : (tensor<2x1x3xi64>, tensor<2x2x4xi64>, tensor<2x4x3xi64>) -> tensor<2x2x3xi64>
  return %0 : tensor<2x2x3xi64>
}

func.func @einsum(%arg0: tensor<2x3xf32>, %arg1: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.einsum "ij,jk->ik", %arg0, %arg1 : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @scaled_dot_product_attention(%arg0: tensor<2x3x5x4xf32>, %arg1: tensor<2x3x6x4xf32>, %arg2: tensor<2x3x6x2xf32>) -> tensor<2x3x5x2xf32> {
  %0 = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 : (tensor<2x3x5x4xf32>, tensor<2x3x6x4xf32>, tensor<2x3x6x2xf32>) -> tensor<2x3x5x2xf32>
  return %0 : tensor<2x3x5x2xf32>
}

func.func @addmm_activation(%arg0: tensor<3xf32>, %arg1: tensor<2x4xf32>, %arg2: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.addmm_activation %arg0, %arg1, %arg2 : (tensor<3xf32>, tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @int_mm(%arg0: tensor<17x8xi8>, %arg1: tensor<8x16xi8>) -> tensor<17x16xi32> {
  %0 = fxgraph.int_mm %arg0, %arg1 : (tensor<17x8xi8>, tensor<8x16xi8>) -> tensor<17x16xi32>
  return %0 : tensor<17x16xi32>
}

func.func @conv1d(%arg0: tensor<2x3x8xf32>, %arg1: tensor<5x3x2xf32>) -> tensor<2x5x6xf32> {
  %0 = fxgraph.conv1d %arg0, %arg1 stride [1] padding [0] dilation [2] : (tensor<2x3x8xf32>, tensor<5x3x2xf32>) -> tensor<2x5x6xf32>
  return %0 : tensor<2x5x6xf32>
}

func.func @conv2d(%arg0: tensor<2x3x8x8xf32>, %arg1: tensor<5x3x3x3xf32>) -> tensor<2x5x4x4xf32> {
  %0 = fxgraph.conv2d %arg0, %arg1 stride [1, 1] padding [0, 0] dilation [2, 2] : (tensor<2x3x8x8xf32>, tensor<5x3x3x3xf32>) -> tensor<2x5x4x4xf32>
  return %0 : tensor<2x5x4x4xf32>
}

func.func @conv3d(%arg0: tensor<1x2x5x4x6xf32>, %arg1: tensor<3x2x2x2x3xf32>, %arg2: tensor<3xf32>) -> tensor<1x3x6x5x6xf32> {
  %0 = fxgraph.conv3d %arg0, %arg1, %arg2 stride [1, 1, 1] padding [1, 1, 1] dilation [1, 1, 1] : (tensor<1x2x5x4x6xf32>, tensor<3x2x2x2x3xf32>, tensor<3xf32>) -> tensor<1x3x6x5x6xf32>
  return %0 : tensor<1x3x6x5x6xf32>
}

func.func @convolution(%arg0: tensor<2x4x7xf32>, %arg1: tensor<4x3x3xf32>) -> tensor<2x3x9xf32> {
  %0 = fxgraph.convolution %arg0, %arg1 stride [1] padding [0] dilation [1] transposed true output_padding [0] : (tensor<2x4x7xf32>, tensor<4x3x3xf32>) -> tensor<2x3x9xf32>
  return %0 : tensor<2x3x9xf32>
}

func.func @batch_norm(%arg0: tensor<2x3x4x5xf32>, %arg1: tensor<3xf32>, %arg2: tensor<3xf32>) -> tensor<2x3x4x5xf32> {
  %0 = fxgraph.batch_norm %arg0 mean %arg1 var %arg2 eps 1.000000e-03 : (tensor<2x3x4x5xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4x5xf32>
  return %0 : tensor<2x3x4x5xf32>
}

func.func @layer_norm(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.layer_norm %arg0 over [3, 4] eps 1.000000e-03 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @native_layer_norm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>) {
  %result, %mean, %rstd = fxgraph.native_layer_norm %arg0 weight %arg1 bias %arg2 over [4] eps 1.000000e-05 : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>)
  return %result, %mean, %rstd : tensor<2x3x4xf32>, tensor<2x3x1xf32>, tensor<2x3x1xf32>
}

func.func @rms_norm(%arg0: tensor<2x3x4xf32>, %arg1: tensor<4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.rms_norm %arg0 weight %arg1 over [4] : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @group_norm(%arg0: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.group_norm %arg0 groups 4 eps 1.000000e-05 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @max_pool2d(%arg0: tensor<2x3x7x8xf32>) -> tensor<2x3x4x4xf32> {
  %0 = fxgraph.max_pool2d %arg0 kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x3x7x8xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

func.func @avg_pool2d(%arg0: tensor<2x3x7x8xf32>) -> tensor<2x3x4x4xf32> {
  %0 = fxgraph.avg_pool2d %arg0 kernel [3, 3] stride [2, 2] padding [1, 1] : (tensor<2x3x7x8xf32>) -> tensor<2x3x4x4xf32>
  return %0 : tensor<2x3x4x4xf32>
}

func.func @adaptive_avg_pool2d(%arg0: tensor<2x3x7x5xf32>) -> tensor<2x3x3x2xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %arg0 to [3, 2] : (tensor<2x3x7x5xf32>) -> tensor<2x3x3x2xf32>
  return %0 : tensor<2x3x3x2xf32>
}

func.func @sum(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.sum %arg0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @mean(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.mean %arg0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @amax(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.amax %arg0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @amin(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.amin %arg0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @prod(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.prod %arg0 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @any(%arg0: tensor<2x3x4xf32>) -> tensor<i1> {
  %0 = fxgraph.any %arg0 : (tensor<2x3x4xf32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @all(%arg0: tensor<2x3x4xf32>) -> tensor<i1> {
  %0 = fxgraph.all %arg0 : (tensor<2x3x4xf32>) -> tensor<i1>
  return %0 : tensor<i1>
}

func.func @var(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.var %arg0 correction 1.000000e+00 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @logsumexp(%arg0: tensor<2x3x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.logsumexp %arg0 dims [1] : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @vector_norm(%arg0: tensor<2x3x4xf32>) -> tensor<f32> {
  %0 = fxgraph.vector_norm %arg0 ord 2.000000e+00 : (tensor<2x3x4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @argmax(%arg0: tensor<2x3xf32>) -> tensor<i64> {
  %0 = fxgraph.argmax %arg0 : (tensor<2x3xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @argmin(%arg0: tensor<2x3xf32>) -> tensor<i64> {
  %0 = fxgraph.argmin %arg0 : (tensor<2x3xf32>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @max_dim(%arg0: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %values, %indices = fxgraph.max_dim %arg0 dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %values, %indices : tensor<3xf32>, tensor<3xi64>
}

func.func @min_dim(%arg0: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %values, %indices = fxgraph.min_dim %arg0 dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %values, %indices : tensor<3xf32>, tensor<3xi64>
}

func.func @softmax(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.softmax %arg0 dim 1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @log_softmax(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.log_softmax %arg0 dim 1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @prepare_softmax_online(%arg0: tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>) {
  %maximum, %sum = fxgraph.prepare_softmax_online %arg0 dim 1 : (tensor<2x3x4xf32>) -> (tensor<2x1x4xf32>, tensor<2x1x4xf32>)
  return %maximum, %sum : tensor<2x1x4xf32>, tensor<2x1x4xf32>
}

func.func @cumsum(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.cumsum %arg0 dim 1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @cumprod(%arg0: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.cumprod %arg0 dim 1 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

func.func @topk(%arg0: tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
  %values, %indices = fxgraph.topk %arg0 k 2 dim -1 : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return %values, %indices : tensor<2x2xf32>, tensor<2x2xi64>
}

func.func @sort(%arg0: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>) {
  %values, %indices = fxgraph.sort %arg0 dim -1 : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
  return %values, %indices : tensor<2x5xf32>, tensor<2x5xi64>
}

func.func @full() -> tensor<2x3xf32> {
  %0 = fxgraph.full 0.000000e+00 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @arange() -> tensor<7xi64> {
  %0 = fxgraph.arange from 2.000000e+00 : tensor<7xi64>
  return %0 : tensor<7xi64>
}

func.func @clone(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.clone %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @contiguous(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.contiguous %arg0 : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @weight_int8pack_mm(%arg0: tensor<4x32xbf16>, %arg1: tensor<16x32xi8>, %arg2: tensor<16xbf16>) -> tensor<4x16xbf16> {
  %0 = fxgraph.weight_int8pack_mm %arg0, %arg1, %arg2 : (tensor<4x32xbf16>, tensor<16x32xi8>, tensor<16xbf16>) -> tensor<4x16xbf16>
  return %0 : tensor<4x16xbf16>
}

func.func @relu_nan_to_num(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = fxgraph.relu_nan_to_num %x nan 2.0 posinf 1.0 : tensor<4xbf16>
  return %0 : tensor<4xbf16>
}

func.func @linear_transpose(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x5x3xf32> {
  %0 = fxgraph.linear_transpose %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

func.func @transpose_linear(%x: tensor<2x4x3xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = fxgraph.transpose_linear %x, %w, %b : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @transpose_matmul(%x: tensor<5x3x2xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %0 = fxgraph.transpose_matmul %x trans true, %y : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %0 : tensor<5x2x4xf32>
}

func.func @mm_plus_mm(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x5xf32>, %d: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @dot_compress(%x: tensor<2x3x4xf32>, %w: tensor<3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

func.func @lce(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<2x5x4xf32> {
  %0 = fxgraph.lce %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

func.func @int_mm_mul(%x: tensor<2x3xi8>, %w: tensor<3x5xi8>, %s: tensor<1x5xf32>) -> tensor<2x5xf32> {
  %0 = fxgraph.int_mm_mul %x, %w, %s : (tensor<2x3xi8>, tensor<3x5xi8>, tensor<1x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @grouped_mm(%x: tensor<2x3xf32>, %w: tensor<3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  %0:2 = fxgraph.grouped_mm (%x, %x) x (%w, %w) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x5xf32>, tensor<3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  return %0#0, %0#1 : tensor<2x5xf32>, tensor<2x5xf32>
}

func.func @b2b_gemm(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6x2xf32>) -> tensor<8x2xf32> {
  %0 = fxgraph.b2b_gemm %a, %b, %c left true {
  ^bb0(%x: tensor<8x6xf32>):
    %y = fxgraph.tanh %x : tensor<8x6xf32>
    fxgraph.yield %y : tensor<8x6xf32>
  } : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

func.func @yield(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6x2xf32>) -> tensor<8x2xf32> {
  %0 = fxgraph.b2b_gemm %a, %b, %c left false {
  ^bb0(%x: tensor<4x2xf32>):
    fxgraph.yield %x : tensor<4x2xf32>
  } : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

func.func @index(%x: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %i = fxgraph.constant dense<[-4, 3, 0]> : tensor<3xi64>
  %0 = fxgraph.index %x[%i] dims [0] : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

func.func @index_put(%x: tensor<4x5xf32>, %v: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %i = fxgraph.constant dense<[-4, 3, 3]> : tensor<3xi64>
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4x5xf32>, tensor<3xi64>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

func.func @unsafe_index(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = fxgraph.constant dense<[2, 1]> : tensor<2xi64>
  %0 = fxgraph.unsafe_index %x[%i] dims [0] : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @unsafe_index_put(%x: tensor<4x3xf32>, %v: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = fxgraph.constant dense<[2, -4]> : tensor<2xi64>
  %0 = fxgraph.unsafe_index_put %x[%i] dims [0], %v accumulate true : (tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @index_select(%x: tensor<4x5xf32>) -> tensor<4x3xf32> {
  %i = fxgraph.constant dense<[4, 0, 4]> : tensor<3xi64>
  %0 = fxgraph.index_select %x, %i dim 1 : (tensor<4x5xf32>, tensor<3xi64>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @gather(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %i = fxgraph.constant dense<[[0, 3, 1], [2, 2, 0]]> : tensor<2x3xi64>
  %0 = fxgraph.gather %x, %i dim 0 : (tensor<4x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @scatter(%x: tensor<4x3xf32>, %s: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = fxgraph.constant dense<[[0, 3, 1], [2, 3, 0]]> : tensor<2x3xi64>
  %0 = fxgraph.scatter %x, %i, %s dim 0 : (tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @scatter_add(%x: tensor<4x3xf32>, %s: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = fxgraph.constant dense<[[0, 3, 1], [0, 3, 0]]> : tensor<2x3xi64>
  %0 = fxgraph.scatter_add %x, %i, %s dim 0 : (tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @scatter_reduce(%x: tensor<4x3xf32>, %s: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %i = fxgraph.constant dense<[[0, 3, 1], [0, 3, 0]]> : tensor<2x3xi64>
  %0 = fxgraph.scatter_reduce %x, %i, %s dim 0 reduce "amax" include_self false : (tensor<4x3xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @embedding(%w: tensor<10x4xf32>) -> tensor<2x4xf32> {
  %i = fxgraph.constant dense<[9, 0]> : tensor<2xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<10x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @constant() -> tensor<3xf32> {
  %0 = fxgraph.constant dense<[1.0, 2.0, 3.0]> : tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @device_put(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.device_put %x : tensor<2xf32> to tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @copy_(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  %0 = fxgraph.neg %y : tensor<2xf32>
  fxgraph.copy_ %0 into %x : tensor<2xf32>, tensor<2xf32>
  return
}

func.func @assert_tensor_metadata(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  fxgraph.assert_tensor_metadata %x is tensor<2x3xf32> : tensor<2x3xf32>
  %0 = fxgraph.neg %x : tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @inductor_lookup_seed(%x: tensor<3xi64>) -> tensor<i64> {
  %0 = fxgraph.inductor_lookup_seed %x at 2 : (tensor<3xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

func.func @linear_pointwise(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.linear_pointwise %x, %w activation "relu" : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

func.func @convolution_pointwise(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32> {
  %0 = fxgraph.convolution_pointwise %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

func.func @map(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.map (%x) {
  ^bb0(%row: tensor<f32>):
    %1 = fxgraph.neg %row : tensor<f32>
    fxgraph.yield %1 : tensor<f32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scan(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.add %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<5x3xf32>
}

func.func @dequantize_per_channel(%arg0: tensor<3x4xi8>, %arg1: tensor<3xf32>, %arg2: tensor<3xi64>) -> tensor<3x4xf32> {
  %0 = fxgraph.dequantize_per_channel %arg0 scales %arg1 zero_points %arg2 axis 0 range [-128, 127] : (tensor<3x4xi8>, tensor<3xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

func.func @cvt_e8m0_rceil(%arg0: tensor<7x4xf32>) -> tensor<7x4xui8> {
  %0 = fxgraph.cvt_e8m0_rceil %arg0 : (tensor<7x4xf32>) -> tensor<7x4xui8>
  return %0 : tensor<7x4xui8>
}

func.func @weight_int4pack_mm(%arg0: tensor<4x32xf32>, %arg1: tensor<48x16xui8>, %arg2: tensor<1x48x2xf32>) -> tensor<4x48xf32> {
  %0 = fxgraph.weight_int4pack_mm %arg0, %arg1, %arg2 group 32 layout "avx2" : (tensor<4x32xf32>, tensor<48x16xui8>, tensor<1x48x2xf32>) -> tensor<4x48xf32>
  return %0 : tensor<4x48xf32>
}

func.func @qlinear_pointwise(%q: tensor<2x4xui8>, %w: tensor<3x4xi8>, %s: tensor<3xf32>) -> tensor<2x3xui8> {
  %0 = fxgraph.qlinear_pointwise %q scale 0.1 zero_point 3, %w scales %s activation "relu" {output_scale = 0.2} : (tensor<2x4xui8>, tensor<3x4xi8>, tensor<3xf32>) -> tensor<2x3xui8>
  return %0 : tensor<2x3xui8>
}

func.func @qconv_pointwise(%q: tensor<1x3x8x8xui8>, %w: tensor<4x3x3x3xi8>, %s: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %0 = fxgraph.qconv_pointwise %q scale 0.1 zero_point 3, %w scales %s stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x3x8x8xui8>, tensor<4x3x3x3xi8>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %0 : tensor<1x4x8x8xf32>
}

func.func @invoke_quant(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.invoke_quant(%x, %y) scheme "nf4" {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @scaled_mm(%x: tensor<2x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) -> tensor<2x5xf32> {
  %0 = fxgraph.scaled_mm %x, %w scales %s, %s : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @cond(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.relu %a : tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

func.func @while_loop(%x: tensor<i1>, %y: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %0:2 = fxgraph.while_loop (%x, %y) cond {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    fxgraph.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    %1 = fxgraph.logical_and %a, %b : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %2 = fxgraph.logical_not %a : (tensor<i1>) -> tensor<i1>
    fxgraph.yield %1, %2 : tensor<i1>, tensor<i1>
  } : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  return %0#0, %0#1 : tensor<i1>, tensor<i1>
}
