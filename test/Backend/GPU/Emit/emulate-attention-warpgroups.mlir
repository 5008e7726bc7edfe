// Attention with the matrix instructions of warp groups, where the chip has them and there are rows enough.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-to-gpu=entry=plain | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="entry=plain chip=sm_80" | FileCheck %s --check-prefix=WARPS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=few_rows | FileCheck %s --check-prefix=WARPS

// The scores of one block, and the previous block's output from registers, at once.
// CHECK: gpu.func @k0_scaled_dot_product_attention
// CHECK: scf.for
// CHECK: "wgmma.fence.sync.aligned;"
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, p, 1, 1, 0, 0;
// CHECK: "wgmma.commit_group.sync.aligned;"
// CHECK: wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {{.*}}, p, 1, 1, 1;
// CHECK: "wgmma.commit_group.sync.aligned;"
// CHECK: "wgmma.wait_group.sync.aligned 1;"
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: "wgmma.wait_group.sync.aligned 0;"
// CHECK: scf.yield

// The twins.
// WARPS-NOT: wgmma
// WARPS: nvvm.mma.sync
// WARPS-NOT: wgmma

func.func @plain(%q: tensor<1x2x128x64xbf16>, %k: tensor<1x2x256x64xbf16>, %v: tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x128x64xbf16>, tensor<1x2x256x64xbf16>, tensor<1x2x256x64xbf16>) -> tensor<1x2x128x64xbf16>
  return %0 : tensor<1x2x128x64xbf16>
}

func.func @causal(%q: tensor<1x1x200x64xbf16>, %k: tensor<1x1x300x64xbf16>, %v: tensor<1x1x300x64xbf16>) -> tensor<1x1x200x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x1x200x64xbf16>, tensor<1x1x300x64xbf16>, tensor<1x1x300x64xbf16>) -> tensor<1x1x200x64xbf16>
  return %0 : tensor<1x1x200x64xbf16>
}

func.func @one_block(%q: tensor<1x1x130x32xf16>, %k: tensor<1x1x70x32xf16>, %v: tensor<1x1x70x32xf16>) -> tensor<1x1x130x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x130x32xf16>, tensor<1x1x70x32xf16>, tensor<1x1x70x32xf16>) -> tensor<1x1x130x32xf16>
  return %0 : tensor<1x1x130x32xf16>
}

func.func @wide(%q: tensor<1x1x100x128xf16>, %k: tensor<1x1x150x128xf16>, %v: tensor<1x1x150x128xf16>, %m: tensor<100x150xf16>) -> tensor<1x1x100x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x100x128xf16>, tensor<1x1x150x128xf16>, tensor<1x1x150x128xf16>, tensor<100x150xf16>) -> tensor<1x1x100x128xf16>
  return %0 : tensor<1x1x100x128xf16>
}

func.func @widest(%q: tensor<1x1x70x256xbf16>, %k: tensor<1x1x130x256xbf16>, %v: tensor<1x1x130x256xbf16>) -> tensor<1x1x70x256xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x70x256xbf16>, tensor<1x1x130x256xbf16>, tensor<1x1x130x256xbf16>) -> tensor<1x1x70x256xbf16>
  return %0 : tensor<1x1x70x256xbf16>
}

func.func @width_72(%q: tensor<1x2x100x72xbf16>, %k: tensor<1x2x140x72xbf16>, %v: tensor<1x2x140x72xbf16>) -> tensor<1x2x100x72xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x100x72xbf16>, tensor<1x2x140x72xbf16>, tensor<1x2x140x72xbf16>) -> tensor<1x2x100x72xbf16>
  return %0 : tensor<1x2x100x72xbf16>
}

func.func @values_24(%q: tensor<1x1x90x80xf16>, %k: tensor<1x1x140x80xf16>, %v: tensor<1x1x140x24xf16>) -> tensor<1x1x90x24xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x90x80xf16>, tensor<1x1x140x80xf16>, tensor<1x1x140x24xf16>) -> tensor<1x1x90x24xf16>
  return %0 : tensor<1x1x90x24xf16>
}

func.func @values_136(%q: tensor<1x1x90x32xf16>, %k: tensor<1x1x140x32xf16>, %v: tensor<1x1x140x136xf16>, %m: tensor<140xi1>) -> tensor<1x1x90x136xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x1x90x32xf16>, tensor<1x1x140x32xf16>, tensor<1x1x140x136xf16>, tensor<140xi1>) -> tensor<1x1x90x136xf16>
  return %0 : tensor<1x1x90x136xf16>
}

