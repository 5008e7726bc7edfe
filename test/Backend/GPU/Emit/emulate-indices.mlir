// An index out of range is an error of the run, in the middle of a fused kernel too; it names the place.
// RUN: split-file %s %t
// RUN: fx-run %t/fine.mlir --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-6
// RUN: not fx-run %t/embedding.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=EMBEDDING
// EMBEDDING: error: the graph failed: graph 'main', step 0 (kernel 'k0_embedding', {{.*}}embedding.mlir:3): an index is out of range
// RUN: not fx-run %t/negative.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/index-select.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/gather.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/index.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/reduced.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: the graph failed: graph 'main', step {{.*}}an index is out of range

// The interpreter refuses the same.
// RUN: not fx-run %t/embedding.mlir --inputs=seed:1 --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// RUN: not fx-run %t/negative.mlir --inputs=seed:1 --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// RUN: not fx-run %t/index.mlir --inputs=seed:1 --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// REF: error: {{.*}}expected indices in

// Of nothing every index is out of range; that is known before the run.
// RUN: not fx-run %t/empty.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: note: fxgraph.index_select indexes a tensor without elements

//--- fine.mlir
// The edges of the ranges; `index` alone counts from the end.
func.func @embedding(%w: tensor<5x8xf32>) -> tensor<3x8xf32> {
  %i = fxgraph.constant dense<[0, 4, 2]> : tensor<3xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<5x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
func.func @index(%x: tensor<5x8xf32>) -> tensor<4x8xf32> {
  %i = fxgraph.constant dense<[-5, 4, -1, 0]> : tensor<4xi64>
  %0 = fxgraph.index %x[%i] dims [0] : (tensor<5x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
func.func @unsafe_index(%x: tensor<5x3x8xf32>) -> tensor<5x2x8xf32> {
  %i = fxgraph.constant dense<[-3, 2]> : tensor<2xi64>
  %0 = fxgraph.unsafe_index %x[%i] dims [1] : (tensor<5x3x8xf32>, tensor<2xi64>) -> tensor<5x2x8xf32>
  return %0 : tensor<5x2x8xf32>
}
// Pieces that a thread does not take are looked up at their edges, never beyond.
func.func @pieces(%w: tensor<5x8xf32>, %x: tensor<2x8xf32>) -> tensor<7x8xf32> {
  %i = fxgraph.constant dense<[1, 0, 4]> : tensor<3xi64>
  %j = fxgraph.constant dense<[4, 3]> : tensor<2xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<5x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  %1 = fxgraph.index_select %w, %j dim 0 : (tensor<5x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  %2 = fxgraph.cat %0, %x, %1 dim 0 : (tensor<3x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<7x8xf32>
  %3 = fxgraph.tanh %2 : tensor<7x8xf32>
  return %3 : tensor<7x8xf32>
}
// Equal kernels over tables of different heights are no batch of one bound.
func.func @heights(%a: tensor<3x8xf32>, %b: tensor<9x8xf32>, %c: tensor<5x8xf32>) -> tensor<6x8xf32> {
  %i = fxgraph.constant dense<[0, 2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[8, 1]> : tensor<2xi64>
  %k = fxgraph.constant dense<[4, 0]> : tensor<2xi64>
  %0 = fxgraph.embedding %a, %i : (tensor<3x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  %1 = fxgraph.embedding %b, %j : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  %2 = fxgraph.embedding %c, %k : (tensor<5x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  %3 = fxgraph.cat %0, %1, %2 dim 0 : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<6x8xf32>
  return %3 : tensor<6x8xf32>
}
func.func @two_heights(%a: tensor<3x8xf32>, %b: tensor<9x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %i = fxgraph.constant dense<[0, 2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[8, 1]> : tensor<2xi64>
  %0 = fxgraph.embedding %a, %i : (tensor<3x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  %1 = fxgraph.embedding %b, %j : (tensor<9x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  return %0, %1 : tensor<2x8xf32>, tensor<2x8xf32>
}
//--- embedding.mlir
func.func @main(%w: tensor<5x8xf32>) -> tensor<3x8xf32> {
  %i = fxgraph.constant dense<[0, 5, 2]> : tensor<3xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<5x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
//--- negative.mlir
func.func @main(%w: tensor<5x8xf32>) -> tensor<3x8xf32> {
  %i = fxgraph.constant dense<[0, -1, 2]> : tensor<3xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<5x8xf32>, tensor<3xi64>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
//--- index-select.mlir
func.func @main(%x: tensor<4x6xf32>) -> tensor<4x2xf32> {
  %i = fxgraph.constant dense<[0, 6]> : tensor<2xi64>
  %0 = fxgraph.index_select %x, %i dim 1 : (tensor<4x6xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}
//--- gather.mlir
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %i = fxgraph.constant dense<[[0, 1, 2], [2, 3, 0]]> : tensor<2x3xi64>
  %0 = fxgraph.gather %x, %i dim 1 : (tensor<2x3xf32>, tensor<2x3xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
//--- index.mlir
func.func @main(%x: tensor<5x8xf32>) -> tensor<2x8xf32> {
  %i = fxgraph.constant dense<[0, -6]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i] dims [0] : (tensor<5x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}
//--- reduced.mlir
// In the middle of a reduction over a computed index.
func.func @main(%w: tensor<5x64xf32>, %b: tensor<64xf32>) -> tensor<3xf32> {
  %i = fxgraph.constant dense<[2, 3, 4]> : tensor<3xi64>
  %one = fxgraph.constant dense<1> : tensor<i64>
  %j = fxgraph.add %i, %one : (tensor<3xi64>, tensor<i64>) -> tensor<3xi64>
  %0 = fxgraph.embedding %w, %j : (tensor<5x64xf32>, tensor<3xi64>) -> tensor<3x64xf32>
  %1 = fxgraph.add %0, %b : (tensor<3x64xf32>, tensor<64xf32>) -> tensor<3x64xf32>
  %2 = fxgraph.sum %1 dims [1] : (tensor<3x64xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}
//--- empty.mlir
func.func @main(%x: tensor<0x4xf32>, %i: tensor<2xi64>) -> tensor<2x4xf32> {
  %0 = fxgraph.index_select %x, %i dim 0 : (tensor<0x4xf32>, tensor<2xi64>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
