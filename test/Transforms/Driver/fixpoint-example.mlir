// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-fixpoint{pipeline={fxgraph-splitcat-cancel,fxgraph-splitcat-merge-splits,fxgraph-noop-remove}}))' | FileCheck %s

// Merging the splits is what lets the cat cancel, in the second round.
func.func @two_rounds(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %q:2 = fxgraph.split_with_sizes %p#1 sizes [1, 3] dim 1 : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
  %c = fxgraph.cat %p#0, %q#0, %q#1 dim 1 : (tensor<2x4xf32>, tensor<2x1xf32>, tensor<2x3xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: func @two_rounds
// CHECK-SAME: %[[X:[^:]*]]:
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
