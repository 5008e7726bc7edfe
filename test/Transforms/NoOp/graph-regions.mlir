// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-noop-remove,fxgraph-noop-cse))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-noop-remove,fxgraph-noop-cse,canonicalize,fxgraph-noop-cse))' -o /dev/null

!x = tensor<3xf32>

// The bodies of loops and branches are graphs: what is nothing goes, equal ops are one. What a body gives back
// does not become what it took.
// CHECK-LABEL: func.func @body
// CHECK: fxgraph.scan(%arg0) over(%arg1) {
// CHECK-NEXT: ^bb0(%[[C:.+]]: tensor<3xf32>, %[[X:.+]]: tensor<3xf32>):
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[X]]
// CHECK-NEXT: %[[A:.+]] = fxgraph.add %[[N]], %[[N]]
// CHECK-NEXT: %[[K:.+]] = fxgraph.clone %[[C]]
// CHECK-NEXT: fxgraph.yield %[[A]], %[[K]]
func.func @body(%init: !x, %xs: tensor<4x3xf32>) -> (!x, tensor<4x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: !x, %x: !x):
    %1 = fxgraph.slice %x dim 0 from 0 to 9223372036854775807 : (!x) -> !x
    %2 = fxgraph.neg %1 : !x
    %3 = fxgraph.neg %x : !x
    %4 = fxgraph.add %2, %3 : (!x, !x) -> !x
    %one = fxgraph.constant dense<1> : tensor<i64>
    %5 = fxgraph.mul %c, %one : (!x, tensor<i64>) -> !x
    fxgraph.yield %4, %5 : !x, !x
  } : (!x, tensor<4x3xf32>) -> (!x, tensor<4x3xf32>)
  return %0#0, %0#1 : !x, tensor<4x3xf32>
}

// Two branches that compute the same are one, two that draw are two; one that nobody uses goes.
// CHECK-LABEL: func.func @equal
// CHECK-COUNT-3: fxgraph.cond
// CHECK-NOT: fxgraph.cond
// CHECK: return
func.func @equal(%p: tensor<i1>, %x: !x) -> (!x, !x, !x) {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: !x):
    %5 = fxgraph.neg %a : !x
    fxgraph.yield %5 : !x
  } else {
  ^bb0(%a: !x):
    %5 = fxgraph.exp %a : !x
    fxgraph.yield %5 : !x
  } : (tensor<i1>, !x) -> !x
  %1 = fxgraph.cond %p (%x) then {
  ^bb0(%a: !x):
    %5 = fxgraph.neg %a : !x
    fxgraph.yield %5 : !x
  } else {
  ^bb0(%a: !x):
    %5 = fxgraph.exp %a : !x
    fxgraph.yield %5 : !x
  } : (tensor<i1>, !x) -> !x
  %2 = fxgraph.cond %p (%x) then {
  ^bb0(%a: !x):
    %5 = fxgraph.rand : !x
    fxgraph.yield %5 : !x
  } else {
  ^bb0(%a: !x):
    fxgraph.yield %a : !x
  } : (tensor<i1>, !x) -> !x
  %3 = fxgraph.cond %p (%x) then {
  ^bb0(%a: !x):
    %5 = fxgraph.rand : !x
    fxgraph.yield %5 : !x
  } else {
  ^bb0(%a: !x):
    fxgraph.yield %a : !x
  } : (tensor<i1>, !x) -> !x
  %4 = fxgraph.cond %p (%x) then {
  ^bb0(%a: !x):
    fxgraph.yield %a : !x
  } else {
  ^bb0(%a: !x):
    %5 = fxgraph.exp %a : !x
    fxgraph.yield %5 : !x
  } : (tensor<i1>, !x) -> !x
  %s = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %s, %2, %3 : !x, !x, !x
}

// Where rewrites are checked, a loop that does not end on random numbers is not waited for.
// CHECK-LABEL: func.func @endless
// CHECK: } do {
// CHECK-NOT: fxgraph.slice
// CHECK: return
func.func @endless(%x: !x) -> !x {
  %0 = fxgraph.while_loop (%x) cond {
  ^bb0(%a: !x):
    %yes = fxgraph.constant dense<true> : tensor<i1>
    fxgraph.yield %yes : tensor<i1>
  } do {
  ^bb0(%a: !x):
    %1 = fxgraph.slice %a dim 0 from 0 to 3 : (!x) -> !x
    %2 = fxgraph.neg %1 : !x
    fxgraph.yield %2 : !x
  } : (!x) -> !x
  %3 = fxgraph.slice %0 dim 0 from 0 to 3 : (!x) -> !x
  %4 = fxgraph.neg %3 : !x
  return %4 : !x
}
