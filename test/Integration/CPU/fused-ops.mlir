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

func.func @embeddings(%x: tensor<2x5x6xf32>, %v: tensor<5x3xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) -> (tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.dot_compress %x, %v : (tensor<2x5x6xf32>, tensor<5x3xf32>) -> tensor<2x5x3xf32>
  %1 = fxgraph.lce %x, %w, %b : (tensor<2x5x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  %2 = fxgraph.lce %x, %w : (tensor<2x5x6xf32>, tensor<4x5xf32>) -> tensor<2x4x6xf32>
  return %0, %1, %2 : tensor<2x5x3xf32>, tensor<2x4x6xf32>, tensor<2x4x6xf32>
}

func.func @dynamic(%x: tensor<?x5x6xf32>, %w: tensor<4x5xf32>, %b: tensor<4xf32>) -> tensor<?x4x6xf32> {
  %0 = fxgraph.lce %x, %w, %b : (tensor<?x5x6xf32>, tensor<4x5xf32>, tensor<4xf32>) -> tensor<?x4x6xf32>
  return %0 : tensor<?x4x6xf32>
}

func.func @empty_embeddings(%x: tensor<2x0x6xf32>, %v: tensor<0x3xf32>, %w: tensor<4x0xf32>, %b: tensor<4xf32>) -> (tensor<2x0x3xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.dot_compress %x, %v : (tensor<2x0x6xf32>, tensor<0x3xf32>) -> tensor<2x0x3xf32>
  %1 = fxgraph.lce %x, %w, %b : (tensor<2x0x6xf32>, tensor<4x0xf32>, tensor<4xf32>) -> tensor<2x4x6xf32>
  return %0, %1 : tensor<2x0x3xf32>, tensor<2x4x6xf32>
}

func.func @special(%y: tensor<7x4xf16>, %q: tensor<7x4xi8>) -> (tensor<13xf32>, tensor<7x4xf16>, tensor<10xui8>, tensor<7x4xi8>, tensor<7x4xf32>) {
  %c = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, -0.0, 0.0, 1.5, -2.5, 0.5, -0.5, 3.0, 1.0, -1.0, 100.0]> : tensor<13xf32>
  %d = fxgraph.constant dense<[0.0, 0.25, 0.75, 1.5, -2.5, 0.5, -0.5, 3.0, 1000.0, -1000.0]> : tensor<10xf32>
  %0 = fxgraph.relu_nan_to_num %c nan 2.0 posinf 3.0 : tensor<13xf32>
  %1 = fxgraph.relu_nan_to_num %y : tensor<7x4xf16>
  %2 = fxgraph.quantize_per_tensor %d scale 0.5 zero_point 128 range [0, 255] : (tensor<10xf32>) -> tensor<10xui8>
  %3 = fxgraph.quantize_per_tensor %y scale 0.01 zero_point 3 range [-128, 127] : (tensor<7x4xf16>) -> tensor<7x4xi8>
  %4 = fxgraph.dequantize_per_tensor %q scale 0.37 zero_point -3 range [-128, 127] : (tensor<7x4xi8>) -> tensor<7x4xf32>
  return %0, %1, %2, %3, %4 : tensor<13xf32>, tensor<7x4xf16>, tensor<10xui8>, tensor<7x4xi8>, tensor<7x4xf32>
}
