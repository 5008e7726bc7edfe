// Attention of f32 in one kernel, on (emulated) tensor cores: each number is the sum of two of tf32.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=1e-6 --atol=2e-6
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s

// CHECK-COUNT-30: fxgraph.scaled_dot_product_attention

func.func @plain(%q: tensor<1x2x64x64xf32>, %k: tensor<1x2x64x64xf32>, %v: tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>, tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  return %0 : tensor<1x2x64x64xf32>
}

func.func @edges(%q: tensor<1x2x70x32xf32>, %k: tensor<1x2x100x32xf32>, %v: tensor<1x2x100x32xf32>) -> tensor<1x2x70x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x70x32xf32>, tensor<1x2x100x32xf32>, tensor<1x2x100x32xf32>) -> tensor<1x2x70x32xf32>
  return %0 : tensor<1x2x70x32xf32>
}

func.func @causal(%q: tensor<2x1x130x64xf32>, %k: tensor<2x1x130x64xf32>, %v: tensor<2x1x130x64xf32>) -> tensor<2x1x130x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<2x1x130x64xf32>, tensor<2x1x130x64xf32>, tensor<2x1x130x64xf32>) -> tensor<2x1x130x64xf32>
  return %0 : tensor<2x1x130x64xf32>
}

func.func @causal_fewer_queries(%q: tensor<1x2x29x64xf32>, %k: tensor<1x2x72x64xf32>, %v: tensor<1x2x72x64xf32>) -> tensor<1x2x29x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x29x64xf32>, tensor<1x2x72x64xf32>, tensor<1x2x72x64xf32>) -> tensor<1x2x29x64xf32>
  return %0 : tensor<1x2x29x64xf32>
}

func.func @causal_fewer_keys(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x23x16xf32>, %v: tensor<1x2x23x16xf32>) -> tensor<1x2x40x16xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x40x16xf32>, tensor<1x2x23x16xf32>, tensor<1x2x23x16xf32>) -> tensor<1x2x40x16xf32>
  return %0 : tensor<1x2x40x16xf32>
}

func.func @few_rows(%q: tensor<1x2x9x64xf32>, %k: tensor<1x2x33x64xf32>, %v: tensor<1x2x33x64xf32>) -> tensor<1x2x9x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x9x64xf32>, tensor<1x2x33x64xf32>, tensor<1x2x33x64xf32>) -> tensor<1x2x9x64xf32>
  return %0 : tensor<1x2x9x64xf32>
}

// Blocks share the keys.
func.func @splits(%q: tensor<1x1x3x64xf32>, %k: tensor<1x1x290x64xf32>, %v: tensor<1x1x290x64xf32>) -> tensor<1x1x3x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x3x64xf32>, tensor<1x1x290x64xf32>, tensor<1x1x290x64xf32>) -> tensor<1x1x3x64xf32>
  return %0 : tensor<1x1x3x64xf32>
}

func.func @splits_wide(%q: tensor<1x1x20x128xf32>, %k: tensor<1x1x300x128xf32>, %v: tensor<1x1x300x128xf32>) -> tensor<1x1x20x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x20x128xf32>, tensor<1x1x300x128xf32>, tensor<1x1x300x128xf32>) -> tensor<1x1x20x128xf32>
  return %0 : tensor<1x1x20x128xf32>
}

func.func @splits_causal(%q: tensor<1x1x260x32xf32>, %k: tensor<1x1x260x32xf32>, %v: tensor<1x1x260x32xf32>) -> tensor<1x1x260x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x1x260x32xf32>, tensor<1x1x260x32xf32>, tensor<1x1x260x32xf32>) -> tensor<1x1x260x32xf32>
  return %0 : tensor<1x1x260x32xf32>
}

func.func @width_8(%q: tensor<1x2x17x8xf32>, %k: tensor<1x2x9x8xf32>, %v: tensor<1x2x9x8xf32>) -> tensor<1x2x17x8xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x17x8xf32>, tensor<1x2x9x8xf32>, tensor<1x2x9x8xf32>) -> tensor<1x2x17x8xf32>
  return %0 : tensor<1x2x17x8xf32>
}

// Runs of two and of one matrix of columns.
func.func @width_24(%q: tensor<1x1x33x24xf32>, %k: tensor<1x1x31x24xf32>, %v: tensor<1x1x31x24xf32>) -> tensor<1x1x33x24xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x33x24xf32>, tensor<1x1x31x24xf32>, tensor<1x1x31x24xf32>) -> tensor<1x1x33x24xf32>
  return %0 : tensor<1x1x33x24xf32>
}

