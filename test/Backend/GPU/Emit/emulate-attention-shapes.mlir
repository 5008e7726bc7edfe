// Widths, lengths and leading dimensions of attention in its kernel.
// RUN: fx-run %s --entry=* --inputs=seed:9 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s

// CHECK-COUNT-24: fxgraph.scaled_dot_product_attention

func.func @width_8(%q: tensor<1x2x17x8xf16>, %k: tensor<1x2x9x8xf16>, %v: tensor<1x2x9x8xf16>) -> tensor<1x2x17x8xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x17x8xf16>, tensor<1x2x9x8xf16>, tensor<1x2x9x8xf16>) -> tensor<1x2x17x8xf16>
  return %0 : tensor<1x2x17x8xf16>
}

func.func @width_72(%q: tensor<1x2x40x72xbf16>, %k: tensor<1x2x50x72xbf16>, %v: tensor<1x2x50x72xbf16>) -> tensor<1x2x40x72xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x40x72xbf16>, tensor<1x2x50x72xbf16>, tensor<1x2x50x72xbf16>) -> tensor<1x2x40x72xbf16>
  return %0 : tensor<1x2x40x72xbf16>
}

func.func @width_80(%q: tensor<1x2x65x80xf16>, %k: tensor<1x2x65x80xf16>, %v: tensor<1x2x65x80xf16>) -> tensor<1x2x65x80xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x65x80xf16>, tensor<1x2x65x80xf16>, tensor<1x2x65x80xf16>) -> tensor<1x2x65x80xf16>
  return %0 : tensor<1x2x65x80xf16>
}

func.func @width_96(%q: tensor<1x1x33x96xbf16>, %k: tensor<1x1x65x96xbf16>, %v: tensor<1x1x65x96xbf16>) -> tensor<1x1x33x96xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x33x96xbf16>, tensor<1x1x65x96xbf16>, tensor<1x1x65x96xbf16>) -> tensor<1x1x33x96xbf16>
  return %0 : tensor<1x1x33x96xbf16>
}

func.func @width_256(%q: tensor<1x1x40x256xbf16>, %k: tensor<1x1x37x256xbf16>, %v: tensor<1x1x37x256xbf16>) -> tensor<1x1x40x256xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x40x256xbf16>, tensor<1x1x37x256xbf16>, tensor<1x1x37x256xbf16>) -> tensor<1x1x40x256xbf16>
  return %0 : tensor<1x1x40x256xbf16>
}

func.func @width_200_few_rows(%q: tensor<1x1x3x200xbf16>, %k: tensor<1x1x101x200xbf16>, %v: tensor<1x1x101x200xbf16>) -> tensor<1x1x3x200xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x1x3x200xbf16>, tensor<1x1x101x200xbf16>, tensor<1x1x101x200xbf16>) -> tensor<1x1x3x200xbf16>
  return %0 : tensor<1x1x3x200xbf16>
}

func.func @narrow_values(%q: tensor<1x2x40x64xbf16>, %k: tensor<1x2x70x64xbf16>, %v: tensor<1x2x70x24xbf16>) -> tensor<1x2x40x24xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x40x64xbf16>, tensor<1x2x70x64xbf16>, tensor<1x2x70x24xbf16>) -> tensor<1x2x40x24xbf16>
  return %0 : tensor<1x2x40x24xbf16>
}

func.func @wide_values(%q: tensor<1x2x40x32xf16>, %k: tensor<1x2x70x32xf16>, %v: tensor<1x2x70x136xf16>) -> tensor<1x2x40x136xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x40x32xf16>, tensor<1x2x70x32xf16>, tensor<1x2x70x136xf16>) -> tensor<1x2x40x136xf16>
  return %0 : tensor<1x2x40x136xf16>
}

func.func @decode(%q: tensor<2x3x1x64xbf16>, %k: tensor<2x3x300x64xbf16>, %v: tensor<2x3x300x64xbf16>) -> tensor<2x3x1x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<2x3x1x64xbf16>, tensor<2x3x300x64xbf16>, tensor<2x3x300x64xbf16>) -> tensor<2x3x1x64xbf16>
  return %0 : tensor<2x3x1x64xbf16>
}

func.func @decode_wide(%q: tensor<1x2x1x128xf16>, %k: tensor<1x2x131x128xf16>, %v: tensor<1x2x131x128xf16>) -> tensor<1x2x1x128xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x1x128xf16>, tensor<1x2x131x128xf16>, tensor<1x2x131x128xf16>) -> tensor<1x2x1x128xf16>
  return %0 : tensor<1x2x1x128xf16>
}

func.func @one_key(%q: tensor<1x2x5x32xbf16>, %k: tensor<1x2x1x32xbf16>, %v: tensor<1x2x1x32xbf16>) -> tensor<1x2x5x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x2x5x32xbf16>, tensor<1x2x1x32xbf16>, tensor<1x2x1x32xbf16>) -> tensor<1x2x5x32xbf16>
  return %0 : tensor<1x2x5x32xbf16>
}

func.func @two_warps(%q: tensor<1x2x29x64xbf16>, %k: tensor<1x2x257x64xbf16>, %v: tensor<1x2x257x64xbf16>, %m: tensor<29x257xbf16>) -> tensor<1x2x29x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x29x64xbf16>, tensor<1x2x257x64xbf16>, tensor<1x2x257x64xbf16>, tensor<29x257xbf16>) -> tensor<1x2x29x64xbf16>
  return %0 : tensor<1x2x29x64xbf16>
}

