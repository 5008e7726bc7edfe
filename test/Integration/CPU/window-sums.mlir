// Sums over windows of which one factor is the same for a row (depthwise convolutions): rows that are less than a vector, one and
// a rest, several blocks; lines that are no multiple of those taken at once; threads that divide channels and lines; what stays a nest of loops.
// RUN: split-file %s %t
// RUN: fx-run %t/sums.mlir --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %t/sums.mlir --entry=* --inputs=seed:2 --target=cpu --target-option=threads=2 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %t/sums.mlir --entry=* --inputs=seed:3 --target=cpu --target-option=cpu=x86-64-v3 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %t/sums.mlir --entry=* --inputs=seed:4 --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %t/wide.mlir --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-13 --atol=1e-13
// RUN: fx-run %t/others.mlir --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-2 --atol=1e-2
// What is not finite stays in its windows.
// RUN: fx-run %t/special.mlir --target=cpu --print | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: out0: tensor<1x1x1x8xf32> {{\[\[\[\[}}nan, nan, 5, 5, inf, inf, inf, inf]
// RUN: fx-opt %t/one.mlir --fxgraph-to-llvm=vector-bytes=64 | FileCheck %s
// CHECK: llvm.intr.fmuladd({{.*}}) : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
// RUN: fx-opt %t/one.mlir --fxgraph-to-llvm=vector-bytes=32 | FileCheck %s --check-prefix=HALF
// HALF: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// RUN: fx-opt %t/one.mlir --fxgraph-to-llvm=vector-bytes=16 | FileCheck %s --check-prefix=NONE --implicit-check-not='vector<'
// RUN: fx-opt %t/strided.mlir --fxgraph-to-llvm=vector-bytes=64 | FileCheck %s --check-prefix=NONE --implicit-check-not='vector<'
// NONE: llvm.func @fxgraph_entry

