// Convolutions as products whose columns and depth are several loops: panels that end within a row of the input, are
// narrower than a vector or than a panel, that stride, that belong to groups, of integers, and of a
// batch that is known when run.
// RUN: fx-run %s --entry=* --inputs=seed:1 --dim=s0=3 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-4
// RUN: fx-run %s --entry=* --inputs=seed:2 --dim=s0=0 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-4
// RUN: fx-run %s --entry=* --inputs=seed:3 --dim=s0=11 --target=cpu --target-option=threads=2 --compare-target=ref --rtol=1e-5 --atol=1e-4

func.func @rows_of_a_vector(%x: tensor<1x8x16x16xf32>, %w: tensor<16x8x3x3xf32>, %b: tensor<16xf32>) -> tensor<1x16x16x16xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x16x16xf32>, tensor<16x8x3x3xf32>, tensor<16xf32>) -> tensor<1x16x16x16xf32>
  return %r : tensor<1x16x16x16xf32>
}
func.func @rows_across_vectors(%x: tensor<2x5x13x29xf32>, %w: tensor<12x5x3x3xf32>, %b: tensor<12xf32>) -> tensor<2x12x13x29xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<2x5x13x29xf32>, tensor<12x5x3x3xf32>, tensor<12xf32>) -> tensor<2x12x13x29xf32>
  return %r : tensor<2x12x13x29xf32>
}
func.func @short_rows(%x: tensor<1x32x5x3xf32>, %w: tensor<40x32x3x3xf32>, %b: tensor<40xf32>) -> tensor<1x40x5x3xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x32x5x3xf32>, tensor<40x32x3x3xf32>, tensor<40xf32>) -> tensor<1x40x5x3xf32>
  return %r : tensor<1x40x5x3xf32>
}
func.func @fewer_columns_than_lanes(%x: tensor<1x16x3x3xf32>, %w: tensor<24x16x3x3xf32>, %b: tensor<24xf32>) -> tensor<1x24x3x3xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x16x3x3xf32>, tensor<24x16x3x3xf32>, tensor<24xf32>) -> tensor<1x24x3x3xf32>
  return %r : tensor<1x24x3x3xf32>
}
func.func @strides(%x: tensor<1x3x33x35xf32>, %w: tensor<16x3x7x7xf32>, %b: tensor<16xf32>) -> tensor<1x16x17x18xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [2, 2] padding [3, 3] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x33x35xf32>, tensor<16x3x7x7xf32>, tensor<16xf32>) -> tensor<1x16x17x18xf32>
  return %r : tensor<1x16x17x18xf32>
}
func.func @patches(%x: tensor<1x3x32x32xf32>, %w: tensor<20x3x4x4xf32>, %b: tensor<20xf32>) -> tensor<1x20x8x8xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [4, 4] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x32x32xf32>, tensor<20x3x4x4xf32>, tensor<20xf32>) -> tensor<1x20x8x8xf32>
  return %r : tensor<1x20x8x8xf32>
}
func.func @dilated(%x: tensor<1x6x20x21xf32>, %w: tensor<9x6x3x2xf32>, %b: tensor<9xf32>) -> tensor<1x9x20x10xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 2] padding [2, 1] dilation [2, 3] output_padding [0, 0] : (tensor<1x6x20x21xf32>, tensor<9x6x3x2xf32>, tensor<9xf32>) -> tensor<1x9x20x10xf32>
  return %r : tensor<1x9x20x10xf32>
}
func.func @groups(%x: tensor<2x12x11x10xf32>, %w: tensor<18x4x3x3xf32>, %b: tensor<18xf32>) -> tensor<2x18x11x10xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 3 : (tensor<2x12x11x10xf32>, tensor<18x4x3x3xf32>, tensor<18xf32>) -> tensor<2x18x11x10xf32>
  return %r : tensor<2x18x11x10xf32>
}
func.func @one_dimension(%x: tensor<2x7x101xf32>, %w: tensor<13x7x5xf32>, %b: tensor<13xf32>) -> tensor<2x13x101xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1] padding [2] dilation [1] output_padding [0] : (tensor<2x7x101xf32>, tensor<13x7x5xf32>, tensor<13xf32>) -> tensor<2x13x101xf32>
  return %r : tensor<2x13x101xf32>
}
func.func @three_dimensions(%x: tensor<1x3x7x9x8xf32>, %w: tensor<10x3x3x3x3xf32>, %b: tensor<10xf32>) -> tensor<1x10x7x9x8xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1, 1] padding [1, 1, 1] dilation [1, 1, 1] output_padding [0, 0, 0] : (tensor<1x3x7x9x8xf32>, tensor<10x3x3x3x3xf32>, tensor<10xf32>) -> tensor<1x10x7x9x8xf32>
  return %r : tensor<1x10x7x9x8xf32>
}
func.func @doubles(%x: tensor<1x8x9x14xf64>, %w: tensor<16x8x3x3xf64>, %b: tensor<16xf64>) -> tensor<1x16x9x14xf64> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x9x14xf64>, tensor<16x8x3x3xf64>, tensor<16xf64>) -> tensor<1x16x9x14xf64>
  return %r : tensor<1x16x9x14xf64>
}
func.func @integers(%x: tensor<1x8x10x11xi64>, %w: tensor<8x8x3x3xi64>, %b: tensor<8xi64>) -> tensor<1x8x10x11xi64> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x10x11xi64>, tensor<8x8x3x3xi64>, tensor<8xi64>) -> tensor<1x8x10x11xi64>
  return %r : tensor<1x8x10x11xi64>
}
func.func @batch(%x: tensor<?x8x12x12xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<16x8x3x3xf32>) -> tensor<?x16x12x12xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<?x8x12x12xf32, #fxgraph.meta<dims = [s0]>>, tensor<16x8x3x3xf32>) -> tensor<?x16x12x12xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x16x12x12xf32, #fxgraph.meta<dims = [s0]>>
}
func.func @transposed(%x: tensor<1x8x9x10xf32>, %w: tensor<8x16x3x3xf32>) -> tensor<1x16x17x19xf32> {
  %r = fxgraph.convolution %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] transposed true output_padding [0, 0] : (tensor<1x8x9x10xf32>, tensor<8x16x3x3xf32>) -> tensor<1x16x17x19xf32>
  return %r : tensor<1x16x17x19xf32>
}
// The input's elements lie channels last: columns are the channels, the depth a row of the window.
func.func @channels_last(%x: tensor<1x14x15x8xf32>, %w: tensor<16x3x3x8xf32>) -> tensor<1x12x13x16xf32> {
  %y = fxgraph.permute %x dims [0, 3, 1, 2] : (tensor<1x14x15x8xf32>) -> tensor<1x8x14x15xf32>
  %v = fxgraph.permute %w dims [0, 3, 1, 2] : (tensor<16x3x3x8xf32>) -> tensor<16x8x3x3xf32>
  %c = fxgraph.convolution %y, %v stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<1x8x14x15xf32>, tensor<16x8x3x3xf32>) -> tensor<1x16x12x13xf32>
  %r = fxgraph.permute %c dims [0, 2, 3, 1] : (tensor<1x16x12x13xf32>) -> tensor<1x12x13x16xf32>
  return %r : tensor<1x12x13x16xf32>
}
