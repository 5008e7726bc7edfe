// Every pointwise op, alone, on all kinds of numbers.
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=2e-6

func.func @unary0(%x: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.tanh %x : tensor<7x4xf32>
  %b0 = fxgraph.tanh %c : tensor<13xf32>
  %a1 = fxgraph.sigmoid %x : tensor<7x4xf32>
  %b1 = fxgraph.sigmoid %c : tensor<13xf32>
  %a2 = fxgraph.silu %x : tensor<7x4xf32>
  %b2 = fxgraph.silu %c : tensor<13xf32>
  %a3 = fxgraph.exp %x : tensor<7x4xf32>
  %b3 = fxgraph.exp %c : tensor<13xf32>
  %a4 = fxgraph.exp2 %x : tensor<7x4xf32>
  %b4 = fxgraph.exp2 %c : tensor<13xf32>
  %a5 = fxgraph.expm1 %x : tensor<7x4xf32>
  %b5 = fxgraph.expm1 %c : tensor<13xf32>
  %a6 = fxgraph.log %x : tensor<7x4xf32>
  %b6 = fxgraph.log %c : tensor<13xf32>
  %a7 = fxgraph.log1p %x : tensor<7x4xf32>
  %b7 = fxgraph.log1p %c : tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @unary1(%x: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.log2 %x : tensor<7x4xf32>
  %b0 = fxgraph.log2 %c : tensor<13xf32>
  %a1 = fxgraph.log10 %x : tensor<7x4xf32>
  %b1 = fxgraph.log10 %c : tensor<13xf32>
  %a2 = fxgraph.sqrt %x : tensor<7x4xf32>
  %b2 = fxgraph.sqrt %c : tensor<13xf32>
  %a3 = fxgraph.rsqrt %x : tensor<7x4xf32>
  %b3 = fxgraph.rsqrt %c : tensor<13xf32>
  %a4 = fxgraph.reciprocal %x : tensor<7x4xf32>
  %b4 = fxgraph.reciprocal %c : tensor<13xf32>
  %a5 = fxgraph.sin %x : tensor<7x4xf32>
  %b5 = fxgraph.sin %c : tensor<13xf32>
  %a6 = fxgraph.cos %x : tensor<7x4xf32>
  %b6 = fxgraph.cos %c : tensor<13xf32>
  %a7 = fxgraph.tan %x : tensor<7x4xf32>
  %b7 = fxgraph.tan %c : tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @unary2(%x: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.asin %x : tensor<7x4xf32>
  %b0 = fxgraph.asin %c : tensor<13xf32>
  %a1 = fxgraph.acos %x : tensor<7x4xf32>
  %b1 = fxgraph.acos %c : tensor<13xf32>
  %a2 = fxgraph.atan %x : tensor<7x4xf32>
  %b2 = fxgraph.atan %c : tensor<13xf32>
  %a3 = fxgraph.sinh %x : tensor<7x4xf32>
  %b3 = fxgraph.sinh %c : tensor<13xf32>
  %a4 = fxgraph.cosh %x : tensor<7x4xf32>
  %b4 = fxgraph.cosh %c : tensor<13xf32>
  %a5 = fxgraph.erf %x : tensor<7x4xf32>
  %b5 = fxgraph.erf %c : tensor<13xf32>
  %a6 = fxgraph.log_sigmoid %x : tensor<7x4xf32>
  %b6 = fxgraph.log_sigmoid %c : tensor<13xf32>
  %a7 = fxgraph.gelu %x : tensor<7x4xf32>
  %b7 = fxgraph.gelu %c : tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @unary3(%x: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.softplus %x : tensor<7x4xf32>
  %b0 = fxgraph.softplus %c : tensor<13xf32>
  %a1 = fxgraph.elu %x : tensor<7x4xf32>
  %b1 = fxgraph.elu %c : tensor<13xf32>
  %a2 = fxgraph.leaky_relu %x slope 1.0e-02 : tensor<7x4xf32>
  %b2 = fxgraph.leaky_relu %c slope 1.0e-02 : tensor<13xf32>
  %a3 = fxgraph.hardsigmoid %x : tensor<7x4xf32>
  %b3 = fxgraph.hardsigmoid %c : tensor<13xf32>
  %a4 = fxgraph.hardswish %x : tensor<7x4xf32>
  %b4 = fxgraph.hardswish %c : tensor<13xf32>
  %a5 = fxgraph.mish %x : tensor<7x4xf32>
  %b5 = fxgraph.mish %c : tensor<13xf32>
  %a6 = fxgraph.relu %x : tensor<7x4xf32>
  %b6 = fxgraph.relu %c : tensor<13xf32>
  %a7 = fxgraph.neg %x : tensor<7x4xf32>
  %b7 = fxgraph.neg %c : tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %b0, %b1, %b2, %b3, %b4, %b5, %b6, %b7 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @unary4(%x: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.abs %x : tensor<7x4xf32>
  %b0 = fxgraph.abs %c : tensor<13xf32>
  %a1 = fxgraph.sign %x : tensor<7x4xf32>
  %b1 = fxgraph.sign %c : tensor<13xf32>
  %a2 = fxgraph.ceil %x : tensor<7x4xf32>
  %b2 = fxgraph.ceil %c : tensor<13xf32>
  %a3 = fxgraph.floor %x : tensor<7x4xf32>
  %b3 = fxgraph.floor %c : tensor<13xf32>
  %a4 = fxgraph.round %x : tensor<7x4xf32>
  %b4 = fxgraph.round %c : tensor<13xf32>
  %a5 = fxgraph.trunc %x : tensor<7x4xf32>
  %b5 = fxgraph.trunc %c : tensor<13xf32>
  %a6 = fxgraph.nan_to_num %x : tensor<7x4xf32>
  %b6 = fxgraph.nan_to_num %c : tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %b0, %b1, %b2, %b3, %b4, %b5, %b6 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @unary5(%x: tensor<7x4xf32>, %q: tensor<7x4xi8>) -> (tensor<7x4xf32>, tensor<13xf32>, tensor<7x4xi8>, tensor<10xui8>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xui8>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[0.0, 0.25, 0.75, 1.5, -2.5, 0.5, -0.5, 3.0, 1000.0, -1000.0]> : tensor<10xf32>
  %a0 = fxgraph.relu_nan_to_num %x : tensor<7x4xf32>
  %b0 = fxgraph.relu_nan_to_num %c nan 2.0 posinf 3.0 : tensor<13xf32>
  %a1 = fxgraph.quantize_per_tensor %x scale 0.01 zero_point 3 range [-128, 127] : (tensor<7x4xf32>) -> tensor<7x4xi8>
  %b1 = fxgraph.quantize_per_tensor %d scale 0.5 zero_point 128 range [0, 255] : (tensor<10xf32>) -> tensor<10xui8>
  %a2 = fxgraph.dequantize_per_tensor %q scale 0.37 zero_point -3 range [-128, 127] : (tensor<7x4xi8>) -> tensor<7x4xf32>
  %s = fxgraph.constant dense<[0.5, 0.25, 2.0, 0.125]> : tensor<4xf32>
  %a3 = fxgraph.dequantize_per_channel %q scales %s axis 1 range [-128, 127] : (tensor<7x4xi8>, tensor<4xf32>) -> tensor<7x4xf32>
  %b3 = fxgraph.cvt_e8m0_rceil %c : (tensor<13xf32>) -> tensor<13xui8>
  return %a0, %b0, %a1, %b1, %a2, %a3, %b3 : tensor<7x4xf32>, tensor<13xf32>, tensor<7x4xi8>, tensor<10xui8>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xui8>
}

func.func @binary0(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[1.0, 2.0, 0x7F800000, 3.0, -0.0, 0x7FC00000, 2.0, -2.0, 0.5, -3.0, 0.0, 2.0, 0xFF800000]> : tensor<13xf32>
  %a0 = fxgraph.add %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b0 = fxgraph.add %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a1 = fxgraph.sub %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b1 = fxgraph.sub %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a2 = fxgraph.mul %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b2 = fxgraph.mul %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a3 = fxgraph.div %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b3 = fxgraph.div %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a4 = fxgraph.pow %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b4 = fxgraph.pow %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %b0, %b1, %b2, %b3, %b4 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @binary1(%x: tensor<7x4xf32>, %y: tensor<7x4xf32>) -> (tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[1.0, 2.0, 0x7F800000, 3.0, -0.0, 0x7FC00000, 2.0, -2.0, 0.5, -3.0, 0.0, 2.0, 0xFF800000]> : tensor<13xf32>
  %a0 = fxgraph.maximum %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b0 = fxgraph.maximum %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a1 = fxgraph.minimum %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b1 = fxgraph.minimum %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a2 = fxgraph.remainder %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b2 = fxgraph.remainder %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a3 = fxgraph.fmod %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b3 = fxgraph.fmod %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %a4 = fxgraph.atan2 %x, %y : (tensor<7x4xf32>, tensor<7x4xf32>) -> tensor<7x4xf32>
  %b4 = fxgraph.atan2 %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  return %a0, %a1, %a2, %a3, %a4, %b0, %b1, %b2, %b3, %b4 : tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<7x4xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

func.func @compares() -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[1.0, 2.0, 0x7F800000, 3.0, -0.0, 0x7FC00000, 2.0, -2.0, 0.5, -3.0, 0.0, 2.0, 0xFF800000]> : tensor<13xf32>
  %a0 = fxgraph.eq %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a1 = fxgraph.ne %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a2 = fxgraph.lt %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a3 = fxgraph.le %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a4 = fxgraph.gt %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a5 = fxgraph.ge %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a6 = fxgraph.logical_and %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a7 = fxgraph.logical_or %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  %a8 = fxgraph.logical_xor %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xi1>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8 : tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
}

func.func @predicates() -> (tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a0 = fxgraph.isnan %c : (tensor<13xf32>) -> tensor<13xi1>
  %a1 = fxgraph.isinf %c : (tensor<13xf32>) -> tensor<13xi1>
  %a2 = fxgraph.isfinite %c : (tensor<13xf32>) -> tensor<13xi1>
  %a3 = fxgraph.logical_not %c : (tensor<13xf32>) -> tensor<13xi1>
  return %a0, %a1, %a2, %a3 : tensor<13xi1>, tensor<13xi1>, tensor<13xi1>, tensor<13xi1>
}

func.func @integers() -> (tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>) {
  %c = fxgraph.constant dense<[7, -7, 7, -7, 0, 1, -1, 9223372036854775807, 12]> : tensor<9xi64>
  %d = fxgraph.constant dense<[3, 3, -3, -3, 5, 2, 7, 2, 3]> : tensor<9xi64>
  %a0 = fxgraph.add %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a1 = fxgraph.sub %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a2 = fxgraph.mul %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a3 = fxgraph.maximum %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a4 = fxgraph.minimum %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a5 = fxgraph.remainder %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a6 = fxgraph.fmod %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a7 = fxgraph.bitwise_and %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a8 = fxgraph.bitwise_or %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %a9 = fxgraph.bitwise_xor %c, %d : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %b0 = fxgraph.neg %c : tensor<9xi64>
  %b1 = fxgraph.abs %c : tensor<9xi64>
  %b2 = fxgraph.sign %c : tensor<9xi64>
  %b3 = fxgraph.bitwise_not %c : tensor<9xi64>
  %b4 = fxgraph.relu %c : tensor<9xi64>
  %e0 = fxgraph.div %c, %d rounding_mode "floor" : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  %e1 = fxgraph.div %c, %d rounding_mode "trunc" : (tensor<9xi64>, tensor<9xi64>) -> tensor<9xi64>
  return %a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, %a8, %a9, %b0, %b1, %b2, %b3, %b4, %e0, %e1 : tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>, tensor<9xi64>
}

func.func @casts(%x: tensor<11xf32>, %i: tensor<11xi32>) -> (tensor<11xi64>, tensor<11xi8>, tensor<11xi1>, tensor<11xf64>, tensor<11xf16>, tensor<11xbf16>, tensor<11xf32>, tensor<11xui8>, tensor<11xf32>) {
  %0 = fxgraph.convert_element_type %x : (tensor<11xf32>) -> tensor<11xi64>
  %1 = fxgraph.convert_element_type %i : (tensor<11xi32>) -> tensor<11xi8>
  %2 = fxgraph.convert_element_type %x : (tensor<11xf32>) -> tensor<11xi1>
  %3 = fxgraph.convert_element_type %x : (tensor<11xf32>) -> tensor<11xf64>
  %4 = fxgraph.convert_element_type %x : (tensor<11xf32>) -> tensor<11xf16>
  %5 = fxgraph.convert_element_type %x : (tensor<11xf32>) -> tensor<11xbf16>
  %6 = fxgraph.convert_element_type %i : (tensor<11xi32>) -> tensor<11xf32>
  %7 = fxgraph.convert_element_type %i : (tensor<11xi32>) -> tensor<11xui8>
  %8 = fxgraph.convert_element_type %5 : (tensor<11xbf16>) -> tensor<11xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<11xi64>, tensor<11xi8>, tensor<11xi1>, tensor<11xf64>, tensor<11xf16>, tensor<11xbf16>, tensor<11xf32>, tensor<11xui8>, tensor<11xf32>
}

func.func @choices(%x: tensor<13xf32>, %i: tensor<9xi64>, %p: tensor<13xi1>) -> (tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<9xi64>, tensor<9xi64>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %k = fxgraph.constant dense<2.5> : tensor<f64>
  %0 = fxgraph.clamp %c min -1.0 max 2.0 : tensor<13xf32>
  %1 = fxgraph.clamp %c min 0.0 : tensor<13xf32>
  %2 = fxgraph.clamp %c max 0.0 : tensor<13xf32>
  %3 = fxgraph.clamp %c min 2.0 max -1.0 : tensor<13xf32>
  %4 = fxgraph.clamp %i min -2.0 max 3.0 : tensor<9xi64>
  %5 = fxgraph.clamp %i min 1.0 : tensor<9xi64>
  %6 = fxgraph.where %p, %c, %x : (tensor<13xi1>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %7 = fxgraph.where %p, %c, %k : (tensor<13xi1>, tensor<13xf32>, tensor<f64>) -> tensor<13xf32>
  %8 = fxgraph.dropout %x p 0.5 training false : tensor<13xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<9xi64>, tensor<9xi64>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>
}

// Formulas of the lowering to linalg: one element of a vector after the other.
func.func @lowered_unary(%x: tensor<7x4xf32>, %h: tensor<5xf16>, %i: tensor<9xi32>, %u: tensor<9xui8>) -> (tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<13xi1>, tensor<9xi1>, tensor<9xi1>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %a00 = fxgraph.asinh %x : tensor<7x4xf32>
  %a01 = fxgraph.asinh %c : tensor<13xf32>
  %a02 = fxgraph.asinh %h : tensor<5xf16>
  %a10 = fxgraph.acosh %x : tensor<7x4xf32>
  %a11 = fxgraph.acosh %c : tensor<13xf32>
  %a12 = fxgraph.acosh %h : tensor<5xf16>
  %a20 = fxgraph.atanh %x : tensor<7x4xf32>
  %a21 = fxgraph.atanh %c : tensor<13xf32>
  %a22 = fxgraph.atanh %h : tensor<5xf16>
  %a30 = fxgraph.erfc %x : tensor<7x4xf32>
  %a31 = fxgraph.erfc %c : tensor<13xf32>
  %a32 = fxgraph.erfc %h : tensor<5xf16>
  %a40 = fxgraph.angle %x : tensor<7x4xf32>
  %a41 = fxgraph.angle %c : tensor<13xf32>
  %a42 = fxgraph.angle %h : tensor<5xf16>
  %s0 = fxgraph.signbit %c : (tensor<13xf32>) -> tensor<13xi1>
  %s1 = fxgraph.signbit %i : (tensor<9xi32>) -> tensor<9xi1>
  %s2 = fxgraph.signbit %u : (tensor<9xui8>) -> tensor<9xi1>
  return %a00, %a01, %a02, %a10, %a11, %a12, %a20, %a21, %a22, %a30, %a31, %a32, %a40, %a41, %a42, %s0, %s1, %s2 : tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<7x4xf32>, tensor<13xf32>, tensor<5xf16>, tensor<13xi1>, tensor<9xi1>, tensor<9xi1>
}

func.func @lowered_binary(%x: tensor<6x8xbf16>, %y: tensor<8xbf16>) -> (tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[0.0, 0x7FC00000, 1.0, 2.0, -0.0, 0x7FC00000, 0xFF800000, -0.5, 0.5, 3.0, -1.0, 1.0, 0.0]> : tensor<13xf32>
  %a0 = fxgraph.fmax %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %b0 = fxgraph.fmax %x, %y : (tensor<6x8xbf16>, tensor<8xbf16>) -> tensor<6x8xbf16>
  %a1 = fxgraph.fmin %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %b1 = fxgraph.fmin %x, %y : (tensor<6x8xbf16>, tensor<8xbf16>) -> tensor<6x8xbf16>
  %a2 = fxgraph.copysign %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %b2 = fxgraph.copysign %x, %y : (tensor<6x8xbf16>, tensor<8xbf16>) -> tensor<6x8xbf16>
  %a3 = fxgraph.nextafter %c, %d : (tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %b3 = fxgraph.nextafter %x, %y : (tensor<6x8xbf16>, tensor<8xbf16>) -> tensor<6x8xbf16>
  return %a0, %b0, %a1, %b1, %a2, %b2, %a3, %b3 : tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>, tensor<13xf32>, tensor<6x8xbf16>
}

// Rounded once: the product of the f32 numbers alone would lose what is left of the sum.
func.func @lowered_fma(%x: tensor<6x8xbf16>, %y: tensor<8xbf16>, %h: tensor<5xf16>, %i: tensor<9xi32>) -> (tensor<13xf32>, tensor<3xf32>, tensor<6x8xbf16>, tensor<5xf16>, tensor<9xi32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[0.0, 0x7FC00000, 1.0, 2.0, -0.0, 0x7FC00000, 0xFF800000, -0.5, 0.5, 3.0, -1.0, 1.0, 0.0]> : tensor<13xf32>
  %k = fxgraph.constant dense<[0x3F800001, 0x3F801000, 0x7F000000]> : tensor<3xf32>
  %l = fxgraph.constant dense<[0xBF800002, 0xBF802000, 0xFF7FFFFF]> : tensor<3xf32>
  %n = fxgraph.constant dense<0.1> : tensor<f64>
  %r0 = fxgraph.fma %c, %d, %c : (tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) -> tensor<13xf32>
  %r1 = fxgraph.fma %k, %k, %l : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %r2 = fxgraph.fma %x, %y, %n : (tensor<6x8xbf16>, tensor<8xbf16>, tensor<f64>) -> tensor<6x8xbf16>
  %r3 = fxgraph.fma %n, %h, %h : (tensor<f64>, tensor<5xf16>, tensor<5xf16>) -> tensor<5xf16>
  %r4 = fxgraph.fma %i, %i, %i : (tensor<9xi32>, tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<13xf32>, tensor<3xf32>, tensor<6x8xbf16>, tensor<5xf16>, tensor<9xi32>
}

func.func @lowered_integers(%i: tensor<9xi32>, %u: tensor<9xui8>, %v: tensor<9xui8>, %l: tensor<4x4xi64>) -> (tensor<9xi32>, tensor<9xui8>, tensor<9xi32>, tensor<9xui8>, tensor<9xi32>, tensor<9xui8>, tensor<4x4xi64>) {
  %d = fxgraph.constant dense<[0, 1, -1, 31, 32, 33, 64, 2, 7]> : tensor<9xi32>
  %z = fxgraph.constant dense<0> : tensor<i64>
  %a0 = fxgraph.bitwise_left_shift %i, %d : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %b0 = fxgraph.bitwise_left_shift %u, %v : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xui8>
  %a1 = fxgraph.bitwise_right_shift %i, %d : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %b1 = fxgraph.bitwise_right_shift %u, %v : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xui8>
  %a2 = fxgraph.gcd %i, %d : (tensor<9xi32>, tensor<9xi32>) -> tensor<9xi32>
  %b2 = fxgraph.gcd %u, %v : (tensor<9xui8>, tensor<9xui8>) -> tensor<9xui8>
  %g = fxgraph.gcd %l, %z : (tensor<4x4xi64>, tensor<i64>) -> tensor<4x4xi64>
  return %a0, %b0, %a1, %b1, %a2, %b2, %g : tensor<9xi32>, tensor<9xui8>, tensor<9xi32>, tensor<9xui8>, tensor<9xi32>, tensor<9xui8>, tensor<4x4xi64>
}

// Beside other ops they are part of the same kernel.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=fused | FileCheck %s --check-prefix=FUSED
// FUSED: gpu.func @k0_add_erfc_mul
// FUSED: math.erfc %{{.*}} : vector<4xf32>
// FUSED: gpu.return
// FUSED-NOT: gpu.func
func.func @fused(%x: tensor<16x16xf32>, %y: tensor<16xf32>) -> tensor<16x16xf32> {
  %0 = fxgraph.add %x, %y : (tensor<16x16xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  %1 = fxgraph.erfc %0 : tensor<16x16xf32>
  %2 = fxgraph.mul %1, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}
