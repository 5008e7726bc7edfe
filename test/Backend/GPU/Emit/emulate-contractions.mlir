// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --target-option=libraries=cublaslt --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-5 --atol=1e-5

func.func @linear(%x: tensor<3x5x12xf32>, %w: tensor<9x12xf32>, %b: tensor<9xf32>) -> tensor<3x5x9xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<3x5x12xf32>, tensor<9x12xf32>, tensor<9xf32>) -> tensor<3x5x9xf32>
  %1 = fxgraph.relu %0 : tensor<3x5x9xf32>
  return %1 : tensor<3x5x9xf32>
}

func.func @linear_slices(%x: tensor<6x24xf32>, %v: tensor<8x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>) -> tensor<6x16xf32> {
  %p:3 = fxgraph.split %x size 8 dim 1 : (tensor<6x24xf32>) -> (tensor<6x8xf32>, tensor<6x8xf32>, tensor<6x8xf32>)
  %0 = fxgraph.linear %p#0, %v, %b : (tensor<6x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<6x8xf32>
  %1 = fxgraph.linear %p#2, %w : (tensor<6x8xf32>, tensor<8x8xf32>) -> tensor<6x8xf32>
  %2 = fxgraph.tanh %1 : tensor<6x8xf32>
  %3 = fxgraph.cat %0, %2 dim 1 : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x16xf32>
  return %3 : tensor<6x16xf32>
}

func.func @matmuls(%a: tensor<2x3x4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<3x5x2xf32>, %v: tensor<5xf32>) -> (tensor<2x3x4x6xf32>, tensor<2x3x4x2xf32>, tensor<2x3x4xf32>, tensor<f32>) {
  %0 = fxgraph.matmul %a, %b : (tensor<2x3x4x5xf32>, tensor<5x6xf32>) -> tensor<2x3x4x6xf32>
  %1 = fxgraph.matmul %a, %c : (tensor<2x3x4x5xf32>, tensor<3x5x2xf32>) -> tensor<2x3x4x2xf32>
  %2 = fxgraph.matmul %a, %v : (tensor<2x3x4x5xf32>, tensor<5xf32>) -> tensor<2x3x4xf32>
  %3 = fxgraph.matmul %v, %v : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  return %0, %1, %2, %3 : tensor<2x3x4x6xf32>, tensor<2x3x4x2xf32>, tensor<2x3x4xf32>, tensor<f32>
}

