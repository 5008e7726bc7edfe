// What would hang, or has no meaning, is one located error that names op and rank.

// RUN: rm -rf %t && mkdir -p %t
// RUN: not fx-run %s --ranks=3 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: grid-errors.mlir:[[#@LINE+42]]:8: error: rank 0: 'fxgraph.all_gather_into_tensor' op expected 2 ranks in group 'g' but the grid has 3
// RUN: not fx-run %s --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=ALONE
// ALONE: error: 'fxgraph.all_gather_into_tensor' op expected a grid of processes (ranks=N) for the 2 processes of group 'g' but got a run of one process
// RUN: not fx-run %s --entry=sum --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=SUM
// SUM: error: 'fxgraph.all_reduce' op expected a grid of processes (ranks=N) for the processes of group 'g' but got a run of one process
// RUN: not fx-run %s --entry=sum --ranks=4 --group=g:0,1,3 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: error: rank 2: 'fxgraph.all_reduce' op expected a rank of group 'g' but rank 2 is in no set of it
// RUN: not fx-run %s --entry=mean --ranks=2 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=MEAN
// MEAN: error: rank 0: 'fxgraph.all_reduce' op expected floating-point numbers for avg but got i1

// Shapes that differ by rank.
// RUN: %python -c 'import numpy, sys; numpy.savez(sys.argv[1], **{"rank0/arg0": numpy.zeros(2, "f"), "rank1/arg0": numpy.zeros(3, "f")})' %t/shapes.npz
// RUN: not fx-run %s --entry=shapes --ranks=2 --inputs=%t/shapes.npz 2>&1 | FileCheck %s --check-prefix=SHAPES
// SHAPES: error: rank 1: expected the collective that rank 0 starts in group 'g', 'fxgraph.all_reduce' {{.*}} of tensor<2xf32>, but got {{.*}} of tensor<3xf32>
// RUN: fx-run %s --entry=shapes --ranks=2 '--group=g:0;1' --inputs=%t/shapes.npz --print | FileCheck %s --check-prefix=OWN
// OWN: rank0/out0: tensor<2xf32> [0, 0]
// OWN: rank1/out0: tensor<3xf32> [0, 0, 0]

// Options.
// RUN: not fx-run %s --ranks=0 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: fx-run: error: --ranks: expected ranks between 1 and 256 but got '0'
// RUN: not fx-run %s --group=g:0 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=GROUP
// GROUP: fx-run: error: expected --ranks beside --group but got --group=g:0 alone
// RUN: not fx-run %s --ranks=2 --group=g:0,2 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error: expected ranks between 0 and 1 in the group 'g' but got '2'
// RUN: not fx-run %s --ranks=2 --target=cpu --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=TARGET
// TARGET: fx-run: error: expected --ranks with the targets ref and gpu-emulator but got cpu
// RUN: not fx-run %s --ranks=2 --compare-target=cpu --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=OTHER
// OTHER: fx-run: error: expected --ranks with the targets ref and gpu-emulator but got cpu

// RUN: not fx-run %s --entry=source --ranks=2 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=SOURCE
// SOURCE: expected src below 2, the number of processes, but got 2
// RUN: not fx-run %s --entry=splits --ranks=2 --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=SPLITS
// SPLITS: rank 0: {{.*}}expected process 1 to give 3 rows to process 0 but it gives 1
// A graph compiled for a CPU runs in one process; one for a GPU has to be told of the others.
// RUN: not fx-run %s --target=cpu --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: error: 'fxgraph.all_gather_into_tensor' op expected a group of 1 process, as a compiled graph runs in one, but got 2 in group 'g'
// RUN: not fx-run %s --entry=sum --target=cpu --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=CPUSUM
// CPUSUM: error: 'fxgraph.all_reduce' op expected no reduction over group 'g', as a compiled graph runs in one process and the group's size is not known
// RUN: not fx-run %s --target=gpu-emulator --inputs=seed:0 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: the graph failed: graph 'main': expected a communicator for group 'g' but none was set
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @sum(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @mean(%x: tensor<4xi1>) -> tensor<4xi1> {
  %0 = fxgraph.all_reduce %x op "avg" group "g" : (tensor<4xi1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
func.func @shapes(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @source(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.broadcast %x from 2 group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @splits(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_to_all_single %x give [1, 3] take [1, 3] group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
