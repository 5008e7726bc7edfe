// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: grouped_mm

!x = tensor<4x4xf32>

func.func @dependent(%x: !x) -> !x {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.mm %x, %x : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.mm %x, %0 : (!x, !x) -> !x
  return %1 : !x
}

// -----

!x = tensor<4x4xf32>
!o = tensor<4x3xf32>

func.func @extents(%x: !x, %o: !o, %l: tensor<4x4098xf32>, %u: tensor<?x4xf32>) -> (!o, tensor<4x4098xf32>, tensor<?x4xf32>) {
  // expected-remark@below {{expected even extents but got 3}}
  %0 = fxgraph.mm %x, %o : (!x, !o) -> !o
  // expected-remark@below {{expected extents of at most 4096 but got 4098}}
  %1 = fxgraph.mm %x, %l : (!x, tensor<4x4098xf32>) -> tensor<4x4098xf32>
  // expected-remark@below {{expected known extents}}
  %2 = fxgraph.mm %u, %x : (tensor<?x4xf32>, !x) -> tensor<?x4xf32>
  return %0, %1, %2 : !o, tensor<4x4098xf32>, tensor<?x4xf32>
}

// -----

!x = tensor<4x4xf32>
!d = tensor<4x4xf64>
!g = tensor<4x4xf32, #fxgraph.meta<device = "cuda:1">>

func.func @unlike(%x: !x, %d: !d, %g: !g) -> (!x, !d, !g, !x, !x) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.mm %x, %x : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.mm %d, %d : (!d, !d) -> !d
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.mm %g, %g : (!g, !g) -> !g
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %3 = fxgraph.addmm %x, %x, %x : (!x, !x, !x) -> !x
  // expected-remark@below {{expected alpha and beta of 1}}
  %4 = fxgraph.addmm %x, %x, %x beta 2.0 : (!x, !x, !x) -> !x
  return %0, %1, %2, %3, %4 : !x, !d, !g, !x, !x
}
