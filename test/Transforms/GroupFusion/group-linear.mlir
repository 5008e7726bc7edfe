// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2}))' > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2}))' | diff %t.once -
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2 max-fuse-tensor-size-group-linear=4}))' | FileCheck %s --check-prefix=SMALL
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2 numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: grouped_mm

!x = tensor<4x2xf32>
!w = tensor<2x6xf32>
!y = tensor<4x6xf32>

// Products with and without a sum are two groups. What is returned twice as pieces of one op
// stays apart.
// CHECK-LABEL: func.func @mm_and_addmm
// CHECK-COUNT-2: fxgraph.grouped_mm
// CHECK-NOT: {{ fxgraph.(add)?mm }}
// CHECK: return
// SMALL-LABEL: func.func @mm_and_addmm
// SMALL-NOT: grouped_mm
// SMALL: return
func.func @mm_and_addmm(%a: !x, %b: !x, %w: !w, %s: tensor<2x2xf32>) -> (!y, !y, !y, !y) {
  %0 = fxgraph.mm %a, %w : (!x, !w) -> !y
  %1 = fxgraph.addmm %0, %a, %w : (!y, !x, !w) -> !y
  %t = fxgraph.mm %b, %w : (!x, !w) -> !y
  %2 = fxgraph.addmm %t, %b, %w : (!y, !x, !w) -> !y
  return %0, %1, %t, %2 : !y, !y, !y, !y
}

// -----

!e = tensor<0x2xi64>

// CHECK-LABEL: func.func @empty_integers
// CHECK: fxgraph.grouped_mm
func.func @empty_integers(%a: !e, %w: tensor<2x4xi64>, %v: tensor<2x2xi64>) -> (tensor<0x4xi64>, !e) {
  %0 = fxgraph.mm %a, %w : (!e, tensor<2x4xi64>) -> tensor<0x4xi64>
  %1 = fxgraph.mm %a, %v : (!e, tensor<2x2xi64>) -> !e
  return %0, %1 : tensor<0x4xi64>, !e
}