func.func @masked(%q: tensor<2x2x66x64xbf16>, %k: tensor<2x2x264x64xbf16>, %v: tensor<2x2x264x64xbf16>, %m: tensor<2x1x66x264xbf16>) -> tensor<2x2x66x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x66x64xbf16>, tensor<2x2x264x64xbf16>, tensor<2x2x264x64xbf16>, tensor<2x1x66x264xbf16>) -> tensor<2x2x66x64xbf16>
  return %0 : tensor<2x2x66x64xbf16>
}

func.func @masked_keys(%q: tensor<2x2x66x64xbf16>, %k: tensor<2x2x131x64xbf16>, %v: tensor<2x2x131x64xbf16>, %m: tensor<2x1x1x131xf32>) -> tensor<2x2x66x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x66x64xbf16>, tensor<2x2x131x64xbf16>, tensor<2x2x131x64xbf16>, tensor<2x1x1x131xf32>) -> tensor<2x2x66x64xbf16>
  return %0 : tensor<2x2x66x64xbf16>
}

func.func @grouped(%q: tensor<1x2x3x66x64xbf16>, %k: tensor<1x2x1x131x64xbf16>, %v: tensor<1x2x1x131x64xbf16>, %m: tensor<1x2x3x66x131xi1>) -> tensor<1x2x3x66x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x3x66x64xbf16>, tensor<1x2x1x131x64xbf16>, tensor<1x2x1x131x64xbf16>, tensor<1x2x3x66x131xi1>) -> tensor<1x2x3x66x64xbf16>
  return %0 : tensor<1x2x3x66x64xbf16>
}

func.func @folded(%q: tensor<1x2x4x40x32xbf16>, %k: tensor<1x2x1x140x32xbf16>, %v: tensor<1x2x1x140x32xbf16>) -> tensor<1x2x4x40x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x4x40x32xbf16>, tensor<1x2x1x140x32xbf16>, tensor<1x2x1x140x32xbf16>) -> tensor<1x2x4x40x32xbf16>
  return %0 : tensor<1x2x4x40x32xbf16>
}

func.func @few_rows(%q: tensor<1x2x20x32xbf16>, %k: tensor<1x2x256x32xbf16>, %v: tensor<1x2x256x32xbf16>) -> tensor<1x2x20x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x20x32xbf16>, tensor<1x2x256x32xbf16>, tensor<1x2x256x32xbf16>) -> tensor<1x2x20x32xbf16>
  return %0 : tensor<1x2x20x32xbf16>
}

// Tilings that the sizes would not choose.
func.func @two_groups(%q: tensor<1x1x150x64xbf16>, %k: tensor<1x1x300x64xbf16>, %v: tensor<1x1x300x64xbf16>, %m: tensor<150x300xbf16>) -> tensor<1x1x150x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {row_warps = 8, keys = 128}} : (tensor<1x1x150x64xbf16>, tensor<1x1x300x64xbf16>, tensor<1x1x300x64xbf16>, tensor<150x300xbf16>) -> tensor<1x1x150x64xbf16>
  return %0 : tensor<1x1x150x64xbf16>
}

func.func @warps(%q: tensor<1x1x150x64xbf16>, %k: tensor<1x1x300x64xbf16>, %v: tensor<1x1x300x64xbf16>, %m: tensor<150x300xf32>) -> tensor<1x1x150x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m {fxgraph.attention_tiling = {warpgroups = false, row_tiles = 2}} : (tensor<1x1x150x64xbf16>, tensor<1x1x300x64xbf16>, tensor<1x1x300x64xbf16>, tensor<150x300xf32>) -> tensor<1x1x150x64xbf16>
  return %0 : tensor<1x1x150x64xbf16>
}

func.func @long_blocks(%q: tensor<1x1x70x128xf16>, %k: tensor<1x1x300x128xf16>, %v: tensor<1x1x300x128xf16>) -> tensor<1x1x70x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {fxgraph.attention_tiling = {keys = 128}} : (tensor<1x1x70x128xf16>, tensor<1x1x300x128xf16>, tensor<1x1x300x128xf16>) -> tensor<1x1x70x128xf16>
  return %0 : tensor<1x1x70x128xf16>
}

