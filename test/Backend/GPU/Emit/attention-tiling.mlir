// How attention is divided is data: kernels carry it, and an attribute of the op decides it.
// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-to-gpu | FileCheck %s

// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: fxgraph.attention_tiling = {blocks = 0 : i64, copy_warps = 0 : i64, key_warps = 1 : i64, keys = 64 : i64, row_tiles = 1 : i64, row_warps = 4 : i64, splits = 1 : i64, warpgroups = true}
func.func @chosen(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}

// -----

// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: keys = 128 : i64, row_tiles = 1 : i64, row_warps = 8 : i64, splits = 1 : i64, warpgroups = true}
func.func @given(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {row_warps = 8, keys = 128}} : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}

// -----

// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: row_warps = 2 : i64, splits = 3 : i64, warpgroups = false}
// CHECK: gpu.func @k0_scaled_dot_product_attention_join
func.func @split(%q: tensor<1x2x20x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x20x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {keys = 64, splits = 3}} : (tensor<1x2x20x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x20x64xbf16>
  return %0 : tensor<1x2x20x64xbf16>
}

// -----

func.func @impossible(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  // expected-error @+1 {{expected a tiling that a kernel of attention has but got {blocks = 0 : i64, copy_warps = 0 : i64, key_warps = 1 : i64, keys = 48 : i64}}
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {keys = 48}} : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}

// -----

// Enough tiles of rows of 128 elements: two groups take turns, fed by warps of their own, and blocks walk over the tiles.
// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: fxgraph.attention_tiling = {blocks = 132 : i64, copy_warps = 4 : i64, key_warps = 1 : i64, keys = 128 : i64, row_tiles = 1 : i64, row_warps = 8 : i64, splits = 1 : i64, warpgroups = true}
// CHECK-SAME: known_grid_size = array<i32: 132, 1, 1>
func.func @wide(%q: tensor<4x16x512x128xbf16>, %k: tensor<4x16x256x128xbf16>, %v: tensor<4x16x256x128xbf16>) -> tensor<4x16x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<4x16x512x128xbf16>, tensor<4x16x256x128xbf16>, tensor<4x16x256x128xbf16>) -> tensor<4x16x512x128xbf16>
  return %0 : tensor<4x16x512x128xbf16>
}

// -----

// Causal tiles differ in their work: one for each block.
// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: blocks = 0 : i64, copy_warps = 4 : i64
func.func @causal(%q: tensor<4x16x512x128xbf16>, %k: tensor<4x16x512x128xbf16>, %v: tensor<4x16x512x128xbf16>) -> tensor<4x16x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<4x16x512x128xbf16>, tensor<4x16x512x128xbf16>, tensor<4x16x512x128xbf16>) -> tensor<4x16x512x128xbf16>
  return %0 : tensor<4x16x512x128xbf16>
}

// -----

// Few tiles, and a mask of odd rows: all threads copy.
// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: copy_warps = 0 : i64
func.func @few(%q: tensor<1x4x512x128xbf16>, %k: tensor<1x4x256x128xbf16>, %v: tensor<1x4x256x128xbf16>) -> tensor<1x4x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x4x512x128xbf16>, tensor<1x4x256x128xbf16>, tensor<1x4x256x128xbf16>) -> tensor<1x4x512x128xbf16>
  return %0 : tensor<1x4x512x128xbf16>
}

// -----

// CHECK-LABEL: gpu.func @k0_scaled_dot_product_attention(
// CHECK-SAME: copy_warps = 0 : i64
func.func @ragged(%q: tensor<4x16x512x128xbf16>, %k: tensor<4x16x257x128xbf16>, %v: tensor<4x16x257x128xbf16>, %m: tensor<512x257xbf16>) -> tensor<4x16x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x16x512x128xbf16>, tensor<4x16x257x128xbf16>, tensor<4x16x257x128xbf16>, tensor<512x257xbf16>) -> tensor<4x16x512x128xbf16>
  return %0 : tensor<4x16x512x128xbf16>
}

// -----

func.func @alone(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  // expected-error @+1 {{expected a tiling that a kernel of attention has but got {blocks = 8 : i64, copy_warps = 0 : i64}}
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 8}} : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}