//--- sums.mlir
func.func @rows_of_seven(%x: tensor<2x6x7x7xf32>, %w: tensor<6x1x7x7xf32>, %b: tensor<6xf32>) -> tensor<2x6x7x7xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [3, 3] dilation [1, 1] output_padding [0, 0] groups 6 : (tensor<2x6x7x7xf32>, tensor<6x1x7x7xf32>, tensor<6xf32>) -> tensor<2x6x7x7xf32>
  return %r : tensor<2x6x7x7xf32>
}
func.func @rows_of_fourteen(%x: tensor<1x5x14x14xf32>, %w: tensor<5x1x5x5xf32>, %b: tensor<5xf32>) -> tensor<1x5x14x14xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] groups 5 : (tensor<1x5x14x14xf32>, tensor<5x1x5x5xf32>, tensor<5xf32>) -> tensor<1x5x14x14xf32>
  return %r : tensor<1x5x14x14xf32>
}
func.func @rows_of_a_vector_and_more(%x: tensor<1x3x9x33xf32>, %w: tensor<3x1x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x9x33xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 3 : (tensor<1x3x9x33xf32>, tensor<3x1x3x3xf32>, tensor<3xf32>) -> tensor<1x3x9x33xf32>
  return %r : tensor<1x3x9x33xf32>
}
func.func @rows_of_blocks(%x: tensor<1x2x5x64xf32>, %w: tensor<2x1x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x5x64xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 2 : (tensor<1x2x5x64xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x5x64xf32>
  return %r : tensor<1x2x5x64xf32>
}
func.func @rows_of_blocks_and_more(%x: tensor<1x2x4x139xf32>, %w: tensor<2x1x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x4x139xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 2 : (tensor<1x2x4x139xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x4x139xf32>
  return %r : tensor<1x2x4x139xf32>
}
func.func @one_row(%x: tensor<1x4x3x20xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x1x18xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x3x20xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<1x4x1x18xf32>
  return %r : tensor<1x4x1x18xf32>
}
func.func @dilated(%x: tensor<2x4x21x19xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<4xf32>) -> tensor<2x4x21x19xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [2, 2] dilation [2, 2] output_padding [0, 0] groups 4 : (tensor<2x4x21x19xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<2x4x21x19xf32>
  return %r : tensor<2x4x21x19xf32>
}
func.func @several_results(%x: tensor<1x3x10x15xf32>, %w: tensor<6x1x3x3xf32>, %b: tensor<6xf32>) -> tensor<1x6x10x15xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 3 : (tensor<1x3x10x15xf32>, tensor<6x1x3x3xf32>, tensor<6xf32>) -> tensor<1x6x10x15xf32>
  return %r : tensor<1x6x10x15xf32>
}
func.func @along_a_line(%x: tensor<2x5x50xf32>, %w: tensor<5x1x7xf32>, %b: tensor<5xf32>) -> tensor<2x5x50xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1] padding [3] dilation [1] output_padding [0] groups 5 : (tensor<2x5x50xf32>, tensor<5x1x7xf32>, tensor<5xf32>) -> tensor<2x5x50xf32>
  return %r : tensor<2x5x50xf32>
}
func.func @in_space(%x: tensor<1x3x6x7x9xf32>, %w: tensor<3x1x3x3x3xf32>, %b: tensor<3xf32>) -> tensor<1x3x6x7x9xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1, 1] padding [1, 1, 1] dilation [1, 1, 1] output_padding [0, 0, 0] groups 3 : (tensor<1x3x6x7x9xf32>, tensor<3x1x3x3x3xf32>, tensor<3xf32>) -> tensor<1x3x6x7x9xf32>
  return %r : tensor<1x3x6x7x9xf32>
}
func.func @enough_for_threads(%x: tensor<1x32x30x47xf32>, %w: tensor<32x1x5x5xf32>, %b: tensor<32xf32>) -> tensor<1x32x30x47xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] groups 32 : (tensor<1x32x30x47xf32>, tensor<32x1x5x5xf32>, tensor<32xf32>) -> tensor<1x32x30x47xf32>
  return %r : tensor<1x32x30x47xf32>
}
func.func @lines_for_threads(%x: tensor<1x2x200x100xf32>, %w: tensor<2x1x3x3xf32>, %b: tensor<2xf32>) -> tensor<1x2x200x100xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 2 : (tensor<1x2x200x100xf32>, tensor<2x1x3x3xf32>, tensor<2xf32>) -> tensor<1x2x200x100xf32>
  return %r : tensor<1x2x200x100xf32>
}
//--- wide.mlir
func.func @of_f64(%x: tensor<1x3x9x13xf64>, %w: tensor<3x1x3x3xf64>, %b: tensor<3xf64>) -> tensor<1x3x9x13xf64> {
  %r = fxgraph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 3 : (tensor<1x3x9x13xf64>, tensor<3x1x3x3xf64>) -> tensor<1x3x9x13xf64>
  return %r : tensor<1x3x9x13xf64>
}
//--- others.mlir
func.func @strided(%x: tensor<1x4x15x15xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [2, 2] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x15x15xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}
func.func @narrow(%x: tensor<1x4x14x14xbf16>, %w: tensor<4x1x5x5xbf16>, %b: tensor<4xbf16>) -> tensor<1x4x14x14xbf16> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x14x14xbf16>, tensor<4x1x5x5xbf16>, tensor<4xbf16>) -> tensor<1x4x14x14xbf16>
  return %r : tensor<1x4x14x14xbf16>
}
func.func @rows_of_three(%x: tensor<1x4x5x3xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x5x3xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x5x3xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<1x4x5x3xf32>
  return %r : tensor<1x4x5x3xf32>
}
func.func @one_tap(%x: tensor<1x4x5x30xf32>, %w: tensor<4x1x1x1xf32>, %b: tensor<4xf32>) -> tensor<1x4x5x30xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x5x30xf32>, tensor<4x1x1x1xf32>, tensor<4xf32>) -> tensor<1x4x5x30xf32>
  return %r : tensor<1x4x5x30xf32>
}
//--- one.mlir
func.func @main(%x: tensor<1x5x14x14xf32>, %w: tensor<5x1x5x5xf32>, %b: tensor<5xf32>) -> tensor<1x5x14x14xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] groups 5 : (tensor<1x5x14x14xf32>, tensor<5x1x5x5xf32>, tensor<5xf32>) -> tensor<1x5x14x14xf32>
  return %r : tensor<1x5x14x14xf32>
}
//--- strided.mlir
func.func @main(%x: tensor<1x4x15x15xf32>, %w: tensor<4x1x3x3xf32>, %b: tensor<4xf32>) -> tensor<1x4x8x8xf32> {
  %r = fxgraph.convolution %x, %w, %b stride [2, 2] padding [1, 1] dilation [1, 1] output_padding [0, 0] groups 4 : (tensor<1x4x15x15xf32>, tensor<4x1x3x3xf32>, tensor<4xf32>) -> tensor<1x4x8x8xf32>
  return %r : tensor<1x4x8x8xf32>
}
//--- special.mlir
func.func @main() -> tensor<1x1x1x8xf32> {
  %x = fxgraph.constant dense<[[[[1.0, 0x7FC00000, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0x7F800000, 1.0, 1.0, 1.0]]]]> : tensor<1x1x1x12xf32>
  %w = fxgraph.constant dense<1.0> : tensor<1x1x1x5xf32>
  %r = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<1x1x1x12xf32>, tensor<1x1x1x5xf32>) -> tensor<1x1x1x8xf32>
  return %r : tensor<1x1x1x8xf32>
}