func.func @width_80(%q: tensor<1x2x65x80xf32>, %k: tensor<1x2x63x80xf32>, %v: tensor<1x2x63x80xf32>) -> tensor<1x2x65x80xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x65x80xf32>, tensor<1x2x63x80xf32>, tensor<1x2x63x80xf32>) -> tensor<1x2x65x80xf32>
  return %0 : tensor<1x2x65x80xf32>
}

func.func @width_104(%q: tensor<1x1x17x104xf32>, %k: tensor<1x1x70x104xf32>, %v: tensor<1x1x70x104xf32>) -> tensor<1x1x17x104xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x17x104xf32>, tensor<1x1x70x104xf32>, tensor<1x1x70x104xf32>) -> tensor<1x1x17x104xf32>
  return %0 : tensor<1x1x17x104xf32>
}

func.func @width_128(%q: tensor<1x1x40x128xf32>, %k: tensor<1x1x75x128xf32>, %v: tensor<1x1x75x128xf32>) -> tensor<1x1x40x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x40x128xf32>, tensor<1x1x75x128xf32>, tensor<1x1x75x128xf32>) -> tensor<1x1x40x128xf32>
  return %0 : tensor<1x1x40x128xf32>
}

func.func @narrow_values(%q: tensor<1x2x40x64xf32>, %k: tensor<1x2x70x64xf32>, %v: tensor<1x2x70x24xf32>) -> tensor<1x2x40x24xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x40x64xf32>, tensor<1x2x70x64xf32>, tensor<1x2x70x24xf32>) -> tensor<1x2x40x24xf32>
  return %0 : tensor<1x2x40x24xf32>
}

func.func @wide_values(%q: tensor<1x2x40x32xf32>, %k: tensor<1x2x70x32xf32>, %v: tensor<1x2x70x128xf32>) -> tensor<1x2x40x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x40x32xf32>, tensor<1x2x70x32xf32>, tensor<1x2x70x128xf32>) -> tensor<1x2x40x128xf32>
  return %0 : tensor<1x2x40x128xf32>
}

func.func @one_key(%q: tensor<1x2x5x32xf32>, %k: tensor<1x2x1x32xf32>, %v: tensor<1x2x1x32xf32>) -> tensor<1x2x5x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x32xf32>, tensor<1x2x1x32xf32>, tensor<1x2x1x32xf32>) -> tensor<1x2x5x32xf32>
  return %0 : tensor<1x2x5x32xf32>
}

// What many tiles get: warps with one and with two matrices of rows, which share no keys.
func.func @two_matrices(%q: tensor<1x2x130x32xf32>, %k: tensor<1x2x40x32xf32>, %v: tensor<1x2x40x32xf32>) -> tensor<1x2x130x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {row_warps = 4, key_warps = 1, splits = 1, keys = 32, row_tiles = 2}} : (tensor<1x2x130x32xf32>, tensor<1x2x40x32xf32>, tensor<1x2x40x32xf32>) -> tensor<1x2x130x32xf32>
  return %0 : tensor<1x2x130x32xf32>
}

func.func @two_matrices_wide(%q: tensor<1x1x65x64xf32>, %k: tensor<1x1x37x64xf32>, %v: tensor<1x1x37x64xf32>) -> tensor<1x1x65x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true {fxgraph.attention_tiling = {row_warps = 4, key_warps = 1, splits = 1, keys = 32, row_tiles = 2}} : (tensor<1x1x65x64xf32>, tensor<1x1x37x64xf32>, tensor<1x1x37x64xf32>) -> tensor<1x1x65x64xf32>
  return %0 : tensor<1x1x65x64xf32>
}

func.func @one_matrix(%q: tensor<1x2x65x16xf32>, %k: tensor<1x2x67x16xf32>, %v: tensor<1x2x67x16xf32>) -> tensor<1x2x65x16xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {row_warps = 4, key_warps = 1, splits = 1, keys = 64, row_tiles = 1}} : (tensor<1x2x65x16xf32>, tensor<1x2x67x16xf32>, tensor<1x2x67x16xf32>) -> tensor<1x2x65x16xf32>
  return %0 : tensor<1x2x65x16xf32>
}

func.func @one_matrix_wide(%q: tensor<1x1x130x128xf32>, %k: tensor<1x1x34x128xf32>, %v: tensor<1x1x34x128xf32>) -> tensor<1x1x130x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true {fxgraph.attention_tiling = {row_warps = 4, key_warps = 1, splits = 1, keys = 32, row_tiles = 1}} : (tensor<1x1x130x128xf32>, tensor<1x1x34x128xf32>, tensor<1x1x34x128xf32>) -> tensor<1x1x130x128xf32>
  return %0 : tensor<1x1x130x128xf32>
}

