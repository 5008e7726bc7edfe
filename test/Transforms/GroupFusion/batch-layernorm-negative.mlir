// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2 numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED

// CHECK-NOT: stack

!x = tensor<4x5xf16>
!s = tensor<5xf16>

// RELAXED-LABEL: func.func @sixteen_bits
// RELAXED: stack
func.func @sixteen_bits(%x0: !x, %x1: !x, %w: !s) -> !x {
  // expected-remark@below {{the rewrite rounds more often in 16 bits, which needs numerics=relaxed}}
  %0 = fxgraph.layer_norm %x0 weight %w over [5] eps 1.0e-05 : (!x, !s) -> !x
  // expected-remark@below {{the rewrite rounds more often in 16 bits, which needs numerics=relaxed}}
  %1 = fxgraph.layer_norm %x1 weight %w over [5] eps 1.0e-05 : (!x, !s) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<4x5xf32>
!s = tensor<5xf32>

func.func @other_eps(%x0: !x, %x1: !x) -> !x {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.layer_norm %x0 over [5] eps 1.0e-05 : (!x) -> !x
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.layer_norm %x1 over [5] eps 1.0e-06 : (!x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<4x5xf32>
!s = tensor<5xf32>

func.func @other_parameters(%x0: !x, %x1: !x, %w: !s) -> !x {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.layer_norm %x0 weight %w over [5] eps 1.0e-05 : (!x, !s) -> !x
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.layer_norm %x1 over [5] eps 1.0e-05 : (!x) -> !x
  // expected-remark@below {{alike but got 1}}
  %2 = fxgraph.layer_norm %x1 bias %w over [5] eps 1.0e-05 : (!x, !s) -> !x
  %3 = fxgraph.add %0, %1 : (!x, !x) -> !x
  %4 = fxgraph.add %3, %2 : (!x, !x) -> !x
  return %4 : !x
}

// -----

!x = tensor<4x5xf32>

func.func @other_normalised_shape(%x0: !x, %x1: !x) -> !x {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.layer_norm %x0 over [5] eps 1.0e-05 : (!x) -> !x
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.layer_norm %x1 over [4, 5] eps 1.0e-05 : (!x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<4x5xf32>

func.func @dependent(%x: !x) -> !x {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.layer_norm %x over [5] eps 1.0e-05 : (!x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.layer_norm %0 over [5] eps 1.0e-05 : (!x) -> !x
  return %1 : !x
}

// -----

!x = tensor<4x5xbf16>
!s = tensor<5xf32>

// The product with weights of 32 bits would be in 32 bits.
// RELAXED-LABEL: func.func @wider_parameters
// RELAXED-NOT: stack
// RELAXED: return
func.func @wider_parameters(%x0: !x, %x1: !x, %w: !s) -> !x {
  // expected-remark@below {{numerics=relaxed}}
  %0 = fxgraph.layer_norm %x0 weight %w bias %w over [5] eps 1.0e-05 : (!x, !s, !s) -> !x
  // expected-remark@below {{numerics=relaxed}}
  %1 = fxgraph.layer_norm %x1 weight %w bias %w over [5] eps 1.0e-05 : (!x, !s, !s) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!cpu = tensor<4x5xf32>
!gpu = tensor<4x5xf32, #fxgraph.meta<device = "cuda:1">>

func.func @devices_differ(%x: !cpu, %y: !gpu) -> (!cpu, !gpu) {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.layer_norm %x over [5] eps 1.0e-05 : (!cpu) -> !cpu
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.layer_norm %y over [5] eps 1.0e-05 : (!gpu) -> !gpu
  return %0, %1 : !cpu, !gpu
}

// -----

func.func @unknown_extent(%x: tensor<?x5xf32>, %y: tensor<?x5xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = fxgraph.layer_norm %x over [5] eps 1.0e-05 : (tensor<?x5xf32>) -> tensor<?x5xf32>
  // expected-remark@below {{expected extents that are known to be equal}}
  %1 = fxgraph.layer_norm %y over [5] eps 1.0e-05 : (tensor<?x5xf32>) -> tensor<?x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x5xf32>
}
