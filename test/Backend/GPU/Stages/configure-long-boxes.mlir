// Boxes are longer along results whose rows begin within a sector, where there is more memory than the second-level cache puts
// together; where a kernel writes most of what it accesses, those of 16 bits that are read where they are written, too.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=odd | FileCheck %s --check-prefix=LONG
// RUN: fx-opt %s --fxgraph-to-gpu=entry=odd_halves | FileCheck %s --check-prefix=SHIFTED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=whole_across | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=too_much_across | FileCheck %s --check-prefix=SHIFTED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=writes_most | FileCheck %s --check-prefix=WRITES
// RUN: fx-opt %s --fxgraph-to-gpu=entry=even | FileCheck %s --check-prefix=SHORT
// RUN: fx-opt %s --fxgraph-to-gpu=entry=little | FileCheck %s --check-prefix=SHORT
// RUN: fx-opt %s --fxgraph-to-gpu=entry=reads_most | FileCheck %s --check-prefix=READS
// LONG: box = array<i64: 32, 128>
// SHIFTED: shifted_results
// WHOLE: box = array<i64: 21, 128>
// WRITES: box = array<i64: 16, 128>
// SHORT: box = array<i64: 32, 32>
// READS: box = array<i64: 48, 32>

func.func @odd(%x: tensor<3999x3001xf32>) -> tensor<3001x3999xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<3999x3001xf32>) -> tensor<3001x3999xf32>
  %1 = fxgraph.contiguous %0 : tensor<3001x3999xf32>
  return %1 : tensor<3001x3999xf32>
}
func.func @odd_halves(%x: tensor<3999x3001xf16>) -> tensor<3001x3999xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<3999x3001xf16>) -> tensor<3001x3999xf16>
  %1 = fxgraph.contiguous %0 : tensor<3001x3999xf16>
  return %1 : tensor<3001x3999xf16>
}
// Rows that are as long as a box are read as a whole, if a block has room for as many results.
func.func @whole_across(%x: tensor<400001x21xf32>) -> tensor<21x400001xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<400001x21xf32>) -> tensor<21x400001xf32>
  %1 = fxgraph.contiguous %0 : tensor<21x400001xf32>
  return %1 : tensor<21x400001xf32>
}
func.func @too_much_across(%x: tensor<199845x64xbf16>) -> tensor<64x199845xbf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<199845x64xbf16>) -> tensor<64x199845xbf16>
  %1 = fxgraph.contiguous %0 : tensor<64x199845xbf16>
  return %1 : tensor<64x199845xbf16>
}
func.func @writes_most(%x: tensor<999x1001xf16>, %y: tensor<1001x999xf16>) -> (tensor<1001x999xf16>, tensor<1001x999xf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<999x1001xf16>) -> tensor<1001x999xf16>
  %1 = fxgraph.add %0, %y : (tensor<1001x999xf16>, tensor<1001x999xf16>) -> tensor<1001x999xf16>
  %2 = fxgraph.mul %0, %y : (tensor<1001x999xf16>, tensor<1001x999xf16>) -> tensor<1001x999xf16>
  return %1, %2 : tensor<1001x999xf16>, tensor<1001x999xf16>
}
// Rows of whole sectors; what the cache has room for; more is read than written.
func.func @even(%x: tensor<4000x3001xf32>) -> tensor<3001x4000xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<4000x3001xf32>) -> tensor<3001x4000xf32>
  %1 = fxgraph.contiguous %0 : tensor<3001x4000xf32>
  return %1 : tensor<3001x4000xf32>
}
func.func @little(%x: tensor<1499x1001xf32>) -> tensor<1001x1499xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1499x1001xf32>) -> tensor<1001x1499xf32>
  %1 = fxgraph.contiguous %0 : tensor<1001x1499xf32>
  return %1 : tensor<1001x1499xf32>
}
func.func @reads_most(%x: tensor<999x1001xf16>, %y: tensor<1001x999xf16>) -> tensor<1001x999xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<999x1001xf16>) -> tensor<1001x999xf16>
  %1 = fxgraph.add %0, %y : (tensor<1001x999xf16>, tensor<1001x999xf16>) -> tensor<1001x999xf16>
  return %1 : tensor<1001x999xf16>
}
