// Products that are written in another order than their own, and epilogues of batches: what is along rows, along columns, of each
// problem; edges of tiles, one element more or less than a tile has. Results are row-major: PyTorch returns views of products.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=row-major-results=true --compare-target=ref --rtol=2e-2 --atol=2e-2
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=row-major-results=true --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=64,schedule=pingpong,blocks=2,stages=3
// RUN: fx-run %s --entry=linear --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=row-major-results=true --compare-target=ref --rtol=2e-2 --atol=2e-2 --target-option=product-config=tile-n=256,blocks=1
// Each is one kernel of ours but for what is read across.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=linear libraries=none row-major-results=true" | FileCheck %s --check-prefix=ONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=batch libraries=none row-major-results=true" | FileCheck %s --check-prefix=ONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=column libraries=none row-major-results=true" | FileCheck %s --check-prefix=ONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=across libraries=none row-major-results=true" | FileCheck %s --check-prefix=TWO
// ONE-COUNT-1: gpu.launch_func
// ONE-NOT: gpu.launch_func
// TWO-COUNT-2: gpu.launch_func
// TWO-NOT: gpu.launch_func

// A column of bias, a problem for each run of rows.
func.func @linear(%x: tensor<3x40x72xbf16>, %w: tensor<136x72xbf16>, %b: tensor<136xbf16>) -> tensor<3x136x40xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<3x40x72xbf16>, tensor<136x72xbf16>, tensor<136xbf16>) -> tensor<3x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<3x40x136xbf16>) -> tensor<3x136x40xbf16>
  %2 = fxgraph.gelu %1 : tensor<3x136x40xbf16>
  return %2 : tensor<3x136x40xbf16>
}
// Rows of odd length everywhere; what is added lies as the result does.
func.func @ragged(%x: tensor<129x67xf16>, %w: tensor<127x67xf16>, %r: tensor<127x129xf16>) -> tensor<127x129xf16> {
  %0 = fxgraph.linear %x, %w : (tensor<129x67xf16>, tensor<127x67xf16>) -> tensor<129x127xf16>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<129x127xf16>) -> tensor<127x129xf16>
  %2 = fxgraph.add %1, %r : (tensor<127x129xf16>, tensor<127x129xf16>) -> tensor<127x129xf16>
  return %2 : tensor<127x129xf16>
}
// Every problem of a batch by itself.
func.func @bmm(%x: tensor<3x65x48xbf16>, %w: tensor<3x48x63xbf16>) -> tensor<3x63x65xbf16> {
  %0 = fxgraph.bmm %x, %w : (tensor<3x65x48xbf16>, tensor<3x48x63xbf16>) -> tensor<3x65x63xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<3x65x63xbf16>) -> tensor<3x63x65xbf16>
  %2 = fxgraph.relu %1 : tensor<3x63x65xbf16>
  return %2 : tensor<3x63x65xbf16>
}
// A batch with a row for all, a column and a row of each problem, and as much as there are results.
func.func @batch(%x: tensor<3x65x48xbf16>, %w: tensor<3x48x72xbf16>, %row: tensor<72xbf16>, %column: tensor<3x65x1xbf16>, %own: tensor<3x1x72xbf16>,
                 %all: tensor<3x65x72xbf16>) -> tensor<3x65x72xbf16> {
  %0 = fxgraph.bmm %x, %w : (tensor<3x65x48xbf16>, tensor<3x48x72xbf16>) -> tensor<3x65x72xbf16>
  %1 = fxgraph.add %0, %row : (tensor<3x65x72xbf16>, tensor<72xbf16>) -> tensor<3x65x72xbf16>
  %2 = fxgraph.mul %1, %column : (tensor<3x65x72xbf16>, tensor<3x65x1xbf16>) -> tensor<3x65x72xbf16>
  %3 = fxgraph.sub %2, %own : (tensor<3x65x72xbf16>, tensor<3x1x72xbf16>) -> tensor<3x65x72xbf16>
  %4 = fxgraph.add %3, %all : (tensor<3x65x72xbf16>, tensor<3x65x72xbf16>) -> tensor<3x65x72xbf16>
  return %4 : tensor<3x65x72xbf16>
}
// A column for all.
func.func @column(%x: tensor<130x64xf16>, %w: tensor<64x40xf16>, %c: tensor<130x1xf16>) -> tensor<130x40xf16> {
  %0 = fxgraph.mm %x, %w : (tensor<130x64xf16>, tensor<64x40xf16>) -> tensor<130x40xf16>
  %1 = fxgraph.mul %0, %c : (tensor<130x40xf16>, tensor<130x1xf16>) -> tensor<130x40xf16>
  %2 = fxgraph.sigmoid %1 : tensor<130x40xf16>
  return %2 : tensor<130x40xf16>
}
// Not turned: what is added would be read column by column.
func.func @across(%x: tensor<40x72xbf16>, %w: tensor<136x72xbf16>, %r: tensor<40x136xbf16>) -> tensor<136x40xbf16> {
  %0 = fxgraph.linear %x, %w : (tensor<40x72xbf16>, tensor<136x72xbf16>) -> tensor<40x136xbf16>
  %1 = fxgraph.add %0, %r : (tensor<40x136xbf16>, tensor<40x136xbf16>) -> tensor<40x136xbf16>
  %2 = fxgraph.permute %1 dims [1, 0] : (tensor<40x136xbf16>) -> tensor<136x40xbf16>
  return %2 : tensor<136x40xbf16>
}
// No problem, no rows, no sums.
func.func @none(%x: tensor<0x40x72xbf16>, %w: tensor<136x72xbf16>, %b: tensor<136xbf16>) -> tensor<0x136x40xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<0x40x72xbf16>, tensor<136x72xbf16>, tensor<136xbf16>) -> tensor<0x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<0x40x136xbf16>) -> tensor<0x136x40xbf16>
  return %1 : tensor<0x136x40xbf16>
}
func.func @noSums(%x: tensor<2x40x0xbf16>, %w: tensor<136x0xbf16>, %b: tensor<136xbf16>) -> tensor<2x136x40xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<2x40x0xbf16>, tensor<136x0xbf16>, tensor<136xbf16>) -> tensor<2x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<2x40x136xbf16>) -> tensor<2x136x40xbf16>
  return %1 : tensor<2x136x40xbf16>
}
// A NaN and infinities stay in their rows, which are columns of the result.
func.func @special(%x: tensor<2x40x72xbf16>, %w: tensor<136x72xbf16>) -> tensor<2x136x40xbf16> {
  %nan = fxgraph.constant dense<[[[0x7FC0], [0x7F80]]]> : tensor<1x2x1xbf16>
  %none = fxgraph.slice %x dim 1 from 2 to 40 : (tensor<2x40x72xbf16>) -> tensor<2x38x72xbf16>
  %rows = fxgraph.expand %nan shape [2, 2, 72] : tensor<1x2x1xbf16> -> tensor<2x2x72xbf16>
  %all = fxgraph.cat %rows, %none dim 1 : (tensor<2x2x72xbf16>, tensor<2x38x72xbf16>) -> tensor<2x40x72xbf16>
  %0 = fxgraph.linear %all, %w : (tensor<2x40x72xbf16>, tensor<136x72xbf16>) -> tensor<2x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<2x40x136xbf16>) -> tensor<2x136x40xbf16>
  %2 = fxgraph.relu %1 : tensor<2x136x40xbf16>
  return %2 : tensor<2x136x40xbf16>
}
// A batch of one is a matrix.
func.func @batch_of_one(%x: tensor<1x2x9xbf16>, %w: tensor<1x9x1xbf16>) -> tensor<1x2x1xbf16> {
  %s = fxgraph.sigmoid %x : tensor<1x2x9xbf16>
  %0 = fxgraph.bmm %s, %w : (tensor<1x2x9xbf16>, tensor<1x9x1xbf16>) -> tensor<1x2x1xbf16>
  %c = fxgraph.constant dense<1> : tensor<i64>
  %1 = fxgraph.mul %0, %c : (tensor<1x2x1xbf16>, tensor<i64>) -> tensor<1x2x1xbf16>
  return %1 : tensor<1x2x1xbf16>
}
func.func @batch_of_one_in_runs(%x: tensor<1x128x64xbf16>, %w: tensor<1x64x32xbf16>) -> tensor<2x32x64xbf16> {
  %0 = fxgraph.bmm %x, %w : (tensor<1x128x64xbf16>, tensor<1x64x32xbf16>) -> tensor<1x128x32xbf16>
  %1 = fxgraph.relu %0 : tensor<1x128x32xbf16>
  %2 = fxgraph.reshape %1 shape [2, 64, 32] : tensor<1x128x32xbf16> -> tensor<2x64x32xbf16>
  %3 = fxgraph.permute %2 dims [0, 2, 1] : (tensor<2x64x32xbf16>) -> tensor<2x32x64xbf16>
  %4 = fxgraph.clone %3 : tensor<2x32x64xbf16>
  return %4 : tensor<2x32x64xbf16>
}
