// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=2e-6

func.func @softmax(%x: tensor<37x96xf32>) -> tensor<37x96xf32> {
  %0 = fxgraph.softmax %x dim -1 : (tensor<37x96xf32>) -> tensor<37x96xf32>
  return %0 : tensor<37x96xf32>
}

func.func @softmax_odd(%x: tensor<3x131xf32>) -> tensor<3x131xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<3x131xf32>) -> tensor<3x131xf32>
  return %0 : tensor<3x131xf32>
}

func.func @softmax_block(%x: tensor<3x2052xf32>) -> tensor<3x2052xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<3x2052xf32>) -> tensor<3x2052xf32>
  return %0 : tensor<3x2052xf32>
}

func.func @softmax_long(%x: tensor<2x70001xf32>) -> tensor<2x70001xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<2x70001xf32>) -> tensor<2x70001xf32>
  return %0 : tensor<2x70001xf32>
}

func.func @softmax_columns(%x: tensor<5x7x12xf32>) -> tensor<5x7x12xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<5x7x12xf32>) -> tensor<5x7x12xf32>
  return %0 : tensor<5x7x12xf32>
}

func.func @softmax_scaled(%x: tensor<4x3x20xf32>, %m: tensor<3x20xf32>) -> tensor<4x3x20xf32> {
  %c = fxgraph.constant dense<0.125> : tensor<f64>
  %0 = fxgraph.mul %x, %c : (tensor<4x3x20xf32>, tensor<f64>) -> tensor<4x3x20xf32>
  %1 = fxgraph.add %0, %m : (tensor<4x3x20xf32>, tensor<3x20xf32>) -> tensor<4x3x20xf32>
  %2 = fxgraph.softmax %1 dim -1 : (tensor<4x3x20xf32>) -> tensor<4x3x20xf32>
  %3 = fxgraph.neg %2 : tensor<4x3x20xf32>
  return %3 : tensor<4x3x20xf32>
}

func.func @log_softmax(%x: tensor<6x33xf32>) -> tensor<6x33xf32> {
  %0 = fxgraph.log_softmax %x dim 1 : (tensor<6x33xf32>) -> tensor<6x33xf32>
  return %0 : tensor<6x33xf32>
}

