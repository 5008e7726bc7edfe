// Convolutions of narrow floats as products: sums of f32 that are rounded once, so that results differ by one rounding at most (2^-7 in bf16).
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=8e-3 --atol=1e-4

func.func @halves(%x: tensor<1x8x14x14xf16>, %w: tensor<16x8x3x3xf16>, %b: tensor<16xf16>) -> tensor<1x16x14x14xf16> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x14x14xf16>, tensor<16x8x3x3xf16>, tensor<16xf16>) -> tensor<1x16x14x14xf16>
  return %r : tensor<1x16x14x14xf16>
}
func.func @brains(%x: tensor<1x8x14x14xbf16>, %w: tensor<16x8x3x3xbf16>, %b: tensor<16xbf16>) -> tensor<1x16x14x14xbf16> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x14x14xbf16>, tensor<16x8x3x3xbf16>, tensor<16xbf16>) -> tensor<1x16x14x14xbf16>
  return %r : tensor<1x16x14x14xbf16>
}
