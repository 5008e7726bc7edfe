// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2}))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2},fxgraph-group-batch-layernorm{min-fuse-set-size=2}))' | FileCheck %s
// With a weight each product rounds by itself; without, nothing does.
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2 numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: fxgraph.stack
// EXACT-LABEL: func.func @plain_bf16
// EXACT: fxgraph.stack

!x = tensor<2x3x4x5xf32>
!s = tensor<4x5xf32>

// Several normalised and several leading dimensions.
// CHECK-LABEL: func.func @ranks
// CHECK: fxgraph.layer_norm {{.*}} over [4, 5] eps 5.000000e-01 : (tensor<2x2x3x4x5xf32>)
// CHECK: fxgraph.reshape {{.*}} shape [2, 1, 1, 4, 5]
// CHECK: fxgraph.mul
// CHECK: fxgraph.reshape {{.*}} shape [2, 1, 1, 4, 5]
// CHECK: fxgraph.add
// CHECK: fxgraph.unbind
func.func @ranks(%x0: !x, %x1: !x, %w: !s, %b: !s) -> !x {
  %0 = fxgraph.layer_norm %x0 weight %w bias %b over [4, 5] eps 0.5 : (!x, !s, !s) -> !x
  %1 = fxgraph.layer_norm %x1 weight %w bias %b over [4, 5] eps 0.5 : (!x, !s, !s) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<4x5xf32>

// Nothing leads, there is no bias.
// CHECK-LABEL: func.func @all_dimensions
// CHECK: %[[L:.+]] = fxgraph.layer_norm {{.*}} over [4, 5]
// CHECK: %[[W:.+]] = fxgraph.stack %arg2, %arg3 dim 0
// CHECK: %[[M:.+]] = fxgraph.mul %[[L]], %[[W]]
// CHECK: fxgraph.unbind %[[M]]
func.func @all_dimensions(%x0: !x, %x1: !x, %w0: !x, %w1: !x) -> !x {
  %0 = fxgraph.layer_norm %x0 weight %w0 over [4, 5] eps 1.0e-05 : (!x, !x) -> !x
  %1 = fxgraph.layer_norm %x1 weight %w1 over [4, 5] eps 1.0e-05 : (!x, !x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<?x5xbf16, #fxgraph.meta<dims = [s0]>>
!b = tensor<5xbf16>

// Without weight and bias nothing is rounded anew: exact, also in 16 bits.
// CHECK-LABEL: func.func @plain_bf16
// CHECK: %[[L:.+]] = fxgraph.layer_norm {{.*}} over [5]
// CHECK-NEXT: fxgraph.unbind %[[L]]
func.func @plain_bf16(%x0: !x, %x1: !x) -> !x {
  %0 = fxgraph.layer_norm %x0 over [5] eps 1.0e-05 : (!x) -> !x
  %1 = fxgraph.layer_norm %x1 over [5] eps 1.0e-05 : (!x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}
