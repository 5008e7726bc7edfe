// Loops that go along the memory of one operand and across that of another go in blocks: whole ones and rests, more than two
// dimensions, elements of all widths, threads, nothing at all.
// RUN: split-file %s %t
// RUN: fx-run %t/all.mlir --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-run %t/all.mlir --entry=* --inputs=seed:2 --target=cpu --target-option=threads=2 --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %t/blocks.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=BLOCKS
// BLOCKS: llvm.mlir.constant(96 : index)
// RUN: fx-opt %t/row.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=ROW --implicit-check-not='constant(16 : index)'
// ROW: llvm.func @fxgraph_entry
// Squares of lines are transposed in registers, but not of narrow elements: more vectors than there are registers.
// RUN: fx-opt %t/blocks.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=SQUARE
// SQUARE-COUNT-64: llvm.shufflevector {{.*}} : vector<16xf32>
// SQUARE-NOT: llvm.shufflevector
// RUN: fx-opt %t/narrow.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=NARROW --implicit-check-not=llvm.shufflevector
// NARROW: llvm.func @fxgraph_entry

//--- all.mlir
func.func @blocks(%x: tensor<97x103xf32>, %y: tensor<103x97xf32>) -> tensor<103x97xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<97x103xf32>) -> tensor<103x97xf32>
  %1 = fxgraph.clone %0 : tensor<103x97xf32>
  return %1 : tensor<103x97xf32>
}
func.func @whole_blocks(%x: tensor<64x96xf32>, %y: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %1 = fxgraph.clone %0 : tensor<96x64xf32>
  return %1 : tensor<96x64xf32>
}
func.func @less_than_a_block(%x: tensor<9x40xf32>, %y: tensor<40x9xf32>) -> tensor<40x9xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<9x40xf32>) -> tensor<40x9xf32>
  %1 = fxgraph.clone %0 : tensor<40x9xf32>
  return %1 : tensor<40x9xf32>
}
func.func @wide(%x: tensor<37x50xf64>, %y: tensor<50x37xf64>) -> tensor<50x37xf64> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<37x50xf64>) -> tensor<50x37xf64>
  %1 = fxgraph.clone %0 : tensor<50x37xf64>
  return %1 : tensor<50x37xf64>
}
func.func @narrow(%x: tensor<70x81xbf16>, %y: tensor<81x70xbf16>) -> tensor<81x70xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<70x81xbf16>) -> tensor<81x70xbf16>
  %1 = fxgraph.clone %0 : tensor<81x70xbf16>
  return %1 : tensor<81x70xbf16>
}
func.func @bytes(%x: tensor<130x67xi8>, %y: tensor<67x130xi8>) -> tensor<67x130xi8> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<130x67xi8>) -> tensor<67x130xi8>
  %1 = fxgraph.clone %0 : tensor<67x130xi8>
  return %1 : tensor<67x130xi8>
}
func.func @large(%x: tensor<300x401xf32>, %y: tensor<401x300xf32>) -> tensor<401x300xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<300x401xf32>) -> tensor<401x300xf32>
  %1 = fxgraph.clone %0 : tensor<401x300xf32>
  return %1 : tensor<401x300xf32>
}
func.func @reversed(%x: tensor<7x18x35xf32>, %y: tensor<35x18x7xf32>) -> tensor<35x18x7xf32> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<7x18x35xf32>) -> tensor<35x18x7xf32>
  %1 = fxgraph.clone %0 : tensor<35x18x7xf32>
  return %1 : tensor<35x18x7xf32>
}
func.func @turned(%x: tensor<7x18x35xf32>, %y: tensor<18x35x7xf32>) -> tensor<18x35x7xf32> {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<7x18x35xf32>) -> tensor<18x35x7xf32>
  %1 = fxgraph.clone %0 : tensor<18x35x7xf32>
  return %1 : tensor<18x35x7xf32>
}
func.func @batched(%x: tensor<3x33x41xf32>, %y: tensor<3x41x33xf32>) -> tensor<3x41x33xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<3x33x41xf32>) -> tensor<3x41x33xf32>
  %1 = fxgraph.clone %0 : tensor<3x41x33xf32>
  return %1 : tensor<3x41x33xf32>
}
func.func @four(%x: tensor<2x19x5x23xf32>, %y: tensor<23x2x5x19xf32>) -> tensor<23x2x5x19xf32> {
  %0 = fxgraph.permute %x dims [3, 0, 2, 1] : (tensor<2x19x5x23xf32>) -> tensor<23x2x5x19xf32>
  %1 = fxgraph.clone %0 : tensor<23x2x5x19xf32>
  return %1 : tensor<23x2x5x19xf32>
}
func.func @nothing(%x: tensor<0x20xf32>, %y: tensor<20x0xf32>) -> tensor<20x0xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<0x20xf32>) -> tensor<20x0xf32>
  %1 = fxgraph.clone %0 : tensor<20x0xf32>
  return %1 : tensor<20x0xf32>
}
func.func @added_blocks(%x: tensor<97x103xf32>, %y: tensor<103x97xf32>) -> tensor<103x97xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<97x103xf32>) -> tensor<103x97xf32>
  %1 = fxgraph.add %0, %y : (tensor<103x97xf32>, tensor<103x97xf32>) -> tensor<103x97xf32>
  return %1 : tensor<103x97xf32>
}
func.func @added_whole_blocks(%x: tensor<64x96xf32>, %y: tensor<96x64xf32>) -> tensor<96x64xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<64x96xf32>) -> tensor<96x64xf32>
  %1 = fxgraph.add %0, %y : (tensor<96x64xf32>, tensor<96x64xf32>) -> tensor<96x64xf32>
  return %1 : tensor<96x64xf32>
}
func.func @added_less_than_a_block(%x: tensor<40x9xf32>, %y: tensor<9x40xf32>) -> tensor<9x40xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<40x9xf32>) -> tensor<9x40xf32>
  %1 = fxgraph.add %0, %y : (tensor<9x40xf32>, tensor<9x40xf32>) -> tensor<9x40xf32>
  return %1 : tensor<9x40xf32>
}
func.func @added_wide(%x: tensor<37x50xf64>, %y: tensor<50x37xf64>) -> tensor<50x37xf64> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<37x50xf64>) -> tensor<50x37xf64>
  %1 = fxgraph.add %0, %y : (tensor<50x37xf64>, tensor<50x37xf64>) -> tensor<50x37xf64>
  return %1 : tensor<50x37xf64>
}
func.func @added_narrow(%x: tensor<70x81xbf16>, %y: tensor<81x70xbf16>) -> tensor<81x70xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<70x81xbf16>) -> tensor<81x70xbf16>
  %1 = fxgraph.add %0, %y : (tensor<81x70xbf16>, tensor<81x70xbf16>) -> tensor<81x70xbf16>
  return %1 : tensor<81x70xbf16>
}
func.func @added_bytes(%x: tensor<130x67xi8>, %y: tensor<67x130xi8>) -> tensor<67x130xi8> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<130x67xi8>) -> tensor<67x130xi8>
  %1 = fxgraph.add %0, %y : (tensor<67x130xi8>, tensor<67x130xi8>) -> tensor<67x130xi8>
  return %1 : tensor<67x130xi8>
}
func.func @added_large(%x: tensor<300x401xf32>, %y: tensor<401x300xf32>) -> tensor<401x300xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<300x401xf32>) -> tensor<401x300xf32>
  %1 = fxgraph.add %0, %y : (tensor<401x300xf32>, tensor<401x300xf32>) -> tensor<401x300xf32>
  return %1 : tensor<401x300xf32>
}
func.func @added_reversed(%x: tensor<7x18x35xf32>, %y: tensor<35x18x7xf32>) -> tensor<35x18x7xf32> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<7x18x35xf32>) -> tensor<35x18x7xf32>
  %1 = fxgraph.add %0, %y : (tensor<35x18x7xf32>, tensor<35x18x7xf32>) -> tensor<35x18x7xf32>
  return %1 : tensor<35x18x7xf32>
}
func.func @added_turned(%x: tensor<7x18x35xf32>, %y: tensor<18x35x7xf32>) -> tensor<18x35x7xf32> {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<7x18x35xf32>) -> tensor<18x35x7xf32>
  %1 = fxgraph.add %0, %y : (tensor<18x35x7xf32>, tensor<18x35x7xf32>) -> tensor<18x35x7xf32>
  return %1 : tensor<18x35x7xf32>
}
func.func @squares(%x: tensor<256x512xf32>, %y: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
  %1 = fxgraph.clone %0 : tensor<512x256xf32>
  return %1 : tensor<512x256xf32>
}
func.func @squares_of_integers(%x: tensor<33x48xi64>, %y: tensor<48x33xi64>, %z: tensor<33x48xi32>) -> (tensor<48x33xi64>, tensor<48x33xi32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<33x48xi64>) -> tensor<48x33xi64>
  %1 = fxgraph.sub %0, %y : (tensor<48x33xi64>, tensor<48x33xi64>) -> tensor<48x33xi64>
  %2 = fxgraph.permute %z dims [1, 0] : (tensor<33x48xi32>) -> tensor<48x33xi32>
  %3 = fxgraph.neg %2 : tensor<48x33xi32>
  return %1, %3 : tensor<48x33xi64>, tensor<48x33xi32>
}
// Two that are read across, of two widths, one of them twice.
func.func @several(%x: tensor<35x50xf32>, %y: tensor<35x50xf64>, %z: tensor<50x35xf64>) -> tensor<50x35xf64> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<35x50xf32>) -> tensor<50x35xf32>
  %1 = fxgraph.permute %y dims [1, 0] : (tensor<35x50xf64>) -> tensor<50x35xf64>
  %w = fxgraph.convert_element_type %0 : (tensor<50x35xf32>) -> tensor<50x35xf64>
  %2 = fxgraph.mul %w, %1 : (tensor<50x35xf64>, tensor<50x35xf64>) -> tensor<50x35xf64>
  %3 = fxgraph.sub %2, %1 : (tensor<50x35xf64>, tensor<50x35xf64>) -> tensor<50x35xf64>
  %4 = fxgraph.add %3, %z : (tensor<50x35xf64>, tensor<50x35xf64>) -> tensor<50x35xf64>
  return %4 : tensor<50x35xf64>
}
func.func @part(%x: tensor<60x70xf32>, %y: tensor<48x40xf32>) -> tensor<48x40xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<60x70xf32>) -> tensor<70x60xf32>
  %1 = fxgraph.slice %0 dim 0 from 5 to 53 : (tensor<70x60xf32>) -> tensor<48x60xf32>
  %2 = fxgraph.slice %1 dim 1 from 3 to 43 : (tensor<48x60xf32>) -> tensor<48x40xf32>
  %3 = fxgraph.add %2, %y : (tensor<48x40xf32>, tensor<48x40xf32>) -> tensor<48x40xf32>
  return %3 : tensor<48x40xf32>
}
//--- narrow.mlir
func.func @main(%x: tensor<96x128xbf16>, %y: tensor<128x96xbf16>) -> tensor<128x96xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<96x128xbf16>) -> tensor<128x96xbf16>
  %1 = fxgraph.clone %0 : tensor<128x96xbf16>
  return %1 : tensor<128x96xbf16>
}
//--- blocks.mlir
func.func @main(%x: tensor<97x103xf32>, %y: tensor<103x97xf32>) -> tensor<103x97xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<97x103xf32>) -> tensor<103x97xf32>
  %1 = fxgraph.clone %0 : tensor<103x97xf32>
  return %1 : tensor<103x97xf32>
}
//--- row.mlir
func.func @main(%x: tensor<9x40xf32>, %y: tensor<40x9xf32>) -> tensor<40x9xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<9x40xf32>) -> tensor<40x9xf32>
  %1 = fxgraph.clone %0 : tensor<40x9xf32>
  return %1 : tensor<40x9xf32>
}
