// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2 numerics=exact}))' | FileCheck %s

// CHECK-NOT: bmm

!x = tensor<4x4xf32>

// One feeds the other: through the matrix, and through what is added.
func.func @dependent(%x: !x, %w: !x) -> (!x, !x) {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.mm %x, %w : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.mm %x, %0 : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %2 = fxgraph.addmm %x, %x, %w : (!x, !x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %3 = fxgraph.addmm %2, %x, %w : (!x, !x, !x) -> !x
  return %1, %3 : !x, !x
}

// -----

!x = tensor<4x4xf32>

func.func @factors(%x: !x, %w: !x) -> (!x, !x, !x) {
  // expected-remark@below {{expected alpha and beta of 1}}
  %0 = fxgraph.addmm %x, %x, %w alpha 2.0 : (!x, !x, !x) -> !x
  // expected-remark@below {{expected alpha and beta of 1}}
  %1 = fxgraph.addmm %x, %w, %w beta 0.0 : (!x, !x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.addmm %w, %x, %w : (!x, !x, !x) -> !x
  return %0, %1, %2 : !x, !x, !x
}

// -----

!x = tensor<4x4xf32>
!d = tensor<4x4xf64>
!y = tensor<3x4xf32>

// Of other shapes and types; with and without a bias.
func.func @unlike(%x: !x, %d: !d, %y: !y) -> (!x, !d, !y, !x) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.mm %x, %x : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.mm %d, %d : (!d, !d) -> !d
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.mm %y, %x : (!y, !x) -> !y
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %3 = fxgraph.addmm %x, %x, %x : (!x, !x, !x) -> !x
  return %0, %1, %2, %3 : !x, !d, !y, !x
}

// -----

!a = tensor<4x4xf32, #fxgraph.meta<device = "cuda:0">>
!b = tensor<4x4xf32, #fxgraph.meta<device = "cuda:1">>

func.func @other_device(%a: !a, %b: !b) -> (!a, !b) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.mm %a, %a : (!a, !a) -> !a
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.mm %b, %b : (!b, !b) -> !b
  return %0, %1 : !a, !b
}

// -----

!x = tensor<?x4xf32>
!w = tensor<4x4xf32>

func.func @not_known(%a: !x, %w: !w) -> (!x, !x) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = fxgraph.mm %a, %w : (!x, !w) -> !x
  // expected-remark@below {{expected extents that are known to be equal}}
  %1 = fxgraph.mm %a, %w : (!x, !w) -> !x
  return %0, %1 : !x, !x
}
