// The cost model: what gains is fused, what does not is left alone, and the remarks say
// what was weighed.

// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2 profitable-only=true},fxgraph-group-batch-tanh{min-fuse-set-size=2 profitable-only=true}))' \
// RUN:   --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s

// RUN: fx-opt %s --fxgraph-group-batch-linear=min-fuse-set-size=2 --fxgraph-group-batch-tanh=min-fuse-set-size=2 \
// RUN:   | FileCheck %s --check-prefix=ALL
// ALL-LABEL: func @pieces
// ALL: fxgraph.bmm
// ALL-LABEL: func @huge_weights
// ALL: fxgraph.bmm
// ALL-LABEL: func @few
// ALL: fxgraph.stack

!x = tensor<4x8xf32>
!w = tensor<8x8xf32>

// Eight small products of the pieces of one split: one launch instead of eight.
// CHECK: remark: {{.*}}batch-linear{{.*}}8 ops: 8 ops in {{[0-9.]+}} us become 4 in {{[0-9.]+}} us
// CHECK-DAG: remark: {{.*}}batch-linear{{.*}}no gain: 7 ops in {{[0-9.]+}} us become 5 in {{[0-9.]+}} us
// CHECK-DAG: remark: {{.*}}batch-tanh{{.*}}no gain: 2 ops in {{[0-9.]+}} us become 3 in {{[0-9.]+}} us
// CHECK-LABEL: func @pieces
// CHECK: fxgraph.bmm
// CHECK-NOT: fxgraph.linear
func.func @pieces(%x: tensor<4x64xf32>, %w: !w) -> (!x, !x, !x, !x, !x, !x, !x, !x) {
  %p:8 = fxgraph.split_with_sizes %x sizes [8, 8, 8, 8, 8, 8, 8, 8] dim 1 : (tensor<4x64xf32>) -> (!x, !x, !x, !x, !x, !x, !x, !x)
  %0 = fxgraph.linear %p#0, %w : (!x, !w) -> !x
  %1 = fxgraph.linear %p#1, %w : (!x, !w) -> !x
  %2 = fxgraph.linear %p#2, %w : (!x, !w) -> !x
  %3 = fxgraph.linear %p#3, %w : (!x, !w) -> !x
  %4 = fxgraph.linear %p#4, %w : (!x, !w) -> !x
  %5 = fxgraph.linear %p#5, %w : (!x, !w) -> !x
  %6 = fxgraph.linear %p#6, %w : (!x, !w) -> !x
  %7 = fxgraph.linear %p#7, %w : (!x, !w) -> !x
  return %0, %1, %2, %3, %4, %5, %6, %7 : !x, !x, !x, !x, !x, !x, !x, !x
}

!a = tensor<1x4096xf32>
!b = tensor<4096x4096xf32>

// Copying the weights together costs more than the launches that it saves.
// CHECK-LABEL: func @huge_weights
// CHECK-NOT: fxgraph.bmm
func.func @huge_weights(%x: !a, %a: !b, %b: !b, %c: !b, %d: !b, %e: !b, %f: !b, %g: !b) -> (!a, !a, !a, !a, !a, !a, !a) {
  %0 = fxgraph.linear %x, %a : (!a, !b) -> !a
  %1 = fxgraph.linear %x, %b : (!a, !b) -> !a
  %2 = fxgraph.linear %x, %c : (!a, !b) -> !a
  %3 = fxgraph.linear %x, %d : (!a, !b) -> !a
  %4 = fxgraph.linear %x, %e : (!a, !b) -> !a
  %5 = fxgraph.linear %x, %f : (!a, !b) -> !a
  %6 = fxgraph.linear %x, %g : (!a, !b) -> !a
  return %0, %1, %2, %3, %4, %5, %6 : !a, !a, !a, !a, !a, !a, !a
}

// Fewer launches do not come for more ops.
// CHECK-LABEL: func @few
// CHECK-NOT: fxgraph.stack
func.func @few(%x: !x, %y: !x) -> (!x, !x) {
  %0 = fxgraph.tanh %x : !x
  %1 = fxgraph.tanh %y : !x
  return %0, %1 : !x, !x
}
