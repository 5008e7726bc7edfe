// Kernels that are the linalg lowering of an op: sorting by merging, writes at indices that each element collects.
// RUN: split-file %s %t
// RUN: fx-run %t/fine.mlir --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-6

// An index out of range is an error of the run, for few entries and for many that are sorted.
// RUN: not fx-run %t/put.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=PUT
// PUT: error: the graph failed: graph 'main', step 0 (kernel 'k0_index_put', {{.*}}put.mlir:4): an index is out of range
// RUN: not fx-run %t/scatter.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/many.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not fx-run %t/negative.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: the graph failed: graph 'main', step {{.*}}an index is out of range
// RUN: not fx-run %t/scatter.mlir --inputs=seed:1 --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// RUN: not fx-run %t/negative.mlir --inputs=seed:1 --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// REF: error: {{.*}}expected indices in

// Of nothing every index is out of range; that is known before the run.
// RUN: not fx-run %t/nothing.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: error: 'fxgraph.scatter' op expected no index into a tensor without elements but got 2

// What is read is never beyond the memory: behind the check stands a place that exists.
// RUN: fx-opt %t/scatter.mlir --fxgraph-to-gpu | FileCheck %s --check-prefix=IR
// IR-LABEL: gpu.func @k0_scatter
// IR-SAME: memref<i32>
// IR: %[[INSIDE:.*]] = arith.andi
// IR: scf.if
// IR: memref.store %{{.*}}, %{{.*}}[] : memref<i32>
// IR: arith.select %[[INSIDE]]
// The first function is of the places, one for each index; the second of the elements.
// IR-LABEL: gpu.func @k1_scatter
// IR-NOT: memref<i32>
// IR: gpu.return

