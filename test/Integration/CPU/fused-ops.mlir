// The ops that only passes make, compiled for the CPU.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5

func.func @linear_transpose(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> (tensor<2x5x3xf32>, tensor<2x5x3xf32>) {
  %0 = fxgraph.linear_transpose %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
  %1 = fxgraph.linear_transpose %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x5x3xf32>
  return %0, %1 : tensor<2x5x3xf32>, tensor<2x5x3xf32>
}

func.func @transpose_linear(%x: tensor<2x4x3xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>) {
  %0 = fxgraph.transpose_linear %x, %w, %b : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.transpose_linear %x, %w : (tensor<2x4x3xf32>, tensor<5x4xf32>) -> tensor<2x3x5xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<2x3x5xf32>
}

func.func @transpose_matmul(%x: tensor<5x3x2xf32>, %y: tensor<5x3x4xf32>, %z: tensor<5x4x2xf32>) -> (tensor<5x2x4xf32>, tensor<5x3x4xf32>) {
  %0 = fxgraph.transpose_matmul %x trans true, %y : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  %1 = fxgraph.transpose_matmul %x, %z trans true : (tensor<5x3x2xf32>, tensor<5x4x2xf32>) -> tensor<5x3x4xf32>
  return %0, %1 : tensor<5x2x4xf32>, tensor<5x3x4xf32>
}

func.func @mm_plus_mm(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x5xf32>, %d: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %0 = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// No element, and a sum of none.
func.func @empty(%x: tensor<0x3x4xf32>, %w: tensor<5x4xf32>, %u: tensor<2x0xf32>, %v: tensor<0x4xf32>) -> (tensor<0x5x3xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.linear_transpose %x, %w : (tensor<0x3x4xf32>, tensor<5x4xf32>) -> tensor<0x5x3xf32>
  %1 = fxgraph.mm_plus_mm %u, %v, %u, %v : (tensor<2x0xf32>, tensor<0x4xf32>, tensor<2x0xf32>, tensor<0x4xf32>) -> tensor<2x4xf32>
  return %0, %1 : tensor<0x5x3xf32>, tensor<2x4xf32>
}
