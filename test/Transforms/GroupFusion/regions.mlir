// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2}))' | FileCheck %s

!x = tensor<3xf32>

// Ops of one block fuse, ops of different blocks do not; a path through a region
// keeps them apart.
// CHECK-LABEL: func.func @blocks
// CHECK: fxgraph.tanh %arg1 : tensor<3xf32>
// CHECK: scf.if
// CHECK: fxgraph.tanh {{.*}}tensor<2x3xf32>
// CHECK: else
// CHECK: fxgraph.tanh %arg2 : tensor<3xf32>
// CHECK: fxgraph.tanh {{.*}} : tensor<3xf32>
// CHECK: return
func.func @blocks(%c: i1, %a: !x, %b: !x) -> !x {
  %0 = fxgraph.tanh %a : !x
  %1 = scf.if %c -> !x {
    %2 = fxgraph.tanh %0 : !x
    %3 = fxgraph.tanh %b : !x
    %4 = fxgraph.add %2, %3 : (!x, !x) -> !x
    scf.yield %4 : !x
  } else {
    %5 = fxgraph.tanh %b : !x
    scf.yield %5 : !x
  }
  %6 = fxgraph.tanh %1 : !x
  return %6 : !x
}

// The region uses the first member: it comes after both.
// CHECK-LABEL: func.func @region_between_members
// CHECK: %[[T:.+]] = fxgraph.tanh {{.*}}tensor<2x3xf32>
// CHECK: %[[Y:.+]]:2 = fxgraph.unbind %[[T]]
// CHECK: scf.if
// CHECK: fxgraph.neg %[[Y]]#0
func.func @region_between_members(%c: i1, %a: !x, %b: !x) -> (!x, !x) {
  %0 = fxgraph.tanh %a : !x
  %1 = scf.if %c -> !x {
    %2 = fxgraph.neg %0 : !x
    scf.yield %2 : !x
  } else {
    scf.yield %a : !x
  }
  %3 = fxgraph.exp %b : !x
  %4 = fxgraph.tanh %3 : !x
  %5 = fxgraph.add %1, %4 : (!x, !x) -> !x
  return %5, %3 : !x, !x
}
