// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of the elementwise ops.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @tanh(
// CHECK: fxgraph.tanh %{{.+}} : tensor<2x3xf32>
func.func @tanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.tanh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @sigmoid(
// CHECK: fxgraph.sigmoid %{{.+}} : tensor<2x3xf32>
func.func @sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sigmoid %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @silu(
// CHECK: fxgraph.silu %{{.+}} : tensor<2x3xf32>
func.func @silu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.silu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @exp(
// CHECK: fxgraph.exp %{{.+}} : tensor<2x3xf32>
func.func @exp(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.exp %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @exp2(
// CHECK: fxgraph.exp2 %{{.+}} : tensor<2x3xf32>
func.func @exp2(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.exp2 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @expm1(
// CHECK: fxgraph.expm1 %{{.+}} : tensor<2x3xf32>
func.func @expm1(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.expm1 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @log(
// CHECK: fxgraph.log %{{.+}} : tensor<2x3xf32>
func.func @log(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.log %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @log1p(
// CHECK: fxgraph.log1p %{{.+}} : tensor<2x3xf32>
func.func @log1p(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.log1p %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @log2(
// CHECK: fxgraph.log2 %{{.+}} : tensor<2x3xf32>
func.func @log2(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.log2 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @log10(
// CHECK: fxgraph.log10 %{{.+}} : tensor<2x3xf32>
func.func @log10(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.log10 %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @sqrt(
// CHECK: fxgraph.sqrt %{{.+}} : tensor<2x3xf32>
func.func @sqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @rsqrt(
// CHECK: fxgraph.rsqrt %{{.+}} : tensor<2x3xf32>
func.func @rsqrt(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.rsqrt %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @reciprocal(
// CHECK: fxgraph.reciprocal %{{.+}} : tensor<2x3xf32>
func.func @reciprocal(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.reciprocal %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @sin(
// CHECK: fxgraph.sin %{{.+}} : tensor<2x3xf32>
func.func @sin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sin %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @cos(
// CHECK: fxgraph.cos %{{.+}} : tensor<2x3xf32>
func.func @cos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.cos %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @tan(
// CHECK: fxgraph.tan %{{.+}} : tensor<2x3xf32>
func.func @tan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.tan %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @asin(
// CHECK: fxgraph.asin %{{.+}} : tensor<2x3xf32>
func.func @asin(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.asin %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @acos(
// CHECK: fxgraph.acos %{{.+}} : tensor<2x3xf32>
func.func @acos(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.acos %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @atan(
// CHECK: fxgraph.atan %{{.+}} : tensor<2x3xf32>
func.func @atan(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.atan %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @sinh(
// CHECK: fxgraph.sinh %{{.+}} : tensor<2x3xf32>
func.func @sinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sinh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @cosh(
// CHECK: fxgraph.cosh %{{.+}} : tensor<2x3xf32>
func.func @cosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.cosh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @erf(
// CHECK: fxgraph.erf %{{.+}} : tensor<2x3xf32>
func.func @erf(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.erf %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @erfc(
// CHECK: fxgraph.erfc %{{.+}} : tensor<2x3xf32>
func.func @erfc(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.erfc %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @angle(
// CHECK: fxgraph.angle %{{.+}} : tensor<2x3xf32>
func.func @angle(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.angle %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @log_sigmoid(
// CHECK: fxgraph.log_sigmoid %{{.+}} : tensor<2x3xf32>
func.func @log_sigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.log_sigmoid %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @hardsigmoid(
// CHECK: fxgraph.hardsigmoid %{{.+}} : tensor<2x3xf32>
func.func @hardsigmoid(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.hardsigmoid %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @hardswish(
// CHECK: fxgraph.hardswish %{{.+}} : tensor<2x3xf32>
func.func @hardswish(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.hardswish %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @mish(
// CHECK: fxgraph.mish %{{.+}} : tensor<2x3xf32>
func.func @mish(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.mish %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @relu(
// CHECK: fxgraph.relu %{{.+}} : tensor<2x3xf32>
func.func @relu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.relu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @neg(
// CHECK: fxgraph.neg %{{.+}} : tensor<2x3xf32>
func.func @neg(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.neg %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @abs(
// CHECK: fxgraph.abs %{{.+}} : tensor<2x3xf32>
func.func @abs(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.abs %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @sign(
// CHECK: fxgraph.sign %{{.+}} : tensor<2x3xf32>
func.func @sign(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sign %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @ceil(
// CHECK: fxgraph.ceil %{{.+}} : tensor<2x3xf32>
func.func @ceil(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.ceil %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @floor(
// CHECK: fxgraph.floor %{{.+}} : tensor<2x3xf32>
func.func @floor(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.floor %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @round(
// CHECK: fxgraph.round %{{.+}} : tensor<2x3xf32>
func.func @round(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.round %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @trunc(
// CHECK: fxgraph.trunc %{{.+}} : tensor<2x3xf32>
func.func @trunc(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.trunc %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @detach(
// CHECK: fxgraph.detach %{{.+}} : tensor<2x3xf32>
func.func @detach(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.detach %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @bitwise_not(
// CHECK: fxgraph.bitwise_not %{{.+}} : tensor<4xi1>
func.func @bitwise_not(%x: tensor<4xi1>) -> tensor<4xi1> {
  %r = fxgraph.bitwise_not %x : tensor<4xi1>
  return %r : tensor<4xi1>
}

// CHECK-LABEL: func @gelu(
// CHECK: fxgraph.gelu %{{.+}} : tensor<2x3xf32>
func.func @gelu(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.gelu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @gelu_tanh(
// CHECK: fxgraph.gelu %{{.+}} approximate "tanh" : tensor<2x3xbf16>
func.func @gelu_tanh(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %r = fxgraph.gelu %x approximate "tanh" : tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}

// CHECK-LABEL: func @softplus(
// CHECK: fxgraph.softplus %{{.+}} beta 2.000000e+00 : tensor<4xf32>
func.func @softplus(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.softplus %x beta 2.000000e+00 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @softplus_both(
// CHECK: fxgraph.softplus %{{.+}} beta 2.000000e+00 threshold 1.000000e+01 : tensor<4xf32>
func.func @softplus_both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.softplus %x beta 2.000000e+00 threshold 1.000000e+01 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @elu(
// CHECK: fxgraph.elu %{{.+}} alpha 1.500000e+00 : tensor<4xf32>
func.func @elu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.elu %x alpha 1.500000e+00 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @elu_all(
// CHECK: fxgraph.elu %{{.+}} alpha 1.500000e+00 scale 2.000000e+00 input_scale 5.000000e-01 : tensor<4xf32>
func.func @elu_all(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.elu %x alpha 1.500000e+00 scale 2.000000e+00 input_scale 5.000000e-01 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @leaky_relu(
// CHECK: fxgraph.leaky_relu %{{.+}} slope 2.000000e-01 : tensor<4xf32>
func.func @leaky_relu(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.leaky_relu %x slope 2.000000e-01 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @clamp(
// CHECK: fxgraph.clamp %{{.+}} min 0.000000e+00 max 6.000000e+00 : tensor<4xf32>
func.func @clamp(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.clamp %x min 0.000000e+00 max 6.000000e+00 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @clamp_min(
// CHECK: fxgraph.clamp %{{.+}} min 0.000000e+00 : tensor<4xi64>
func.func @clamp_min(%x: tensor<4xi64>) -> tensor<4xi64> {
  %r = fxgraph.clamp %x min 0.000000e+00 : tensor<4xi64>
  return %r : tensor<4xi64>
}

// CHECK-LABEL: func @clamp_none(
// CHECK: fxgraph.clamp %{{.+}} : tensor<4xf32>
func.func @clamp_none(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.clamp %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @nan_to_num(
// CHECK: fxgraph.nan_to_num %{{.+}} posinf 1.000000e+00 neginf -1.000000e+00 : tensor<4xf32>
func.func @nan_to_num(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.nan_to_num %x posinf 1.000000e+00 neginf -1.000000e+00 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @nan_to_num_nan(
// CHECK: fxgraph.nan_to_num %{{.+}} nan 2.000000e+00 : tensor<4xf32>
func.func @nan_to_num_nan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.nan_to_num %x nan 2.000000e+00 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @isnan(
// CHECK: fxgraph.isnan %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @isnan(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.isnan %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @isinf(
// CHECK: fxgraph.isinf %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @isinf(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.isinf %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @isfinite(
// CHECK: fxgraph.isfinite %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @isfinite(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.isfinite %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @signbit(
// CHECK: fxgraph.signbit %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @signbit(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.signbit %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @logical_not(
// CHECK: fxgraph.logical_not %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xi1>
func.func @logical_not(%x: tensor<2x3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.logical_not %x : (tensor<2x3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @convert_element_type(
// CHECK: fxgraph.convert_element_type %{{.+}} : (tensor<2x3xf32>) -> tensor<2x3xbf16>
func.func @convert_element_type(%x: tensor<2x3xf32>) -> tensor<2x3xbf16> {
  %r = fxgraph.convert_element_type %x : (tensor<2x3xf32>) -> tensor<2x3xbf16>
  return %r : tensor<2x3xbf16>
}

// CHECK-LABEL: func @convert_element_type_symbol(
// CHECK: fxgraph.convert_element_type %{{.+}} : (tensor<?x3xui8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
func.func @convert_element_type_symbol(%x: tensor<?x3xui8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.convert_element_type %x : (tensor<?x3xui8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @dropout(
// CHECK: fxgraph.dropout %{{.+}} p 1.000000e-01 : tensor<4xf32>
func.func @dropout(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.dropout %x p 1.000000e-01 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @dropout_eval(
// CHECK: fxgraph.dropout %{{.+}} p 5.000000e-01 training false : tensor<4xf32>
func.func @dropout_eval(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fxgraph.dropout %x p 5.000000e-01 training false : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @sub(
// CHECK: fxgraph.sub %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @sub(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.sub %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @mul(
// CHECK: fxgraph.mul %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @mul(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.mul %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @pow(
// CHECK: fxgraph.pow %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @pow(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.pow %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @asinh(
// CHECK: fxgraph.asinh %{{.+}} : tensor<2x3xf32>
func.func @asinh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.asinh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @acosh(
// CHECK: fxgraph.acosh %{{.+}} : tensor<2x3xf32>
func.func @acosh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.acosh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @atanh(
// CHECK: fxgraph.atanh %{{.+}} : tensor<2x3xf32>
func.func @atanh(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.atanh %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @maximum(
// CHECK: fxgraph.maximum %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @maximum(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.maximum %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @minimum(
// CHECK: fxgraph.minimum %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @minimum(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.minimum %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @remainder(
// CHECK: fxgraph.remainder %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @remainder(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.remainder %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @fmod(
// CHECK: fxgraph.fmod %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @fmod(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.fmod %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @fmax(
// CHECK: fxgraph.fmax %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @fmax(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.fmax %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @fmin(
// CHECK: fxgraph.fmin %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @fmin(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.fmin %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @copysign(
// CHECK: fxgraph.copysign %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @copysign(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.copysign %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @atan2(
// CHECK: fxgraph.atan2 %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @atan2(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.atan2 %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @nextafter(
// CHECK: fxgraph.nextafter %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @nextafter(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.nextafter %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @gcd(
// CHECK: fxgraph.gcd %{{.+}}, %{{.+}} : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
func.func @gcd(%x: tensor<2x3xi64>, %y: tensor<3xi64>) -> tensor<2x3xi64> {
  %r = fxgraph.gcd %x, %y : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

// CHECK-LABEL: func @add(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @add(%x: tensor<2x1xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.add %x, %y : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @add_alpha(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} alpha 2.000000e+00 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
func.func @add_alpha(%x: tensor<2x3xi64>, %y: tensor<3xi64>) -> tensor<2x3xi64> {
  %r = fxgraph.add %x, %y alpha 2.000000e+00 : (tensor<2x3xi64>, tensor<3xi64>) -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

// CHECK-LABEL: func @add_wrapped_number(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<2x3xf16>, tensor<f64>) -> tensor<2x3xf16>
func.func @add_wrapped_number(%x: tensor<2x3xf16>, %y: tensor<f64>) -> tensor<2x3xf16> {
  %r = fxgraph.add %x, %y : (tensor<2x3xf16>, tensor<f64>) -> tensor<2x3xf16>
  return %r : tensor<2x3xf16>
}

// CHECK-LABEL: func @add_symbols(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
func.func @add_symbols(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.add %x, %y : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @add_unknown(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<?x?xf32>, tensor<4x1xf32>) -> tensor<4x?xf32>
func.func @add_unknown(%x: tensor<?x?xf32>, %y: tensor<4x1xf32>) -> tensor<4x?xf32> {
  %r = fxgraph.add %x, %y : (tensor<?x?xf32>, tensor<4x1xf32>) -> tensor<4x?xf32>
  return %r : tensor<4x?xf32>
}

// CHECK-LABEL: func @add_device(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<4xf32, #fxgraph.meta<device = "cuda:1">>, tensor<f64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
func.func @add_device(%x: tensor<4xf32, #fxgraph.meta<device = "cuda:1">>, %y: tensor<f64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">> {
  %r = fxgraph.add %x, %y : (tensor<4xf32, #fxgraph.meta<device = "cuda:1">>, tensor<f64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
  return %r : tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
}

// CHECK-LABEL: func @add_empty(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>
func.func @add_empty(%x: tensor<0x3xf32>, %y: tensor<1x3xf32>) -> tensor<0x3xf32> {
  %r = fxgraph.add %x, %y : (tensor<0x3xf32>, tensor<1x3xf32>) -> tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}

// CHECK-LABEL: func @add_same_operand(
// CHECK: fxgraph.add %{{.+}}, %{{.+}} : (tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @add_same_operand(%x: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.add %x, %x : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @sub_alpha(
// CHECK: fxgraph.sub %{{.+}}, %{{.+}} alpha 2.000000e+00 : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
func.func @sub_alpha(%x: tensor<2x3xf32>, %y: tensor<f64>) -> tensor<2x3xf32> {
  %r = fxgraph.sub %x, %y alpha 2.000000e+00 : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @div(
// CHECK: fxgraph.div %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @div(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.div %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @div_floor(
// CHECK: fxgraph.div %{{.+}}, %{{.+}} rounding_mode "floor" : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
func.func @div_floor(%x: tensor<2x3xi64>, %y: tensor<i64>) -> tensor<2x3xi64> {
  %r = fxgraph.div %x, %y rounding_mode "floor" : (tensor<2x3xi64>, tensor<i64>) -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

// CHECK-LABEL: func @eq(
// CHECK: fxgraph.eq %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @eq(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.eq %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @ne(
// CHECK: fxgraph.ne %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @ne(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.ne %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @lt(
// CHECK: fxgraph.lt %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @lt(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.lt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @le(
// CHECK: fxgraph.le %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @le(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.le %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @gt(
// CHECK: fxgraph.gt %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @gt(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.gt %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @ge(
// CHECK: fxgraph.ge %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @ge(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.ge %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @logical_and(
// CHECK: fxgraph.logical_and %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @logical_and(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.logical_and %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @logical_or(
// CHECK: fxgraph.logical_or %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @logical_or(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.logical_or %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @logical_xor(
// CHECK: fxgraph.logical_xor %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
func.func @logical_xor(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> tensor<2x3xi1> {
  %r = fxgraph.logical_xor %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xi1>
  return %r : tensor<2x3xi1>
}

// CHECK-LABEL: func @bitwise_and(
// CHECK: fxgraph.bitwise_and %{{.+}}, %{{.+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
func.func @bitwise_and(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %r = fxgraph.bitwise_and %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func @bitwise_or(
// CHECK: fxgraph.bitwise_or %{{.+}}, %{{.+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
func.func @bitwise_or(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %r = fxgraph.bitwise_or %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func @bitwise_xor(
// CHECK: fxgraph.bitwise_xor %{{.+}}, %{{.+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
func.func @bitwise_xor(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %r = fxgraph.bitwise_xor %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func @bitwise_left_shift(
// CHECK: fxgraph.bitwise_left_shift %{{.+}}, %{{.+}} : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
func.func @bitwise_left_shift(%x: tensor<2x3xi32>, %y: tensor<3xi32>) -> tensor<2x3xi32> {
  %r = fxgraph.bitwise_left_shift %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func @bitwise_right_shift(
// CHECK: fxgraph.bitwise_right_shift %{{.+}}, %{{.+}} : (tensor<2x3xi32>, tensor<i64>) -> tensor<2x3xi32>
func.func @bitwise_right_shift(%x: tensor<2x3xi32>, %n: tensor<i64>) -> tensor<2x3xi32> {
  %r = fxgraph.bitwise_right_shift %x, %n : (tensor<2x3xi32>, tensor<i64>) -> tensor<2x3xi32>
  return %r : tensor<2x3xi32>
}

// CHECK-LABEL: func @where(
// CHECK: fxgraph.where %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x1xi1>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
func.func @where(%c: tensor<2x1xi1>, %x: tensor<3xf32>, %y: tensor<f64>) -> tensor<2x3xf32> {
  %r = fxgraph.where %c, %x, %y : (tensor<2x1xi1>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @fma(
// CHECK: fxgraph.fma %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
func.func @fma(%x: tensor<2x3xf32>, %y: tensor<3xf32>, %z: tensor<f64>) -> tensor<2x3xf32> {
  %r = fxgraph.fma %x, %y, %z : (tensor<2x3xf32>, tensor<3xf32>, tensor<f64>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @relu_nan_to_num(
// CHECK: fxgraph.relu_nan_to_num %{{.+}} nan 2.000000e+00 posinf 1.000000e+00 : tensor<4xbf16>
// CHECK: fxgraph.relu_nan_to_num %{{.+}} : tensor<4xbf16>
func.func @relu_nan_to_num(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  %0 = fxgraph.relu_nan_to_num %x nan 2.000000e+00 posinf 1.000000e+00 : tensor<4xbf16>
  %1 = fxgraph.relu_nan_to_num %0 : tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func @quantize_per_tensor(
// CHECK: fxgraph.quantize_per_tensor %{{.+}} scale 5.000000e-01 zero_point -3 range[-128, 127] : (tensor<?x4xf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>
func.func @quantize_per_tensor(%x: tensor<?x4xf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xi8, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.quantize_per_tensor %x scale 0.5 zero_point -3 range [-128, 127] : (tensor<?x4xf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @dequantize_per_tensor(
// CHECK: fxgraph.dequantize_per_tensor %{{.+}} scale 5.000000e-01 zero_point -3 range[-128, 127] : (tensor<3xi8>) -> tensor<3xbf16>
func.func @dequantize_per_tensor(%x: tensor<3xi8>) -> tensor<3xbf16> {
  %r = fxgraph.dequantize_per_tensor %x scale 0.5 zero_point -3 range [-128, 127] : (tensor<3xi8>) -> tensor<3xbf16>
  return %r : tensor<3xbf16>
}

// CHECK-LABEL: func @dequantize_per_channel(
// CHECK: fxgraph.dequantize_per_channel %{{.+}} scales %{{.+}} zero_points %{{.+}} axis -1 range[-128, 127]
// CHECK: fxgraph.dequantize_per_channel %{{.+}} scales %{{.+}} axis 0 range[-128, 127] : (tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>, tensor<?xf32>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
func.func @dequantize_per_channel(%x: tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>, %s: tensor<4xf32>, %z: tensor<4xi64>, %t: tensor<?xf32>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.dequantize_per_channel %x scales %s zero_points %z axis -1 range [-128, 127] : (tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>, tensor<4xi64>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.dequantize_per_channel %x scales %t axis 0 range [-128, 127] : (tensor<?x4xi8, #fxgraph.meta<dims = [s0]>>, tensor<?xf32>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
  return %1 : tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @cvt_e8m0_rceil(
// CHECK: fxgraph.cvt_e8m0_rceil %{{.+}} : (tensor<?x4xbf16>) -> tensor<?x4xui8>
func.func @cvt_e8m0_rceil(%x: tensor<?x4xbf16>) -> tensor<?x4xui8> {
  %r = fxgraph.cvt_e8m0_rceil %x : (tensor<?x4xbf16>) -> tensor<?x4xui8>
  return %r : tensor<?x4xui8>
}