func.func @mask_added(%q: tensor<1x2x33x32xf32>, %k: tensor<1x2x50x32xf32>, %v: tensor<1x2x50x32xf32>, %m: tensor<33x50xf32>) -> tensor<1x2x33x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x33x32xf32>, tensor<1x2x50x32xf32>, tensor<1x2x50x32xf32>, tensor<33x50xf32>) -> tensor<1x2x33x32xf32>
  return %0 : tensor<1x2x33x32xf32>
}

func.func @mask_added_odd(%q: tensor<1x2x65x64xf32>, %k: tensor<1x2x67x64xf32>, %v: tensor<1x2x67x64xf32>, %m: tensor<1x2x65x67xf32>) -> tensor<1x2x65x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x65x64xf32>, tensor<1x2x67x64xf32>, tensor<1x2x67x64xf32>, tensor<1x2x65x67xf32>) -> tensor<1x2x65x64xf32>
  return %0 : tensor<1x2x65x64xf32>
}

func.func @mask_of_keys(%q: tensor<2x2x18x32xf32>, %k: tensor<2x2x50x32xf32>, %v: tensor<2x2x50x32xf32>, %m: tensor<2x1x1x50xf32>) -> tensor<2x2x18x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x18x32xf32>, tensor<2x2x50x32xf32>, tensor<2x2x50x32xf32>, tensor<2x1x1x50xf32>) -> tensor<2x2x18x32xf32>
  return %0 : tensor<2x2x18x32xf32>
}

func.func @mask_of_queries(%q: tensor<1x2x18x32xf32>, %k: tensor<1x2x50x32xf32>, %v: tensor<1x2x50x32xf32>, %m: tensor<18x1xf32>) -> tensor<1x2x18x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x18x32xf32>, tensor<1x2x50x32xf32>, tensor<1x2x50x32xf32>, tensor<18x1xf32>) -> tensor<1x2x18x32xf32>
  return %0 : tensor<1x2x18x32xf32>
}

func.func @mask_bool(%q: tensor<1x2x33x128xf32>, %k: tensor<1x2x65x128xf32>, %v: tensor<1x2x65x128xf32>, %m: tensor<33x65xi1>) -> tensor<1x2x33x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x33x128xf32>, tensor<1x2x65x128xf32>, tensor<1x2x65x128xf32>, tensor<33x65xi1>) -> tensor<1x2x33x128xf32>
  return %0 : tensor<1x2x33x128xf32>
}

func.func @mask_and_two_matrices(%q: tensor<1x2x70x32xf32>, %k: tensor<1x2x40x32xf32>, %v: tensor<1x2x40x32xf32>, %m: tensor<70x40xf32>) -> tensor<1x2x70x32xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {row_warps = 4, key_warps = 1, splits = 1, keys = 32, row_tiles = 2}} : (tensor<1x2x70x32xf32>, tensor<1x2x40x32xf32>, tensor<1x2x40x32xf32>, tensor<70x40xf32>) -> tensor<1x2x70x32xf32>
  return %0 : tensor<1x2x70x32xf32>
}

func.func @scale(%q: tensor<1x2x40x16xf32>, %k: tensor<1x2x40x16xf32>, %v: tensor<1x2x40x16xf32>) -> tensor<1x2x40x16xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v scale 2.5 : (tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>, tensor<1x2x40x16xf32>) -> tensor<1x2x40x16xf32>
  return %0 : tensor<1x2x40x16xf32>
}

// Rows that see no key are zeros, beside one that sees the last.
func.func @all_masked(%q: tensor<1x1x3x16xf32>, %k: tensor<1x1x5x16xf32>, %v: tensor<1x1x5x16xf32>) -> tensor<1x1x3x16xf32> {
  %m = fxgraph.constant dense<[[false, false, false, false, false], [false, false, false, false, true], [false, false, false, false, false]]> : tensor<3x5xi1>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x3x16xf32>, tensor<1x1x5x16xf32>, tensor<1x1x5x16xf32>, tensor<3x5xi1>) -> tensor<1x1x3x16xf32>
  return %0 : tensor<1x1x3x16xf32>
}

// Operands that are slices of one tensor: rows at distances that 16 bytes divide, and such that they do not.
func.func @slices(%x: tensor<1x20x52xf32>) -> tensor<1x20x16xf32> {
  %q = fxgraph.slice %x dim 2 from 0 to 16 step 1 : (tensor<1x20x52xf32>) -> tensor<1x20x16xf32>
  %k = fxgraph.slice %x dim 2 from 20 to 36 step 1 : (tensor<1x20x52xf32>) -> tensor<1x20x16xf32>
  %v = fxgraph.slice %x dim 2 from 35 to 51 step 1 : (tensor<1x20x52xf32>) -> tensor<1x20x16xf32>
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x20x16xf32>, tensor<1x20x16xf32>, tensor<1x20x16xf32>) -> tensor<1x20x16xf32>
  return %0 : tensor<1x20x16xf32>
}
