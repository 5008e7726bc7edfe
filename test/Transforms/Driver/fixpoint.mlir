// Rounds, the bound on them, and the smallest graph that is kept.

// RUN: split-file %s %t

// Batching five tanh's of separate arguments makes six more ops: not kept.
// RUN: fx-opt %t/grow.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{pipeline={fxgraph-group-batch-tanh{min-fuse-set-size=2}}}))' \
// RUN:   | FileCheck %s --check-prefix=KEPT
// RUN: fx-opt %t/grow.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{keep-fewest=false pipeline={fxgraph-group-batch-tanh{min-fuse-set-size=2}}}))' \
// RUN:   | FileCheck %s --check-prefix=LAST
// KEPT-NOT: fxgraph.stack
// LAST: fxgraph.stack

// One round says nothing about a fixpoint; two that both change something do.
// RUN: fx-opt %t/chain.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{max-rounds=1 pipeline={fxgraph-splitcat-cancel,fxgraph-splitcat-merge-splits}}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ONE
// ONE-NOT: warning
// ONE: fxgraph.cat
// RUN: fx-opt %t/chain.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{max-rounds=2 pipeline={fxgraph-splitcat-cancel,fxgraph-splitcat-merge-splits}}))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=BOUND
// BOUND: warning: the passes still changed the graph after 2 rounds
// BOUND-NOT: fxgraph.cat

// RUN: not fx-opt %t/chain.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{max-rounds=0 pipeline={fxgraph-normalize}}))' 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: error: fxgraph-fixpoint: expected max-rounds >= 1 but got 0
// RUN: not fx-opt %t/chain.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint))' 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: fxgraph-fixpoint: expected pipeline={PASSES} but got none
// RUN: not fx-opt %t/chain.mlir --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{pipeline={fxgraph-quux}}))' 2>&1 | FileCheck %s --check-prefix=TEXT
// TEXT: expected a pipeline of passes on func.func but got 'fxgraph-quux': 'fxgraph-quux' does not refer to a registered pass

//--- grow.mlir
func.func @grow(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.tanh %a : tensor<4xf32>
  %1 = fxgraph.tanh %b : tensor<4xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}
//--- chain.mlir
func.func @chain(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %q:2 = fxgraph.split_with_sizes %p#1 sizes [1, 3] dim 1 : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
  %c = fxgraph.cat %p#0, %q#0, %q#1 dim 1 : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
