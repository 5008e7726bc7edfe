// Attention that goes the way of PyTorch's math kernels.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s

// CHECK-NOT: fxgraph.scaled_dot_product_attention

// f64 has no matrix instruction here.
func.func @double(%q: tensor<1x1x9x16xf64>, %k: tensor<1x1x12x16xf64>, %v: tensor<1x1x12x16xf64>, %m: tensor<9x12xi1>) -> tensor<1x1x9x16xf64> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x9x16xf64>, tensor<1x1x12x16xf64>, tensor<1x1x12x16xf64>, tensor<9x12xi1>) -> tensor<1x1x9x16xf64>
  return %0 : tensor<1x1x9x16xf64>
}

// Rows of f32 that are no whole fragments, and longer ones than registers have room for.
func.func @single_width_12(%q: tensor<1x2x9x12xf32>, %k: tensor<1x2x12x12xf32>, %v: tensor<1x2x12x12xf32>) -> tensor<1x2x9x12xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x9x12xf32>, tensor<1x2x12x12xf32>, tensor<1x2x12x12xf32>) -> tensor<1x2x9x12xf32>
  return %0 : tensor<1x2x9x12xf32>
}

func.func @single_width_136(%q: tensor<1x1x9x136xf32>, %k: tensor<1x1x12x136xf32>, %v: tensor<1x1x12x136xf32>) -> tensor<1x1x9x136xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x9x136xf32>, tensor<1x1x12x136xf32>, tensor<1x1x12x136xf32>) -> tensor<1x1x9x136xf32>
  return %0 : tensor<1x1x9x136xf32>
}

// Rows that are no whole 16-byte chunks.
func.func @width_12(%q: tensor<1x2x9x12xf16>, %k: tensor<1x2x12x12xf16>, %v: tensor<1x2x12x12xf16>) -> tensor<1x2x9x12xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x9x12xf16>, tensor<1x2x12x12xf16>, tensor<1x2x12x12xf16>) -> tensor<1x2x9x12xf16>
  return %0 : tensor<1x2x9x12xf16>
}

func.func @value_width_12(%q: tensor<1x2x9x16xbf16>, %k: tensor<1x2x12x16xbf16>, %v: tensor<1x2x12x12xbf16>) -> tensor<1x2x9x12xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x9x16xbf16>, tensor<1x2x12x16xbf16>, tensor<1x2x12x12xbf16>) -> tensor<1x2x9x12xbf16>
  return %0 : tensor<1x2x9x12xbf16>
}

func.func @width_264(%q: tensor<1x1x9x264xbf16>, %k: tensor<1x1x12x264xbf16>, %v: tensor<1x1x12x264xbf16>) -> tensor<1x1x9x264xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x9x264xbf16>, tensor<1x1x12x264xbf16>, tensor<1x1x12x264xbf16>) -> tensor<1x1x9x264xbf16>
  return %0 : tensor<1x1x9x264xbf16>
}

// The largest score before scaling is the smallest after it.
func.func @negative_scale(%q: tensor<1x1x9x16xbf16>, %k: tensor<1x1x12x16xbf16>, %v: tensor<1x1x12x16xbf16>) -> tensor<1x1x9x16xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v scale -0.25 : (tensor<1x1x9x16xbf16>, tensor<1x1x12x16xbf16>, tensor<1x1x12x16xbf16>) -> tensor<1x1x9x16xbf16>
  return %0 : tensor<1x1x9x16xbf16>
}