func.func @causal_short(%q: tensor<1x2x70x32xf16>, %k: tensor<1x2x33x32xf16>, %v: tensor<1x2x33x32xf16>) -> tensor<1x2x70x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x70x32xf16>, tensor<1x2x33x32xf16>, tensor<1x2x33x32xf16>) -> tensor<1x2x70x32xf16>
  return %0 : tensor<1x2x70x32xf16>
}

func.func @causal_long(%q: tensor<1x2x33x32xf16>, %k: tensor<1x2x170x32xf16>, %v: tensor<1x2x170x32xf16>) -> tensor<1x2x33x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x33x32xf16>, tensor<1x2x170x32xf16>, tensor<1x2x170x32xf16>) -> tensor<1x2x33x32xf16>
  return %0 : tensor<1x2x33x32xf16>
}

func.func @causal_few(%q: tensor<1x2x7x32xf16>, %k: tensor<1x2x170x32xf16>, %v: tensor<1x2x170x32xf16>) -> tensor<1x2x7x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<1x2x7x32xf16>, tensor<1x2x170x32xf16>, tensor<1x2x170x32xf16>) -> tensor<1x2x7x32xf16>
  return %0 : tensor<1x2x7x32xf16>
}

func.func @matrices(%q: tensor<33x32xbf16>, %k: tensor<40x32xbf16>, %v: tensor<40x32xbf16>) -> tensor<33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<33x32xbf16>, tensor<40x32xbf16>, tensor<40x32xbf16>) -> tensor<33x32xbf16>
  return %0 : tensor<33x32xbf16>
}

func.func @three_dims(%q: tensor<3x33x32xbf16>, %k: tensor<3x40x32xbf16>, %v: tensor<3x40x32xbf16>, %m: tensor<3x33x40xi1>) -> tensor<3x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<3x33x32xbf16>, tensor<3x40x32xbf16>, tensor<3x40x32xbf16>, tensor<3x33x40xi1>) -> tensor<3x33x32xbf16>
  return %0 : tensor<3x33x32xbf16>
}

func.func @five_dims(%q: tensor<2x1x3x7x32xbf16>, %k: tensor<2x1x3x9x32xbf16>, %v: tensor<2x1x3x9x32xbf16>, %m: tensor<3x1x9xi1>) -> tensor<2x1x3x7x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x1x3x7x32xbf16>, tensor<2x1x3x9x32xbf16>, tensor<2x1x3x9x32xbf16>, tensor<3x1x9xi1>) -> tensor<2x1x3x7x32xbf16>
  return %0 : tensor<2x1x3x7x32xbf16>
}

func.func @broadcast_heads(%q: tensor<2x2x4x33x32xbf16>, %k: tensor<2x2x1x40x32xbf16>, %v: tensor<2x2x1x40x32xbf16>) -> tensor<2x2x4x33x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<2x2x4x33x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<2x2x1x40x32xbf16>) -> tensor<2x2x4x33x32xbf16>
  return %0 : tensor<2x2x4x33x32xbf16>
}

func.func @folded_heads(%q: tensor<2x2x4x3x32xbf16>, %k: tensor<2x2x1x40x32xbf16>, %v: tensor<2x2x1x40x32xbf16>) -> tensor<2x2x4x3x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<2x2x4x3x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<2x2x1x40x32xbf16>) -> tensor<2x2x4x3x32xbf16>
  return %0 : tensor<2x2x4x3x32xbf16>
}

func.func @folded_masked(%q: tensor<2x2x4x5x32xbf16>, %k: tensor<2x2x1x40x32xbf16>, %v: tensor<2x2x1x40x32xbf16>, %m: tensor<2x2x4x5x40xbf16>) -> tensor<2x2x4x5x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x4x5x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<2x2x4x5x40xbf16>) -> tensor<2x2x4x5x32xbf16>
  return %0 : tensor<2x2x4x5x32xbf16>
}

func.func @folded_rows(%q: tensor<2x2x4x5x32xbf16>, %k: tensor<2x2x1x40x32xbf16>, %v: tensor<2x2x1x40x32xbf16>, %m: tensor<5x40xi1>) -> tensor<2x2x4x5x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x2x4x5x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<2x2x1x40x32xbf16>, tensor<5x40xi1>) -> tensor<2x2x4x5x32xbf16>
  return %0 : tensor<2x2x4x5x32xbf16>
}

func.func @folded_to_tiles(%q: tensor<1x2x8x40x32xf16>, %k: tensor<1x2x1x40x32xf16>, %v: tensor<1x2x1x40x32xf16>, %m: tensor<1x2x1x40x40xf16>) -> tensor<1x2x8x40x32xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x2x8x40x32xf16>, tensor<1x2x1x40x32xf16>, tensor<1x2x1x40x32xf16>, tensor<1x2x1x40x40xf16>) -> tensor<1x2x8x40x32xf16>
  return %0 : tensor<1x2x8x40x32xf16>
}

func.func @one_query_for_all(%q: tensor<1x20x32xbf16>, %k: tensor<3x40x32xbf16>, %v: tensor<3x40x32xbf16>) -> tensor<3x20x32xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<1x20x32xbf16>, tensor<3x40x32xbf16>, tensor<3x40x32xbf16>) -> tensor<3x20x32xbf16>
  return %0 : tensor<3x20x32xbf16>
}
