// What passes know of the ops from those before them is of the ops that are there.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-noop-remove,fxgraph-splitcat-cancel,fxgraph-splitcat-mutate-cat,fxgraph-splitcat-merge-getitem-cat,fxgraph-splitcat-cancel))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-noop-remove{counter=first},fxgraph-fixpoint{keep-fewest max-rounds=3 pipeline={fxgraph-splitcat-cancel,fxgraph-noop-cse}},fxgraph-splitcat-cancel))' | FileCheck %s

!x = tensor<4xf32>
!y = tensor<2xf32>

// A dead cat goes in passing, which is no rewrite: the next pass that asks for cats does not get it.
// CHECK-LABEL: func.func @dead
// CHECK-NEXT: fxgraph.split_with_sizes
// CHECK-NEXT: fxgraph.cat
// CHECK-NEXT: return
func.func @dead(%x: !x) -> !x {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (!x) -> (!y, !y)
  %dead = fxgraph.cat %s#1, %s#1 dim 0 : (!y, !y) -> !x
  %c = fxgraph.cat %s#1, %s#0 dim 0 : (!y, !y) -> !x
  return %c : !x
}

// One that is used stays, and one that can be rewritten is.
// CHECK-LABEL: func.func @alive
// CHECK-NEXT: %[[R:.+]] = fxgraph.relu %arg0
// CHECK-NEXT: return %[[R]]
func.func @alive(%x: !x) -> !x {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (!x) -> (!y, !y)
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (!y, !y) -> !x
  %r = fxgraph.relu %c : !x
  return %r : !x
}
