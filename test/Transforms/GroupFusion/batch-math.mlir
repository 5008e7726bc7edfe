// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-detach{min-fuse-set-size=2},fxgraph-group-batch-nan-to-num{min-fuse-set-size=2},fxgraph-group-batch-clamp{min-fuse-set-size=2},fxgraph-group-batch-dropout{min-fuse-set-size=2}))' | FileCheck %s

!x = tensor<3xf32>

// CHECK-LABEL: func.func @parameters_are_kept
// CHECK: fxgraph.detach {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.nan_to_num {{.*}}5.000000e-01{{.*}}tensor<2x3xf32>
// CHECK: fxgraph.clamp {{.*}}-1.000000e+00{{.*}}tensor<2x3xf32>
// CHECK: fxgraph.dropout {{.*}}p 2.500000e-01{{.*}}tensor<2x3xf32>
func.func @parameters_are_kept(%a: !x, %b: !x) -> !x {
  %0 = fxgraph.detach %a : !x
  %1 = fxgraph.detach %b : !x
  %2 = fxgraph.nan_to_num %0 {nan = 0.5 : f64} : !x
  %3 = fxgraph.nan_to_num %1 {nan = 0.5 : f64} : !x
  %4 = fxgraph.clamp %2 {min = -1.0 : f64} : !x
  %5 = fxgraph.clamp %3 {min = -1.0 : f64} : !x
  %6 = fxgraph.dropout %4 p 0.25 {training = false} : !x
  %7 = fxgraph.dropout %5 p 0.25 {training = false} : !x
  %8 = fxgraph.add %6, %7 : (!x, !x) -> !x
  return %8 : !x
}

// -----

!x = tensor<3xf32>

// Other values, other bounds, dropouts that draw, other kinds of users, no user.
// CHECK-LABEL: func.func @nothing_alike
// CHECK-NOT: fxgraph.stack
func.func @nothing_alike(%a: !x, %b: !x) -> (!x, !x) {
  %0 = fxgraph.nan_to_num %a {nan = 0.5 : f64} : !x
  %1 = fxgraph.nan_to_num %b {nan = 1.5 : f64} : !x
  %2 = fxgraph.clamp %0 {min = -1.0 : f64} : !x
  %3 = fxgraph.clamp %1 {max = -1.0 : f64} : !x
  %4 = fxgraph.dropout %2 p 0.25 {training = true} : !x
  %5 = fxgraph.dropout %3 p 0.25 {training = true} : !x
  %6 = fxgraph.detach %4 : !x
  %7 = fxgraph.detach %5 : !x
  %8 = fxgraph.relu %6 : !x
  %9 = fxgraph.neg %7 : !x
  %10 = fxgraph.detach %9 : !x
  return %8, %9 : !x, !x
}
