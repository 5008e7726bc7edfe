// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-lhs{min-fuse-set-size=2}))' | FileCheck %s --check-prefixes=CHECK,LHS
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-fuse-parallel-linear))' | FileCheck %s --check-prefixes=CHECK,PARALLEL
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-lhs{min-fuse-set-size=2},fxgraph-group-batch-linear-lhs{min-fuse-set-size=2}))' | FileCheck %s --check-prefixes=CHECK,LHS
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-fuse-parallel-linear,fxgraph-group-fuse-parallel-linear))' | FileCheck %s --check-prefixes=CHECK,PARALLEL
// Another order of sums.
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-lhs{min-fuse-set-size=2 numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-fuse-parallel-linear{numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: fxgraph.{{addmm|mm|split_with_sizes}}

!x = tensor<4x8xf32>
!w = tensor<3x8xf32>
!y = tensor<4x3xf32>

// Those with a bias and those without are two groups. One weight used twice.
// CHECK-LABEL: func.func @with_and_without_bias
// LHS-DAG: fxgraph.addmm
// LHS-DAG: fxgraph.mm
// PARALLEL-COUNT-2: fxgraph.linear
// CHECK-NOT: fxgraph.linear
func.func @with_and_without_bias(%x: !x, %w: !w, %b: tensor<3xf32>) -> !y {
  %0 = fxgraph.linear %x, %w, %b : (!x, !w, tensor<3xf32>) -> !y
  %1 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %2 = fxgraph.linear %x, %w, %b : (!x, !w, tensor<3xf32>) -> !y
  %3 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %4 = fxgraph.add %0, %1 : (!y, !y) -> !y
  %5 = fxgraph.add %2, %3 : (!y, !y) -> !y
  %6 = fxgraph.add %4, %5 : (!y, !y) -> !y
  return %6 : !y
}

// -----

!x = tensor<?x8xf16>
!w = tensor<3x8xf16>
!y = tensor<?x3xf16>

// The members share the input itself: its extent need not be known. A weight of no
// rows gives an empty piece.
// CHECK-LABEL: func.func @unknown_extent
// CHECK: fxgraph.split_with_sizes {{.*}} sizes [3, 0] dim 1 : (tensor<?x3xf16>) -> (tensor<?x3xf16>, tensor<?x0xf16>)
func.func @unknown_extent(%x: !x, %w: !w, %v: tensor<0x8xf16>) -> (!y, tensor<?x0xf16>) {
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %1 = fxgraph.linear %x, %v : (!x, tensor<0x8xf16>) -> tensor<?x0xf16>
  %2 = fxgraph.neg %0 : !y
  %3 = fxgraph.neg %1 : tensor<?x0xf16>
  return %2, %3 : !y, tensor<?x0xf16>
}

// -----

// Rank 1 and rank 3 only for the parallel fusion.
// CHECK-LABEL: func.func @other_ranks
// LHS-COUNT-4: fxgraph.linear
// PARALLEL: fxgraph.linear {{.*}} -> tensor<6xf32>
// PARALLEL: fxgraph.split_with_sizes {{.*}} sizes [3, 3] dim 0
// PARALLEL: fxgraph.linear {{.*}} -> tensor<2x4x6xf32>
// PARALLEL: fxgraph.split_with_sizes {{.*}} sizes [3, 3] dim 2
// PARALLEL-NOT: fxgraph.linear
func.func @other_ranks(%v: tensor<8xf32>, %x: tensor<2x4x8xf32>, %w0: tensor<3x8xf32>, %w1: tensor<3x8xf32>) -> (tensor<3xf32>, tensor<2x4x3xf32>) {
  %0 = fxgraph.linear %v, %w0 : (tensor<8xf32>, tensor<3x8xf32>) -> tensor<3xf32>
  %1 = fxgraph.linear %v, %w1 : (tensor<8xf32>, tensor<3x8xf32>) -> tensor<3xf32>
  %2 = fxgraph.linear %x, %w0 : (tensor<2x4x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3xf32>
  %3 = fxgraph.linear %x, %w1 : (tensor<2x4x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3xf32>
  %4 = fxgraph.add %0, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %5 = fxgraph.add %2, %3 : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return %4, %5 : tensor<3xf32>, tensor<2x4x3xf32>
}
