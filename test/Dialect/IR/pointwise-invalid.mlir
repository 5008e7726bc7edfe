// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the elementwise ops.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @broadcast_c1_extents(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected shapes that broadcast but got extents 3 and 2 in dimension 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_c1_where(%c: tensor<4xi1>, %x: tensor<3xf32>, %y: tensor<f32>) {
  // expected-error @+2 {{expected shapes that broadcast but got extents 4 and 3 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.where %c, %x, %y : (tensor<4xi1>, tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return
}

// -----

func.func @broadcast_c2_floats(%x: tensor<2xf32>, %y: tensor<2xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32', 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<2xf32>, tensor<2xbf16>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c2_rank0_of_other_dtype(%x: tensor<2xf32>, %y: tensor<bf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32', 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<2xf32>, tensor<bf16>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c2_float_number_beside_integers(%x: tensor<2xi32>, %y: tensor<f64>) {
  // expected-error @+2 {{expected operands of one element type but got 'i32', 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<2xi32>, tensor<f64>) -> tensor<2xi32>
  return
}

// -----

func.func @broadcast_c2_compare(%x: tensor<2xi32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected operands of one element type but got 'i32', 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lt %x, %y : (tensor<2xi32>, tensor<2xf32>) -> tensor<2xi1>
  return
}

// -----

func.func @broadcast_c2_where(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xi64>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32', 'i64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.where %c, %x, %y : (tensor<2xi1>, tensor<2xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c2_fma(%x: tensor<2xf32>, %y: tensor<2xf16>, %z: tensor<f64>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32', 'f16', 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.fma %x, %y, %z : (tensor<2xf32>, tensor<2xf16>, tensor<f64>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c1_fma(%x: tensor<2xf32>, %z: tensor<3xf32>) {
  // expected-error @+2 {{expected shapes that broadcast}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.fma %x, %x, %z : (tensor<2xf32>, tensor<2xf32>, tensor<3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @broadcast_c3_devices(%x: tensor<2xf32, #fxgraph.meta<device = "cuda:0">>, %y: tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected operands on one device but got cuda:0 and cuda:1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.sub %x, %y : (tensor<2xf32, #fxgraph.meta<device = "cuda:0">>, tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<2xf32, #fxgraph.meta<device = "cuda:0">>
  return
}

// -----

func.func @broadcast_c3_host_tensor(%x: tensor<2xf32, #fxgraph.meta<device = "cuda:0">>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected operands on one device but got cuda:0 and the module's}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.sub %x, %y : (tensor<2xf32, #fxgraph.meta<device = "cuda:0">>, tensor<2xf32>) -> tensor<2xf32, #fxgraph.meta<device = "cuda:0">>
  return
}

// -----

func.func @div_c1_mode(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @+1 {{expected rounding_mode "trunc" or "floor" but got "ceil"}}
  %r = fxgraph.div %x, %y rounding_mode "ceil" : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @div_c2_integers(%x: tensor<2xi32>, %y: tensor<2xi32>) {
  // expected-error @+1 {{expected a floating-point result without rounding_mode but got 'i32'}}
  %r = fxgraph.div %x, %y : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return
}

// -----

func.func @convert_element_type_c1_shape(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<3xbf16>' from 'tensor<2xf32>'}}
  %r = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<3xbf16>
  return
}

// -----

func.func @convert_element_type_c1_symbol(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<?xbf16, #fxgraph.meta<dims = [s1]>>' from 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>'}}
  %r = fxgraph.convert_element_type %x : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xbf16, #fxgraph.meta<dims = [s1]>>
  return
}

// -----

func.func @convert_element_type_c1_device(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<2xbf16, #fxgraph.meta<device = "cuda:0">>' from 'tensor<2xf32>'}}
  %r = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<2xbf16, #fxgraph.meta<device = "cuda:0">>
  return
}

// -----

func.func @result_type_extent(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @result_type_dtype(%x: tensor<2x3xi32>, %y: tensor<3xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xi1>' are incompatible with return type(s) of operation 'tensor<2x3xi1, #fxgraph.meta<device = "cuda:1">>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.eq %x, %y : (tensor<2x3xi32>, tensor<3xi32>) -> tensor<2x3xi1, #fxgraph.meta<device = "cuda:1">>
  return
}

// -----

func.func @same_type_unary(%x: tensor<2xf32>) {
  // expected-error @+1 {{attribute 'approximate' failed to satisfy constraint: string attribute "none" or "tanh"}}
  %r = fxgraph.gelu %x approximate "erf" : tensor<2xf32>
  return
}

// -----

func.func @float_unary_integer(%x: tensor<2xi32>) {
  // expected-error @+1 {{operand #0 must be floating-point tensor of floating-point values, but got 'tensor<2xi32>'}}
  %r = fxgraph.tanh %x : tensor<2xi32>
  return
}

// -----

func.func @quantization_c1_quantize(%x: tensor<2x3xf32>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<3x2xi8>' from 'tensor<2x3xf32>'}}
  %r = fxgraph.quantize_per_tensor %x scale 0.5 zero_point 0 range [-128, 127] : (tensor<2x3xf32>) -> tensor<3x2xi8>
  return
}

// -----

func.func @quantization_c1_dequantize(%x: tensor<?xi8, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<?xf32>' from}}
  %r = fxgraph.dequantize_per_tensor %x scale 0.5 zero_point 0 range [-128, 127] : (tensor<?xi8, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32>
  return
}

// -----

func.func @quantization_c2_quantize(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a range within [-128, 127] of 'i8' but got [-128, 128]}}
  %r = fxgraph.quantize_per_tensor %x scale 0.5 zero_point 0 range [-128, 128] : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @quantization_c2_dequantize(%x: tensor<2xui8>) {
  // expected-error @+1 {{expected a range within [0, 255] of 'ui8' but got [-1, 255]}}
  %r = fxgraph.dequantize_per_tensor %x scale 0.5 zero_point 0 range [-1, 255] : (tensor<2xui8>) -> tensor<2xf32>
  return
}

// -----

func.func @quantize_c1_zero(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected scale != 0 but got 0}}
  %r = fxgraph.quantize_per_tensor %x scale 0.0 zero_point 0 range [-128, 127] : (tensor<2xf32>) -> tensor<2xi8>
  return
}

// -----

func.func @quantization_c1_channel(%x: tensor<2x3xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected the result to have the input's shape but got 'tensor<3x2xf32>' from 'tensor<2x3xi8>'}}
  %r = fxgraph.dequantize_per_channel %x scales %s axis 0 range [-128, 127] : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @quantization_c2_channel(%x: tensor<2x3xui8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected a range within [0, 255]}}
  %r = fxgraph.dequantize_per_channel %x scales %s axis 0 range [-1, 255] : (tensor<2x3xui8>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_per_channel_c1(%x: tensor<2x3xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected axis}}
  %r = fxgraph.dequantize_per_channel %x scales %s axis 2 range [-128, 127] : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_per_channel_c2(%x: tensor<2x3xi8>, %s: tensor<2xf32>) {
  // expected-error @+1 {{expected scales}}
  %r = fxgraph.dequantize_per_channel %x scales %s axis 1 range [-128, 127] : (tensor<2x3xi8>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dequantize_per_channel_c2_zero_points(%x: tensor<2x3xi8>, %s: tensor<2xf32>, %z: tensor<3xi64>) {
  // expected-error @+1 {{expected zero_points}}
  %r = fxgraph.dequantize_per_channel %x scales %s zero_points %z axis 0 range [-128, 127] : (tensor<2x3xi8>, tensor<2xf32>, tensor<3xi64>) -> tensor<2x3xf32>
  return
}
