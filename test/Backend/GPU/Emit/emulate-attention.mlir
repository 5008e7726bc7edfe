// Attention of 16-bit floats in one kernel, on (emulated) tensor cores.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-to-gpu="entry=causal chip=sm_80" | FileCheck %s

// CHECK: gpu.func @k0_scaled_dot_product_attention
// CHECK: nvvm.mma.sync
// CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz"
// CHECK: nvvm.mma.sync

func.func @plain(%q: tensor<1x2x64x64xbf16>, %k: tensor<1x2x64x64xbf16>, %v: tensor<1x2x64x64xbf16>) -> tensor<1x2x64x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>, tensor<1x2x64x64xbf16>) -> tensor<1x2x64x64xbf16>
  return %0 : tensor<1x2x64x64xbf16>
}

func.func @causal(%q: tensor<2x1x130x64xbf16>, %k: tensor<2x1x130x64xbf16>, %v: tensor<2x1x130x64xbf16>) -> tensor<2x1x130x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {is_causal = true} : (tensor<2x1x130x64xbf16>, tensor<2x1x130x64xbf16>, tensor<2x1x130x64xbf16>) -> tensor<2x1x130x64xbf16>
  return %0 : tensor<2x1x130x64xbf16>
}

func.func @edges_f16(%q: tensor<1x2x70x32xf16>, %k: tensor<1x2x100x32xf16>, %v: tensor<1x2x100x32xf16>) -> tensor<1x2x70x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x70x32xf16>, tensor<1x2x100x32xf16>, tensor<1x2x100x32xf16>) -> tensor<1x2x70x32xf16>
  return %0 : tensor<1x2x70x32xf16>
}

func.func @wide(%q: tensor<1x1x40x128xbf16>, %k: tensor<1x1x75x128xbf16>, %v: tensor<1x1x75x128xbf16>) -> tensor<1x1x40x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x40x128xbf16>, tensor<1x1x75x128xbf16>, tensor<1x1x75x128xbf16>) -> tensor<1x1x40x128xbf16>
  return %0 : tensor<1x1x40x128xbf16>
}

func.func @narrow(%q: tensor<1x3x17x16xf16>, %k: tensor<1x3x9x16xf16>, %v: tensor<1x3x9x16xf16>) -> tensor<1x3x17x16xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x3x17x16xf16>, tensor<1x3x9x16xf16>, tensor<1x3x9x16xf16>) -> tensor<1x3x17x16xf16>
  return %0 : tensor<1x3x17x16xf16>
}

func.func @causal_wide(%q: tensor<1x1x65x128xf16>, %k: tensor<1x1x65x128xf16>, %v: tensor<1x1x65x128xf16>) -> tensor<1x1x65x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v {is_causal = true} : (tensor<1x1x65x128xf16>, tensor<1x1x65x128xf16>, tensor<1x1x65x128xf16>) -> tensor<1x1x65x128xf16>
  return %0 : tensor<1x1x65x128xf16>
}

func.func @many_rows(%q: tensor<8x8x130x32xf16>, %k: tensor<8x8x33x32xf16>, %v: tensor<8x8x33x32xf16>) -> tensor<8x8x130x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<8x8x130x32xf16>, tensor<8x8x33x32xf16>, tensor<8x8x33x32xf16>) -> tensor<8x8x130x32xf16>
  return %0 : tensor<8x8x130x32xf16>
}