func.func @layer_norm(%x: tensor<3x5x64xf32>, %w: tensor<64xf32>, %b: tensor<64xf32>, %r: tensor<3x5x64xf32>) -> (tensor<3x5x64xf32>, tensor<3x5x64xf32>) {
  %s = fxgraph.add %x, %r : (tensor<3x5x64xf32>, tensor<3x5x64xf32>) -> tensor<3x5x64xf32>
  %0 = fxgraph.layer_norm %s weight %w bias %b over [64] eps 1.0e-05 : (tensor<3x5x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<3x5x64xf32>
  %1 = fxgraph.relu %0 : tensor<3x5x64xf32>
  return %1, %s : tensor<3x5x64xf32>, tensor<3x5x64xf32>
}

func.func @layer_norm_two_dims(%x: tensor<4x6x10xf32>, %w: tensor<6x10xf32>) -> tensor<4x6x10xf32> {
  %0 = fxgraph.layer_norm %x weight %w over [6, 10] eps 1.0e-05 : (tensor<4x6x10xf32>, tensor<6x10xf32>) -> tensor<4x6x10xf32>
  return %0 : tensor<4x6x10xf32>
}

func.func @native_layer_norm(%x: tensor<7x24xf32>, %w: tensor<24xf32>, %b: tensor<24xf32>) -> (tensor<7x24xf32>, tensor<7x1xf32>, tensor<7x1xf32>) {
  %0:3 = fxgraph.native_layer_norm %x weight %w bias %b over [24] eps 1.0e-05 : (tensor<7x24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<7x24xf32>, tensor<7x1xf32>, tensor<7x1xf32>)
  return %0#0, %0#1, %0#2 : tensor<7x24xf32>, tensor<7x1xf32>, tensor<7x1xf32>
}

func.func @rms_norm(%x: tensor<7x48xf32>, %w: tensor<48xf32>) -> tensor<7x48xf32> {
  %0 = fxgraph.rms_norm %x weight %w over [48] eps 1.0e-06 : (tensor<7x48xf32>, tensor<48xf32>) -> tensor<7x48xf32>
  return %0 : tensor<7x48xf32>
}

func.func @group_norm(%x: tensor<2x6x5xf32>, %w: tensor<6xf32>, %b: tensor<6xf32>) -> tensor<2x6x5xf32> {
  %0 = fxgraph.group_norm %x weight %w bias %b groups 3 eps 1.0e-05 : (tensor<2x6x5xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6x5xf32>
  %1 = fxgraph.silu %0 : tensor<2x6x5xf32>
  return %1 : tensor<2x6x5xf32>
}

func.func @batch_norm(%x: tensor<3x4x5x2xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<3x4x5x2xf32> {
  %0 = fxgraph.exp %v : tensor<4xf32>
  %1 = fxgraph.batch_norm %x mean %m var %0 weight %w bias %b eps 1.0e-05 : (tensor<3x4x5x2xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<3x4x5x2xf32>
  return %1 : tensor<3x4x5x2xf32>
}

func.func @batch_norm_training(%x: tensor<3x4x5x2xf32>, %w: tensor<4xf32>) -> tensor<3x4x5x2xf32> {
  %0 = fxgraph.batch_norm %x weight %w eps 1.0e-05 training true : (tensor<3x4x5x2xf32>, tensor<4xf32>) -> tensor<3x4x5x2xf32>
  return %0 : tensor<3x4x5x2xf32>
}

func.func @sums(%x: tensor<4x6x10xf32>) -> (tensor<f32>, tensor<4x6xf32>, tensor<6x10xf32>, tensor<4x1x10xf32>) {
  %0 = fxgraph.sum %x : (tensor<4x6x10xf32>) -> tensor<f32>
  %1 = fxgraph.sum %x dims [2] : (tensor<4x6x10xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.mean %x dims [0] : (tensor<4x6x10xf32>) -> tensor<6x10xf32>
  %3 = fxgraph.sum %x dims [1] keepdim true : (tensor<4x6x10xf32>) -> tensor<4x1x10xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<4x6xf32>, tensor<6x10xf32>, tensor<4x1x10xf32>
}

func.func @mean_then_pointwise(%x: tensor<6x40xf32>) -> (tensor<6xf32>, tensor<6x40xf32>) {
  %0 = fxgraph.mean %x dims [1] keepdim true : (tensor<6x40xf32>) -> tensor<6x1xf32>
  %1 = fxgraph.sub %x, %0 : (tensor<6x40xf32>, tensor<6x1xf32>) -> tensor<6x40xf32>
  %2 = fxgraph.mul %1, %1 : (tensor<6x40xf32>, tensor<6x40xf32>) -> tensor<6x40xf32>
  %3 = fxgraph.mean %2 dims [1] : (tensor<6x40xf32>) -> tensor<6xf32>
  return %3, %1 : tensor<6xf32>, tensor<6x40xf32>
}

func.func @extrema(%x: tensor<5x70xf32>, %i: tensor<5x9xi64>) -> (tensor<5xf32>, tensor<70xf32>, tensor<5xi64>, tensor<5xi64>, tensor<i64>) {
  %0 = fxgraph.amax %x dims [1] : (tensor<5x70xf32>) -> tensor<5xf32>
  %1 = fxgraph.amin %x dims [0] : (tensor<5x70xf32>) -> tensor<70xf32>
  %2 = fxgraph.argmax %x dim 1 : (tensor<5x70xf32>) -> tensor<5xi64>
  %3 = fxgraph.amax %i dims [1] : (tensor<5x9xi64>) -> tensor<5xi64>
  %4 = fxgraph.argmin %x : (tensor<5x70xf32>) -> tensor<i64>
  return %0, %1, %2, %3, %4 : tensor<5xf32>, tensor<70xf32>, tensor<5xi64>, tensor<5xi64>, tensor<i64>
}

func.func @max_dim(%x: tensor<4x9x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>) {
  %0:2 = fxgraph.max_dim %x dim 1 : (tensor<4x9x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xi64>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x3xi64>
}

func.func @nan_rows() -> (tensor<2xf32>, tensor<2xi64>, tensor<2x4xf32>) {
  %c = fxgraph.constant dense<[[1.0, 0x7FC00000, 5.0, 0x7FC00000], [0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<2x4xf32>
  %0 = fxgraph.amax %c dims [1] : (tensor<2x4xf32>) -> tensor<2xf32>
  %1 = fxgraph.argmax %c dim 1 : (tensor<2x4xf32>) -> tensor<2xi64>
  %2 = fxgraph.softmax %c dim 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xi64>, tensor<2x4xf32>
}

func.func @integer_sums(%x: tensor<3x50xi32>, %b: tensor<3x50xi1>) -> (tensor<3xi64>, tensor<3xi64>, tensor<3xi1>, tensor<i1>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<3x50xi32>) -> tensor<3xi64>
  %1 = fxgraph.sum %b dims [1] : (tensor<3x50xi1>) -> tensor<3xi64>
  %2 = fxgraph.any %b dims [1] : (tensor<3x50xi1>) -> tensor<3xi1>
  %3 = fxgraph.all %b : (tensor<3x50xi1>) -> tensor<i1>
  return %0, %1, %2, %3 : tensor<3xi64>, tensor<3xi64>, tensor<3xi1>, tensor<i1>
}

// Of ui8 they are ui8, as in PyTorch.
func.func @byte_truth(%b: tensor<3x50xui8>) -> (tensor<3xui8>, tensor<ui8>, tensor<1x50xui8>) {
  %0 = fxgraph.any %b dims [1] : (tensor<3x50xui8>) -> tensor<3xui8>
  %1 = fxgraph.all %b : (tensor<3x50xui8>) -> tensor<ui8>
  %2 = fxgraph.all %b dims [0] keepdim true : (tensor<3x50xui8>) -> tensor<1x50xui8>
  return %0, %1, %2 : tensor<3xui8>, tensor<ui8>, tensor<1x50xui8>
}

func.func @statistics(%x: tensor<6x31xf32>) -> (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) {
  %0 = fxgraph.var %x dims [1] correction 1.0 : (tensor<6x31xf32>) -> tensor<6xf32>
  %1 = fxgraph.logsumexp %x dims [1] : (tensor<6x31xf32>) -> tensor<6xf32>
  %2 = fxgraph.vector_norm %x ord 2.0 dims [1] : (tensor<6x31xf32>) -> tensor<6xf32>
  %3 = fxgraph.vector_norm %x ord 3.0 dims [1] : (tensor<6x31xf32>) -> tensor<6xf32>
  return %0, %1, %2, %3 : tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>
}

func.func @scans(%x: tensor<3x17xf32>, %i: tensor<3x17xi64>) -> (tensor<3x17xf32>, tensor<3x17xi64>, tensor<3x17xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<3x17xf32>) -> tensor<3x17xf32>
  %1 = fxgraph.cumsum %i dim 0 : (tensor<3x17xi64>) -> tensor<3x17xi64>
  %2 = fxgraph.cumprod %x dim -1 : (tensor<3x17xf32>) -> tensor<3x17xf32>
  return %0, %1, %2 : tensor<3x17xf32>, tensor<3x17xi64>, tensor<3x17xf32>
}

func.func @empty_rows(%x: tensor<3x0xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<3x0xf32>) -> tensor<3xf32>
  %1 = fxgraph.mean %x dims [1] : (tensor<3x0xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

func.func @f64_rows(%x: tensor<5x300xf64>) -> (tensor<5x300xf64>, tensor<5xf64>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<5x300xf64>) -> tensor<5x300xf64>
  %1 = fxgraph.amax %x dims [1] : (tensor<5x300xf64>) -> tensor<5xf64>
  return %0, %1 : tensor<5x300xf64>, tensor<5xf64>
}
