// Heads of keys that groups of query heads share are not repeated in memory.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-translate %s --entry=grouped --to=plan | FileCheck %s --check-prefix=ONE
// RUN: fx-translate %s --entry=grouped_decode --to=plan | FileCheck %s --check-prefix=ONE
// RUN: fx-translate %s --entry=interleaved --to=plan | FileCheck %s --check-prefix=REPEATED

// ONE: "name": "k0_scaled_dot_product_attention"
// ONE-NOT: "name": "k1

// The result is written in the order that the transpose and the reshape read.
func.func @grouped(%q: tensor<2x6x33x32xbf16>, %k: tensor<2x2x40x32xbf16>, %v: tensor<2x2x40x32xbf16>, %m: tensor<2x1x33x40xbf16>) -> tensor<2x33x192xbf16> {
  %k1 = fxgraph.unsqueeze %k dim -3 : (tensor<2x2x40x32xbf16>) -> tensor<2x2x1x40x32xbf16>
  %k2 = fxgraph.expand %k1 shape [2, 2, 3, 40, 32] : tensor<2x2x1x40x32xbf16> -> tensor<2x2x3x40x32xbf16>
  %k3 = fxgraph.reshape %k2 shape [2, 6, 40, 32] : tensor<2x2x3x40x32xbf16> -> tensor<2x6x40x32xbf16>
  %v1 = fxgraph.unsqueeze %v dim -3 : (tensor<2x2x40x32xbf16>) -> tensor<2x2x1x40x32xbf16>
  %v2 = fxgraph.expand %v1 shape [2, 2, 3, 40, 32] : tensor<2x2x1x40x32xbf16> -> tensor<2x2x3x40x32xbf16>
  %v3 = fxgraph.reshape %v2 shape [2, 6, 40, 32] : tensor<2x2x3x40x32xbf16> -> tensor<2x6x40x32xbf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k3, %v3 mask %m : (tensor<2x6x33x32xbf16>, tensor<2x6x40x32xbf16>, tensor<2x6x40x32xbf16>, tensor<2x1x33x40xbf16>) -> tensor<2x6x33x32xbf16>
  %1 = fxgraph.transpose %0 dims 1, 2 : (tensor<2x6x33x32xbf16>) -> tensor<2x33x6x32xbf16>
  %2 = fxgraph.reshape %1 shape [2, 33, 192] : tensor<2x33x6x32xbf16> -> tensor<2x33x192xbf16>
  return %2 : tensor<2x33x192xbf16>
}
func.func @grouped_decode(%q: tensor<2x8x1x64xf16>, %k: tensor<2x2x70x64xf16>, %v: tensor<2x2x70x64xf16>, %m: tensor<2x8x1x70xi1>) -> tensor<2x8x1x64xf16> {
  %k1 = fxgraph.unsqueeze %k dim 2 : (tensor<2x2x70x64xf16>) -> tensor<2x2x1x70x64xf16>
  %k2 = fxgraph.expand %k1 shape [2, 2, 4, 70, 64] : tensor<2x2x1x70x64xf16> -> tensor<2x2x4x70x64xf16>
  %k3 = fxgraph.reshape %k2 shape [2, 8, 70, 64] : tensor<2x2x4x70x64xf16> -> tensor<2x8x70x64xf16>
  %v1 = fxgraph.unsqueeze %v dim 2 : (tensor<2x2x70x64xf16>) -> tensor<2x2x1x70x64xf16>
  %v2 = fxgraph.expand %v1 shape [2, 2, 4, 70, 64] : tensor<2x2x1x70x64xf16> -> tensor<2x2x4x70x64xf16>
  %v3 = fxgraph.reshape %v2 shape [2, 8, 70, 64] : tensor<2x2x4x70x64xf16> -> tensor<2x8x70x64xf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k3, %v3 mask %m : (tensor<2x8x1x64xf16>, tensor<2x8x70x64xf16>, tensor<2x8x70x64xf16>, tensor<2x8x1x70xi1>) -> tensor<2x8x1x64xf16>
  return %0 : tensor<2x8x1x64xf16>
}

// The twin: heads that are repeated in another order.
// REPEATED: "name": "k0_reshape_x2"
// REPEATED: scaled_dot_product_attention
func.func @interleaved(%q: tensor<2x6x33x32xbf16>, %k: tensor<2x2x40x32xbf16>, %v: tensor<2x2x40x32xbf16>) -> tensor<2x6x33x32xbf16> {
  %k1 = fxgraph.unsqueeze %k dim 1 : (tensor<2x2x40x32xbf16>) -> tensor<2x1x2x40x32xbf16>
  %k2 = fxgraph.expand %k1 shape [2, 3, 2, 40, 32] : tensor<2x1x2x40x32xbf16> -> tensor<2x3x2x40x32xbf16>
  %k3 = fxgraph.reshape %k2 shape [2, 6, 40, 32] : tensor<2x3x2x40x32xbf16> -> tensor<2x6x40x32xbf16>
  %v1 = fxgraph.unsqueeze %v dim 1 : (tensor<2x2x40x32xbf16>) -> tensor<2x1x2x40x32xbf16>
  %v2 = fxgraph.expand %v1 shape [2, 3, 2, 40, 32] : tensor<2x1x2x40x32xbf16> -> tensor<2x3x2x40x32xbf16>
  %v3 = fxgraph.reshape %v2 shape [2, 6, 40, 32] : tensor<2x3x2x40x32xbf16> -> tensor<2x6x40x32xbf16>
  %0 = fxgraph.scaled_dot_product_attention %q, %k3, %v3 : (tensor<2x6x33x32xbf16>, tensor<2x6x40x32xbf16>, tensor<2x6x40x32xbf16>) -> tensor<2x6x33x32xbf16>
  return %0 : tensor<2x6x33x32xbf16>
}
