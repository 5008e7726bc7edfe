// Attention in which warps of their own copy keys and values: one, two and many blocks of keys, edges of tiles of rows and keys, masks, a tile for
// each block and blocks that walk over several.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-to-gpu=entry=many | FileCheck %s
// Their barriers, registers that change hands, and no barrier of the whole block in the loops.
// CHECK: gpu.func @k0_scaled_dot_product_attention
// CHECK-SAME: copy_warps = 4
// CHECK: nvvm.mbarrier.init
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK: nvvm.setmaxregister decrease 56
// CHECK: nvvm.setmaxregister increase 224
// CHECK: wgmma.mma_async.sync.aligned.m64n128k16
// CHECK-NOT: gpu.barrier

func.func @one(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x64x64xbf16>, %v: tensor<1x2x64x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x2x128x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}
// Half of the last tile has no rows.
func.func @half(%q: tensor<1x2x192x64xbf16>, %k: tensor<1x2x64x64xbf16>, %v: tensor<1x2x64x64xbf16>) -> tensor<1x2x192x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 1, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x2x192x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>) -> tensor<1x2x192x64xbf16>
  return %0 : tensor<1x2x192x64xbf16>
}
func.func @two(%q: tensor<1x1x129x128xf16>, %k: tensor<1x1x128x128xf16>, %v: tensor<1x1x128x128xf16>) -> tensor<1x1x129x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 1, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x1x129x128xf16>, tensor<1x1x128x128xf16>, tensor<1x1x128x128xf16>) -> tensor<1x1x129x128xf16>
  return %0 : tensor<1x1x129x128xf16>
}
// Rows and keys are one more or less than tiles have.
func.func @many(%q: tensor<1x1x127x128xbf16>, %k: tensor<1x1x385x128xbf16>, %v: tensor<1x1x385x128xbf16>) -> tensor<1x1x127x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {copy_warps = 4, row_warps = 8, keys = 128}} : (tensor<1x1x127x128xbf16>, tensor<1x1x385x128xbf16>, tensor<1x1x385x128xbf16>) -> tensor<1x1x127x128xbf16>
  return %0 : tensor<1x1x127x128xbf16>
}
func.func @odd(%q: tensor<1x1x193x96xf16>, %k: tensor<1x1x191x96xf16>, %v: tensor<1x1x191x96xf16>) -> tensor<1x1x193x96xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 2, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x1x193x96xf16>, tensor<1x1x191x96xf16>, tensor<1x1x191x96xf16>) -> tensor<1x1x193x96xf16>
  return %0 : tensor<1x1x193x96xf16>
}
func.func @narrow(%q: tensor<2x1x65x32xbf16>, %k: tensor<2x1x200x32xbf16>, %v: tensor<2x1x200x40xbf16>) -> tensor<2x1x65x40xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 1, copy_warps = 4, row_warps = 8, keys = 128}} : (tensor<2x1x65x32xbf16>, tensor<2x1x200x32xbf16>, tensor<2x1x200x40xbf16>) -> tensor<2x1x65x40xbf16>
  return %0 : tensor<2x1x65x40xbf16>
}
func.func @wider(%q: tensor<1x1x70x72xbf16>, %k: tensor<1x1x200x72xbf16>, %v: tensor<1x1x200x128xbf16>) -> tensor<1x1x70x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x1x70x72xbf16>, tensor<1x1x200x72xbf16>, tensor<1x1x200x128xbf16>) -> tensor<1x1x70x128xbf16>
  return %0 : tensor<1x1x70x128xbf16>
}
func.func @causal(%q: tensor<1x1x300x128xbf16>, %k: tensor<1x1x300x128xbf16>, %v: tensor<1x1x300x128xbf16>) -> tensor<1x1x300x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true {fxgraph.attention_tiling = {copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x1x300x128xbf16>, tensor<1x1x300x128xbf16>, tensor<1x1x300x128xbf16>) -> tensor<1x1x300x128xbf16>
  return %0 : tensor<1x1x300x128xbf16>
}
func.func @causal_wide(%q: tensor<1x1x270x80xf16>, %k: tensor<1x1x270x80xf16>, %v: tensor<1x1x270x80xf16>) -> tensor<1x1x270x80xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true {fxgraph.attention_tiling = {blocks = 2, copy_warps = 4, row_warps = 8, keys = 128}} : (tensor<1x1x270x80xf16>, tensor<1x1x270x80xf16>, tensor<1x1x270x80xf16>) -> tensor<1x1x270x80xf16>
  return %0 : tensor<1x1x270x80xf16>
}
// Grouped heads; masks for keys, for scores, to be added.
func.func @grouped(%q: tensor<1x2x4x80x128xbf16>, %k: tensor<1x2x1x150x128xbf16>, %v: tensor<1x2x1x150x128xbf16>) -> tensor<1x2x4x80x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {blocks = 1, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x2x4x80x128xbf16>, tensor<1x2x1x150x128xbf16>, tensor<1x2x1x150x128xbf16>) -> tensor<1x2x4x80x128xbf16>
  return %0 : tensor<1x2x4x80x128xbf16>
}
func.func @keys(%q: tensor<2x1x66x128xbf16>, %k: tensor<2x1x131x128xbf16>, %v: tensor<2x1x131x128xbf16>, %m: tensor<2x1x1x131xf32>) -> tensor<2x1x66x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {blocks = 3, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<2x1x66x128xbf16>, tensor<2x1x131x128xbf16>, tensor<2x1x131x128xbf16>, tensor<2x1x1x131xf32>) -> tensor<2x1x66x128xbf16>
  return %0 : tensor<2x1x66x128xbf16>
}
func.func @scores(%q: tensor<1x1x130x128xf16>, %k: tensor<1x1x131x128xf16>, %v: tensor<1x1x131x128xf16>, %m: tensor<1x1x130x131xi1>) -> tensor<1x1x130x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {blocks = 1, copy_warps = 4, row_warps = 8, keys = 64}} : (tensor<1x1x130x128xf16>, tensor<1x1x131x128xf16>, tensor<1x1x131x128xf16>, tensor<1x1x130x131xi1>) -> tensor<1x1x130x128xf16>
  return %0 : tensor<1x1x130x128xf16>
}
func.func @added(%q: tensor<1x1x130x96xbf16>, %k: tensor<1x1x264x96xbf16>, %v: tensor<1x1x264x96xbf16>, %m: tensor<130x264xbf16>) -> tensor<1x1x130x96xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {copy_warps = 4, row_warps = 8, keys = 128}} : (tensor<1x1x130x96xbf16>, tensor<1x1x264x96xbf16>, tensor<1x1x264x96xbf16>, tensor<130x264xbf16>) -> tensor<1x1x130x96xbf16>
  return %0 : tensor<1x1x130x96xbf16>
}
