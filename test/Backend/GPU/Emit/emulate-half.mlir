// 16-bit floats: stored values are within one rounding of PyTorch's, which rounds
// after every op.
// RUN: fx-run %s --entry=* --inputs=seed:6 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=2e-2

func.func @chain_bf16(%x: tensor<3x1000xbf16>, %a: tensor<3x1000xbf16>, %b: tensor<1000xbf16>) -> tensor<3x1000xbf16> {
  %0 = fxgraph.mul %x, %a : (tensor<3x1000xbf16>, tensor<3x1000xbf16>) -> tensor<3x1000xbf16>
  %1 = fxgraph.add %0, %b : (tensor<3x1000xbf16>, tensor<1000xbf16>) -> tensor<3x1000xbf16>
  %2 = fxgraph.gelu %1 {approximate = "tanh"} : tensor<3x1000xbf16>
  return %2 : tensor<3x1000xbf16>
}

func.func @rows_bf16(%x: tensor<9x520xbf16>, %w: tensor<520xbf16>) -> (tensor<9x520xbf16>, tensor<9x520xbf16>) {
  %0 = fxgraph.softmax %x dim -1 : (tensor<9x520xbf16>) -> tensor<9x520xbf16>
  %1 = fxgraph.layer_norm %x weight %w over [520] eps 1.0e-05 : (tensor<9x520xbf16>, tensor<520xbf16>) -> tensor<9x520xbf16>
  return %0, %1 : tensor<9x520xbf16>, tensor<9x520xbf16>
}

func.func @long_rows_bf16(%x: tensor<2x40000xbf16>) -> tensor<2x40000xbf16> {
  %0 = fxgraph.softmax %x dim -1 : (tensor<2x40000xbf16>) -> tensor<2x40000xbf16>
  return %0 : tensor<2x40000xbf16>
}

func.func @product_bf16(%x: tensor<6x16xbf16>, %w: tensor<8x16xbf16>, %b: tensor<8xbf16>) -> tensor<6x8xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<6x16xbf16>, tensor<8x16xbf16>, tensor<8xbf16>) -> tensor<6x8xbf16>
  %1 = fxgraph.tanh %0 : tensor<6x8xbf16>
  return %1 : tensor<6x8xbf16>
}

func.func @chain_f16(%x: tensor<3x1000xf16>, %a: tensor<3x1000xf16>, %b: tensor<1000xf16>) -> tensor<3x1000xf16> {
  %0 = fxgraph.mul %x, %a : (tensor<3x1000xf16>, tensor<3x1000xf16>) -> tensor<3x1000xf16>
  %1 = fxgraph.add %0, %b : (tensor<3x1000xf16>, tensor<1000xf16>) -> tensor<3x1000xf16>
  %2 = fxgraph.gelu %1 {approximate = "tanh"} : tensor<3x1000xf16>
  return %2 : tensor<3x1000xf16>
}

func.func @rows_f16(%x: tensor<9x520xf16>, %w: tensor<520xf16>) -> (tensor<9x520xf16>, tensor<9x520xf16>) {
  %0 = fxgraph.softmax %x dim -1 : (tensor<9x520xf16>) -> tensor<9x520xf16>
  %1 = fxgraph.layer_norm %x weight %w over [520] eps 1.0e-05 : (tensor<9x520xf16>, tensor<520xf16>) -> tensor<9x520xf16>
  return %0, %1 : tensor<9x520xf16>, tensor<9x520xf16>
}

func.func @long_rows_f16(%x: tensor<2x40000xf16>) -> tensor<2x40000xf16> {
  %0 = fxgraph.softmax %x dim -1 : (tensor<2x40000xf16>) -> tensor<2x40000xf16>
  return %0 : tensor<2x40000xf16>
}

func.func @product_f16(%x: tensor<6x16xf16>, %w: tensor<8x16xf16>, %b: tensor<8xf16>) -> tensor<6x8xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<6x16xf16>, tensor<8x16xf16>, tensor<8xf16>) -> tensor<6x8xf16>
  %1 = fxgraph.tanh %0 : tensor<6x8xf16>
  return %1 : tensor<6x8xf16>
}


// A quotient that rounds to an integer of the dtype is that integer before it is
// truncated: -5.4375 / 1.087890625 = -4.9982 is -5 in f16.
func.func @truncated_quotients() -> (tensor<2xf16>, tensor<2xbf16>) {
  %x = fxgraph.constant dense<[-5.4375, -5.375]> : tensor<2xf16>
  %y = fxgraph.constant dense<1.087890625> : tensor<2xf16>
  %0 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %a = fxgraph.constant dense<[-4.65625, -4.53125]> : tensor<2xbf16>
  %b = fxgraph.constant dense<1.5546875> : tensor<2xbf16>
  %1 = fxgraph.div %a, %b rounding_mode "trunc" : (tensor<2xbf16>, tensor<2xbf16>) -> tensor<2xbf16>
  return %0, %1 : tensor<2xf16>, tensor<2xbf16>
}
