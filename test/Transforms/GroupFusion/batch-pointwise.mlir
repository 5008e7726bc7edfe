// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh,fxgraph-group-batch-relu,fxgraph-group-batch-sigmoid))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh,fxgraph-group-batch-tanh,fxgraph-group-batch-relu,fxgraph-group-batch-sigmoid,fxgraph-group-batch-relu))' | FileCheck %s

!x = tensor<3xf32>

// CHECK-LABEL: func.func @all_three
// CHECK: fxgraph.tanh {{.*}}tensor<5x3xf32>
// CHECK: fxgraph.relu {{.*}}tensor<5x3xf32>
// CHECK: fxgraph.sigmoid {{.*}}tensor<5x3xf32>
// CHECK-NOT: {{tanh|relu|sigmoid}}
func.func @all_three(%a: !x, %b: !x, %c: !x, %d: !x, %e: !x) -> (!x, !x, !x, !x, !x) {
  %0 = fxgraph.tanh %a : !x
  %1 = fxgraph.tanh %b : !x
  %2 = fxgraph.tanh %c : !x
  %3 = fxgraph.tanh %d : !x
  %4 = fxgraph.tanh %e : !x
  %5 = fxgraph.relu %0 : !x
  %6 = fxgraph.relu %1 : !x
  %7 = fxgraph.relu %2 : !x
  %8 = fxgraph.relu %3 : !x
  %9 = fxgraph.relu %4 : !x
  %10 = fxgraph.sigmoid %5 : !x
  %11 = fxgraph.sigmoid %6 : !x
  %12 = fxgraph.sigmoid %7 : !x
  %13 = fxgraph.sigmoid %8 : !x
  %14 = fxgraph.sigmoid %9 : !x
  return %10, %11, %12, %13, %14 : !x, !x, !x, !x, !x
}

!s = tensor<f64>

// Rank 0, a repeated operand, an unused result.
// CHECK-LABEL: func.func @scalars
// CHECK: fxgraph.stack %arg0, %arg0, %arg1, %arg0, %arg1 dim 0
// CHECK: fxgraph.tanh {{.*}}tensor<5xf64>
func.func @scalars(%a: !s, %b: !s) -> (!s, !s, !s, !s) {
  %0 = fxgraph.tanh %a : !s
  %1 = fxgraph.tanh %a : !s
  %2 = fxgraph.tanh %b : !s
  %3 = fxgraph.tanh %a : !s
  %4 = fxgraph.tanh %b : !s
  return %0, %1, %3, %4 : !s, !s, !s, !s
}

!i = tensor<2x0xi64>

// CHECK-LABEL: func.func @empty_integers
// CHECK: fxgraph.relu {{.*}}tensor<5x2x0xi64>
func.func @empty_integers(%a: !i) -> (!i, !i, !i, !i, !i) {
  %0 = fxgraph.relu %a : !i
  %1 = fxgraph.relu %a : !i
  %2 = fxgraph.relu %a : !i
  %3 = fxgraph.relu %a : !i
  %4 = fxgraph.relu %a : !i
  return %0, %1, %2, %3, %4 : !i, !i, !i, !i, !i
}
