// An argument that lay in another order of dimensions when it was captured is read so, through a permutation, and the runtime is
// told: 256 at its rank, and the order behind the extents, which are the caller's. Not one that is written, nor one of dynamic extents.
// RUN: split-file %s %t
// RUN: fx-opt %t/read.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=READ
// READ: llvm.mlir.global external constant @fxgraph_meta(dense<[2, 1, 0, 1, 259, 5, 6, 7, 2, 0, 1, -1, 1, 2, 5, 6, -1, 1, 2, 5, 6, -1]> : tensor<22xi64>)
// RUN: fx-opt %t/read.mlir --fxgraph-cpu-order-arguments | FileCheck %s --check-prefix=ALONE
// ALONE: func.func @main(%[[X:.*]]: tensor<7x5x6xf32> {fxgraph.cpu_order = array<i64: 2, 0, 1>}, %{{.*}}: tensor<5x6xf32>)
// ALONE-NEXT: fxgraph.permute %[[X]] dims [1, 2, 0] : (tensor<7x5x6xf32>) -> tensor<5x6x7xf32>
// RUN: fx-opt %t/called.mlir --fxgraph-cpu-order-arguments | FileCheck %s --check-prefix=CALLED
// CALLED: func.func @part(%{{.*}}: tensor<5x6xf32> {fxgraph.memory_order = array<i64: 1, 0>})
// RUN: fx-run %t/read.mlir --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-6 --atol=1e-6
// RUN: fx-opt %t/written.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: @fxgraph_meta(dense<[1, 2, 1, 1, 2, 5, 6, 0, 1, 2, 6, 5, -1, 1, 2, 5, 6, 0]> : tensor<18xi64>)
// RUN: fx-run %t/written.mlir --inputs=seed:1 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %t/dynamic.mlir --fxgraph-to-llvm | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: @fxgraph_meta(dense<[1, 1, 0, 1, 2, -2, 6, -1, 1, 2, -2, 6, -1]> : tensor<13xi64>)
// RUN: fx-run %t/unread.mlir --entry=* --inputs=seed:1 --target=cpu --compare-target=ref --rtol=0 --atol=0

//--- read.mlir
func.func @main(%x: tensor<5x6x7xf32> {fxgraph.memory_order = array<i64: 2, 0, 1>}, %y: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %0 = fxgraph.sum %x dims [2] : (tensor<5x6x7xf32>) -> tensor<5x6xf32>
  %1 = fxgraph.add %0, %y : (tensor<5x6xf32>, tensor<5x6xf32>) -> tensor<5x6xf32>
  return %1 : tensor<5x6xf32>
}
//--- written.mlir
func.func @main(%x: tensor<5x6xf32> {fxgraph.memory_order = array<i64: 1, 0>}) -> tensor<6x5xf32> {
  %0 = fxgraph.neg %x : tensor<5x6xf32>
  fxgraph.copy_ %0 into %x : tensor<5x6xf32>, tensor<5x6xf32>
  %2 = fxgraph.permute %0 dims [1, 0] : (tensor<5x6xf32>) -> tensor<6x5xf32>
  return %2 : tensor<6x5xf32>
}
//--- dynamic.mlir
func.func @main(%x: tensor<?x6xf32, #fxgraph.meta<dims = [s0]>> {fxgraph.memory_order = array<i64: 1, 0>}) -> tensor<?x6xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.neg %x : tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
  return %0 : tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
}
//--- called.mlir
func.func @part(%x: tensor<5x6xf32> {fxgraph.memory_order = array<i64: 1, 0>}) -> tensor<5x6xf32> {
  %0 = fxgraph.neg %x : tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
func.func @main(%x: tensor<5x6xf32>) -> tensor<5x6xf32> {
  %0 = func.call @part(%x) : (tensor<5x6xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}
//--- unread.mlir
// Returned as they are, without elements, twice.
func.func @returned(%x: tensor<5x6xi64> {fxgraph.memory_order = array<i64: 1, 0>}, %y: tensor<3x4xf32> {fxgraph.memory_order = array<i64: 1, 0>}) -> (tensor<5x6xi64>, tensor<5x6xi64>) {
  return %x, %x : tensor<5x6xi64>, tensor<5x6xi64>
}
func.func @empty(%x: tensor<0x6xf32> {fxgraph.memory_order = array<i64: 1, 0>}) -> tensor<0x6xf32> {
  %0 = fxgraph.neg %x : tensor<0x6xf32>
  return %0 : tensor<0x6xf32>
}