func.func @addmms(%a: tensor<4x6xf32>, %b: tensor<6x8xf32>, %r: tensor<8xf32>, %f: tensor<4x8xf32>, %c: tensor<4x1xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.addmm %r, %a, %b alpha 0.5 : (tensor<8xf32>, tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %1 = fxgraph.addmm %f, %a, %b beta 2.0 : (tensor<4x8xf32>, tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %2 = fxgraph.addmm %c, %a, %b : (tensor<4x1xf32>, tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  %3 = fxgraph.addmm %r, %a, %b beta 3.0 : (tensor<8xf32>, tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %0, %1, %2, %3 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

func.func @baddbmms(%a: tensor<3x4x6xf32>, %b: tensor<3x6x8xf32>, %r: tensor<3x1x8xf32>, %f: tensor<3x4x8xf32>) -> (tensor<3x4x8xf32>, tensor<3x4x8xf32>) {
  %0 = fxgraph.baddbmm %r, %a, %b : (tensor<3x1x8xf32>, tensor<3x4x6xf32>, tensor<3x6x8xf32>) -> tensor<3x4x8xf32>
  %1 = fxgraph.tanh %0 : tensor<3x4x8xf32>
  %2 = fxgraph.baddbmm %f, %a, %b beta 0.5 : (tensor<3x4x8xf32>, tensor<3x4x6xf32>, tensor<3x6x8xf32>) -> tensor<3x4x8xf32>
  return %1, %2 : tensor<3x4x8xf32>, tensor<3x4x8xf32>
}

func.func @transposed_operands(%a: tensor<6x4xf32>, %b: tensor<8x6xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.transpose %a dims 0, 1 : (tensor<6x4xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.transpose %b dims 0, 1 : (tensor<8x6xf32>) -> tensor<6x8xf32>
  %2 = fxgraph.mm %0, %1 : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

func.func @integer_mm(%a: tensor<4x6xi64>, %b: tensor<6x8xi64>) -> tensor<4x8xi64> {
  %0 = fxgraph.mm %a, %b : (tensor<4x6xi64>, tensor<6x8xi64>) -> tensor<4x8xi64>
  return %0 : tensor<4x8xi64>
}

func.func @empty_product(%a: tensor<4x0xf32>, %b: tensor<0x8xf32>, %r: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<4x0xf32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  %1 = fxgraph.addmm %r, %a, %b : (tensor<8xf32>, tensor<4x0xf32>, tensor<0x8xf32>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

func.func @attention(%q: tensor<2x3x7x8xf32>, %k: tensor<2x3x7x8xf32>, %v: tensor<2x3x7x8xf32>, %m: tensor<7x7xi1>) -> (tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {is_causal = true} : (tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>) -> tensor<2x3x7x8xf32>
  %1 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>, tensor<7x7xi1>) -> tensor<2x3x7x8xf32>
  return %0, %1 : tensor<2x3x7x8xf32>, tensor<2x3x7x8xf32>
}

func.func @fused_forms(%x: tensor<2x5x6xf32>, %w: tensor<4x6xf32>, %b: tensor<4xf32>, %y: tensor<5x6xf32>, %z: tensor<6x4xf32>) -> (tensor<2x4x5xf32>, tensor<5x4xf32>) {
  %0 = fxgraph.linear_transpose %x, %w, %b : (tensor<2x5x6xf32>, tensor<4x6xf32>, tensor<4xf32>) -> tensor<2x4x5xf32>
  %1 = fxgraph.mm_plus_mm %y, %z, %y, %z : (tensor<5x6xf32>, tensor<6x4xf32>, tensor<5x6xf32>, tensor<6x4xf32>) -> tensor<5x4xf32>
  return %0, %1 : tensor<2x4x5xf32>, tensor<5x4xf32>
}

func.func @embeddings(%x: tensor<2x5x6xf32>, %v: tensor<5x3xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) -> (tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.dot_compress %x, %v : (tensor<2x5x6xf32>, tensor<5x3xf32>) -> tensor<2x5x3xf32>
  %1 = fxgraph.lce %x, %w, %b : (tensor<2x5x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.lce %x, %w : (tensor<2x5x6xf32>, tensor<4x5xf32>) -> tensor<2x4x6xf32>
  return %0, %1, %2 : tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

func.func @conv2d(%x: tensor<2x4x9x9xf32>, %w: tensor<6x4x3x3xf32>, %b: tensor<6xf32>) -> tensor<2x6x5x5xf32> {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x4x9x9xf32>, tensor<6x4x3x3xf32>, tensor<6xf32>) -> tensor<2x6x5x5xf32>
  %1 = fxgraph.relu %0 : tensor<2x6x5x5xf32>
  return %1 : tensor<2x6x5x5xf32>
}

func.func @conv_groups(%x: tensor<1x4x8x6xf32>, %w: tensor<6x2x3x1xf32>) -> tensor<1x6x4x6xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [2, 1] groups 2 : (tensor<1x4x8x6xf32>, tensor<6x2x3x1xf32>) -> tensor<1x6x4x6xf32>
  return %0 : tensor<1x6x4x6xf32>
}

func.func @conv1d_transposed(%x: tensor<2x3x5xf32>, %w: tensor<3x4x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x10xf32> {
  %0 = fxgraph.convolution %x, %w, %b stride [2] padding [1] dilation [1] transposed true output_padding [1] : (tensor<2x3x5xf32>, tensor<3x4x3xf32>, tensor<4xf32>) -> tensor<2x4x10xf32>
  return %0 : tensor<2x4x10xf32>
}

func.func @pools(%x: tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x3x3xf32>, tensor<2x3x1x1xf32>) {
  %0 = fxgraph.max_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  %1 = fxgraph.avg_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  %2 = fxgraph.adaptive_avg_pool2d %x to [3, 3] : (tensor<2x3x8x8xf32>) -> tensor<2x3x3x3xf32>
  %3 = fxgraph.adaptive_avg_pool2d %x to [1, 1] : (tensor<2x3x8x8xf32>) -> tensor<2x3x1x1xf32>
  return %0, %1, %2, %3 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3x3x3xf32>, tensor<2x3x1x1xf32>
}

// The divisor may be negative; count_include_pad does not matter then.
func.func @pools_with_divisor(%x: tensor<2x3x8x8xf32>) -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>) {
  %0 = fxgraph.avg_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] divisor 5 : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  %1 = fxgraph.avg_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false divisor -2 : (tensor<2x3x8x8xf32>) -> tensor<2x3x4x4xf32>
  return %0, %1 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>
}

func.func @addmm_activation(%x: tensor<5xf32>, %y: tensor<3x4xf32>, %z: tensor<4x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %0 = fxgraph.addmm_activation %x, %y, %z beta 0.5 alpha 2.0 : (tensor<5xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  %1 = fxgraph.addmm_activation %x, %y, %z use_gelu true approximate "tanh" : (tensor<5xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

func.func @grouped_mm(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>, %v: tensor<3x6xf32>, %w: tensor<5x2xf32>, %b: tensor<6xf32>, %c: tensor<2xf32>) -> (tensor<2x6xf32>, tensor<4x2xf32>) {
  %0:2 = fxgraph.grouped_mm (%x, %y) x (%v, %w) + (%b, %c) : (tensor<2x3xf32>, tensor<4x5xf32>, tensor<3x6xf32>, tensor<5x2xf32>, tensor<6xf32>, tensor<2xf32>) -> (tensor<2x6xf32>, tensor<4x2xf32>)
  return %0#0, %0#1 : tensor<2x6xf32>, tensor<4x2xf32>
}

func.func @b2b_gemm(%a: tensor<8x4xf32>, %b: tensor<4x6xf32>, %c: tensor<6x2xf32>) -> tensor<8x2xf32> {
  %0 = fxgraph.b2b_gemm %a, %b, %c left true {
  ^bb0(%x: tensor<8x6xf32>):
    %n = fxgraph.constant dense<2.5> : tensor<f64>
    %y = fxgraph.mul %x, %n : (tensor<8x6xf32>, tensor<f64>) -> tensor<8x6xf32>
    %z = fxgraph.tanh %y : tensor<8x6xf32>
    fxgraph.yield %z : tensor<8x6xf32>
  } : (tensor<8x4xf32>, tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}