//--- put.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = fxgraph.constant dense<[1, -5]> : tensor<2xi64>
  %v = fxgraph.constant dense<1.0> : tensor<f32>
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- scatter.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = fxgraph.constant dense<[1, 4]> : tensor<2xi64>
  %0 = fxgraph.scatter %x, %i, %x dim 0 : (tensor<4xf32>, tensor<2xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- many.mlir
func.func @main(%x: tensor<4xf32>, %v: tensor<50xf32>) -> tensor<4xf32> {
  %i = fxgraph.arange from 0.0 step 1.0 : tensor<50xi64>
  %0 = fxgraph.scatter_add %x, %i, %v dim 0 : (tensor<4xf32>, tensor<50xi64>, tensor<50xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- negative.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %i = fxgraph.constant dense<[1, -1]> : tensor<2xi64>
  %0 = fxgraph.scatter_reduce %x, %i, %x dim 0 reduce "amax" include_self true : (tensor<4xf32>, tensor<2xi64>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- nothing.mlir
func.func @main(%x: tensor<0xf32>, %v: tensor<2xf32>) -> tensor<0xf32> {
  %i = fxgraph.constant dense<[0, 1]> : tensor<2xi64>
  %0 = fxgraph.scatter %x, %i, %v dim 0 : (tensor<0xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}
//--- fine.mlir
// Ties keep their order; no extent is a power of two.
func.func @sort(%x: tensor<3x101xi64>) -> (tensor<3x101xi64>, tensor<3x101xi64>) {
  %n = fxgraph.constant dense<7> : tensor<i64>
  %0 = fxgraph.remainder %x, %n : (tensor<3x101xi64>, tensor<i64>) -> tensor<3x101xi64>
  %1, %2 = fxgraph.sort %0 dim 1 : (tensor<3x101xi64>) -> (tensor<3x101xi64>, tensor<3x101xi64>)
  return %1, %2 : tensor<3x101xi64>, tensor<3x101xi64>
}
// NaN is the largest, both zeros are equal.
func.func @descending() -> (tensor<9xf32>, tensor<9xi64>) {
  %x = fxgraph.constant dense<[1.0, 0x7FC00000, -0.0, 0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0, 0.0]> : tensor<9xf32>
  %0, %1 = fxgraph.sort %x dim 0 descending true : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
  return %0, %1 : tensor<9xf32>, tensor<9xi64>
}
func.func @ascending() -> (tensor<9xf32>, tensor<9xi64>) {
  %x = fxgraph.constant dense<[1.0, 0x7FC00000, -0.0, 0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0, 0.0]> : tensor<9xf32>
  %0, %1 = fxgraph.sort %x dim 0 : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
  return %0, %1 : tensor<9xf32>, tensor<9xi64>
}
func.func @columns(%x: tensor<33x2x3xbf16>) -> (tensor<5x2x3xbf16>, tensor<5x2x3xi64>) {
  %0, %1 = fxgraph.topk %x k 5 dim 0 : (tensor<33x2x3xbf16>) -> (tensor<5x2x3xbf16>, tensor<5x2x3xi64>)
  return %0, %1 : tensor<5x2x3xbf16>, tensor<5x2x3xi64>
}
// Runs keep no more than what the result has.
func.func @few_of_many(%x: tensor<5x203xf32>) -> (tensor<5x3xf32>, tensor<5x3xi64>) {
  %0, %1 = fxgraph.topk %x k 3 dim 1 : (tensor<5x203xf32>) -> (tensor<5x3xf32>, tensor<5x3xi64>)
  return %0, %1 : tensor<5x3xf32>, tensor<5x3xi64>
}
func.func @most(%x: tensor<101x2xf32>) -> (tensor<97x2xf32>, tensor<97x2xi64>) {
  %0, %1 = fxgraph.topk %x k 97 dim 0 largest false : (tensor<101x2xf32>) -> (tensor<97x2xf32>, tensor<97x2xi64>)
  return %0, %1 : tensor<97x2xf32>, tensor<97x2xi64>
}
func.func @no_element(%x: tensor<9xf32>, %y: tensor<3xf32>) -> (tensor<0xf32>, tensor<0xi64>, tensor<3xf32>) {
  %0, %1 = fxgraph.topk %x k 0 dim 0 : (tensor<9xf32>) -> (tensor<0xf32>, tensor<0xi64>)
  %2 = fxgraph.neg %y : tensor<3xf32>
  return %0, %1, %2 : tensor<0xf32>, tensor<0xi64>, tensor<3xf32>
}
func.func @one(%x: tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>) {
  %0, %1 = fxgraph.sort %x dim 1 : (tensor<2x1xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  return %0, %1 : tensor<2x1xf32>, tensor<2x1xi64>
}
// Nobody reads the values; the sort stands between kernels that compute its operand and read its result.
func.func @argsort(%x: tensor<6x40xf32>) -> tensor<40x6xi64> {
  %0 = fxgraph.tanh %x : tensor<6x40xf32>
  %1, %2 = fxgraph.sort %0 dim 1 : (tensor<6x40xf32>) -> (tensor<6x40xf32>, tensor<6x40xi64>)
  %3 = fxgraph.transpose %2 dims 0, 1 : (tensor<6x40xi64>) -> tensor<40x6xi64>
  %4 = fxgraph.neg %3 : tensor<40x6xi64>
  return %4 : tensor<40x6xi64>
}
// Two sorts, one behind the other, share workspace; a result that is a piece of a cat.
func.func @joined(%x: tensor<5x12xf32>) -> tensor<5x24xf32> {
  %0, %1 = fxgraph.sort %x dim 1 : (tensor<5x12xf32>) -> (tensor<5x12xf32>, tensor<5x12xi64>)
  %2, %3 = fxgraph.sort %0 dim 0 descending true : (tensor<5x12xf32>) -> (tensor<5x12xf32>, tensor<5x12xi64>)
  %4 = fxgraph.cat %0, %2 dim 1 : (tensor<5x12xf32>, tensor<5x12xf32>) -> tensor<5x24xf32>
  return %4 : tensor<5x24xf32>
}
// Few entries and many; the last one of those that land on an element stays.
func.func @put_few(%x: tensor<5x8xf32>, %v: tensor<3x8xf32>) -> tensor<5x8xf32> {
  %i = fxgraph.constant dense<[-5, 4, 4]> : tensor<3xi64>
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<5x8xf32>, tensor<3xi64>, tensor<3x8xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}
func.func @put_many(%x: tensor<5x8xf32>, %r: tensor<77xi64>, %v: tensor<77x8xf32>) -> tensor<5x8xf32> {
  %n = fxgraph.constant dense<5> : tensor<i64>
  %i = fxgraph.remainder %r, %n : (tensor<77xi64>, tensor<i64>) -> tensor<77xi64>
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<5x8xf32>, tensor<77xi64>, tensor<77x8xf32>) -> tensor<5x8xf32>
  return %0 : tensor<5x8xf32>
}
// Sums are those of the order of the entries, rounded at each step, to the bit.
func.func @accumulate(%x: tensor<6x3x4xf16>, %r: tensor<9x7xi64>, %s: tensor<7xi64>, %v: tensor<9x7x3xf16>) -> tensor<6x3x4xf16> {
  %n = fxgraph.constant dense<6> : tensor<i64>
  %m = fxgraph.constant dense<4> : tensor<i64>
  %i = fxgraph.remainder %r, %n : (tensor<9x7xi64>, tensor<i64>) -> tensor<9x7xi64>
  %j = fxgraph.remainder %s, %m : (tensor<7xi64>, tensor<i64>) -> tensor<7xi64>
  %0 = fxgraph.index_put %x[%i, %j] dims [0, 2], %v accumulate true : (tensor<6x3x4xf16>, tensor<9x7xi64>, tensor<7xi64>, tensor<9x7x3xf16>) -> tensor<6x3x4xf16>
  return %0 : tensor<6x3x4xf16>
}
// An index that is smaller than the input in another dimension, a source that is larger than the index.
func.func @scatter_add(%x: tensor<4x9xf32>, %r: tensor<50x7xi64>, %v: tensor<60x9xf32>) -> tensor<4x9xf32> {
  %n = fxgraph.constant dense<4> : tensor<i64>
  %i = fxgraph.remainder %r, %n : (tensor<50x7xi64>, tensor<i64>) -> tensor<50x7xi64>
  %0 = fxgraph.scatter_add %x, %i, %v dim 0 : (tensor<4x9xf32>, tensor<50x7xi64>, tensor<60x9xf32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}
func.func @mean(%x: tensor<4x9xi32>, %r: tensor<4x50xi64>, %v: tensor<4x50xi32>) -> tensor<4x9xi32> {
  %n = fxgraph.constant dense<8> : tensor<i64>
  %i = fxgraph.remainder %r, %n : (tensor<4x50xi64>, tensor<i64>) -> tensor<4x50xi64>
  %0 = fxgraph.scatter_reduce %x, %i, %v dim 1 reduce "mean" include_self false : (tensor<4x9xi32>, tensor<4x50xi64>, tensor<4x50xi32>) -> tensor<4x9xi32>
  return %0 : tensor<4x9xi32>
}
func.func @product(%x: tensor<40xf32>, %v: tensor<5xf32>) -> tensor<40xf32> {
  %i = fxgraph.constant dense<[3, 39, 3, 0, 3]> : tensor<5xi64>
  %0 = fxgraph.scatter_reduce %x, %i, %v dim 0 reduce "prod" include_self true : (tensor<40xf32>, tensor<5xi64>, tensor<5xf32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}
// Nothing is written.
func.func @none(%x: tensor<4xf32>, %i: tensor<0xi64>, %v: tensor<0xf32>) -> tensor<4xf32> {
  %0 = fxgraph.scatter %x, %i, %v dim 0 : (tensor<4xf32>, tensor<0xi64>, tensor<0xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
