// Rows that begin anywhere, of which most memory is dense across rows: one loop over all elements, vectors of which may go past the
// end of a row. Values against the reference interpreter, whatever the vectors' width; and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-2 --atol=2e-2
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=nest-config=lanes=2 --compare-target=ref --rtol=1e-2 --atol=2e-2
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=nest-config=lanes=4 --compare-target=ref --rtol=1e-2 --atol=2e-2
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --target-option=nest-config=lanes=8 --compare-target=ref --rtol=1e-2 --atol=2e-2
// RUN: fx-opt %s --fxgraph-to-gpu=entry=across | FileCheck %s --check-prefix=ACROSS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=columns | FileCheck %s --check-prefix=COLUMNS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=even | FileCheck %s --check-prefix=EVEN
// RUN: fx-opt %s --fxgraph-to-gpu=entry=gaps | FileCheck %s --check-prefix=GAPS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=behind_product products=all" | FileCheck %s --check-prefix=PRODUCT

// One number a row, and one a column: quotients and remainders.
// ACROSS: kind = "flat", lanes = 8
func.func @across(%x: tensor<14x96x431xf16>, %r: tensor<14x96x1xf16>) -> tensor<14x96x431xf16> {
  %0 = fxgraph.mul %x, %r : (tensor<14x96x431xf16>, tensor<14x96x1xf16>) -> tensor<14x96x431xf16>
  return %0 : tensor<14x96x431xf16>
}

// COLUMNS: kind = "flat", lanes = {{2|4|8}}
func.func @columns(%x: tensor<64x256x11xf16>, %y: tensor<64x256x11xf16>, %c: tensor<11xf16>) -> tensor<64x256x11xf16> {
  %0 = fxgraph.sub %x, %c : (tensor<64x256x11xf16>, tensor<11xf16>) -> tensor<64x256x11xf16>
  %1 = fxgraph.add %0, %y : (tensor<64x256x11xf16>, tensor<64x256x11xf16>) -> tensor<64x256x11xf16>
  return %1 : tensor<64x256x11xf16>
}

// Rows shorter than a vector, negative steps, parts of rows, several results, all at once.
func.func @short(%x: tensor<700x3xf32>, %c: tensor<3xf32>, %r: tensor<700x1xf32>) -> tensor<700x3xf32> {
  %0 = fxgraph.sub %x, %c : (tensor<700x3xf32>, tensor<3xf32>) -> tensor<700x3xf32>
  %1 = fxgraph.mul %0, %r : (tensor<700x3xf32>, tensor<700x1xf32>) -> tensor<700x3xf32>
  return %1 : tensor<700x3xf32>
}
func.func @backwards(%x: tensor<40x16x13xf16>, %y: tensor<16x13xf16>) -> tensor<40x16x13xf16> {
  %0 = fxgraph.flip %y dims [0] : (tensor<16x13xf16>) -> tensor<16x13xf16>
  %1 = fxgraph.sub %x, %0 : (tensor<40x16x13xf16>, tensor<16x13xf16>) -> tensor<40x16x13xf16>
  return %1 : tensor<40x16x13xf16>
}
func.func @parts(%x: tensor<5x64x43xf16>, %y: tensor<1x64x43xf16>, %z: tensor<5x64x50xf16>, %r: tensor<5x64x1xf16>) -> (tensor<5x64x43xf16>, tensor<5x64x43xf16>) {
  %0 = fxgraph.slice %z dim 2 from 5 to 48 : (tensor<5x64x50xf16>) -> tensor<5x64x43xf16>
  %1 = fxgraph.add %x, %y : (tensor<5x64x43xf16>, tensor<1x64x43xf16>) -> tensor<5x64x43xf16>
  %2 = fxgraph.mul %1, %0 : (tensor<5x64x43xf16>, tensor<5x64x43xf16>) -> tensor<5x64x43xf16>
  %3 = fxgraph.maximum %2, %r : (tensor<5x64x43xf16>, tensor<5x64x1xf16>) -> tensor<5x64x43xf16>
  return %2, %3 : tensor<5x64x43xf16>, tensor<5x64x43xf16>
}

// The twins: rows that vectors divide stay rows; a result whose rows are apart has no dense whole.
// EVEN: kind = "flat", lanes = 8
// EVEN-NOT: arith.remui {{.*}}%c432
func.func @even(%x: tensor<14x96x432xf16>, %r: tensor<14x96x1xf16>) -> tensor<14x96x432xf16> {
  %0 = fxgraph.mul %x, %r : (tensor<14x96x432xf16>, tensor<14x96x1xf16>) -> tensor<14x96x432xf16>
  return %0 : tensor<14x96x432xf16>
}
// GAPS: kind = "flat", lanes = 1
func.func @gaps(%x: tensor<96x431xf16>, %y: tensor<96x431xf16>, %r: tensor<96x1xf16>) -> tensor<96x862xf16> {
  %0 = fxgraph.mul %x, %r : (tensor<96x431xf16>, tensor<96x1xf16>) -> tensor<96x431xf16>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<96x431xf16>, tensor<96x431xf16>) -> tensor<96x862xf16>
  return %1 : tensor<96x862xf16>
}
// What follows a product has its rows.
// PRODUCT: gpu.launch_func @kernels::@k0_mm_mul blocks
func.func @behind_product(%x: tensor<371x104xbf16>, %w: tensor<104x55xbf16>, %c: tensor<55xbf16>) -> tensor<371x55xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<371x104xbf16>, tensor<104x55xbf16>) -> tensor<371x55xbf16>
  %1 = fxgraph.mul %0, %c : (tensor<371x55xbf16>, tensor<55xbf16>) -> tensor<371x55xbf16>
  return %1 : tensor<371x55xbf16>
}
