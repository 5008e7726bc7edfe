// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: bmm

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// One feeds the other, through other ops.
func.func @dependent(%x: !x, %w: !w) -> !x {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.add %1, %x : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %3 = fxgraph.linear %2, %w : (!x, !w) -> !x
  return %3 : !x
}

// -----

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// The path leads through the weight.
func.func @dependent_weight(%x: !w, %w: !w) -> !w {
  // expected-remark@below {{independent}}
  %0 = fxgraph.linear %x, %w : (!w, !w) -> !w
  // expected-remark@below {{independent}}
  %1 = fxgraph.linear %x, %0 : (!w, !w) -> !w
  return %1 : !w
}

// -----

func.func @shapes_differ(%x: tensor<2x4xf32>, %y: tensor<3x4xf32>, %w: tensor<5x4xf32>) -> (tensor<2x5xf32>, tensor<3x5xf32>) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.linear %y, %w : (tensor<3x4xf32>, tensor<5x4xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<2x5xf32>, tensor<3x5xf32>
}

// -----

func.func @dtypes_differ(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>, %x16: tensor<2x4xf16>, %w16: tensor<5x4xf16>) -> (tensor<2x5xf32>, tensor<2x5xf16>) {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %x16, %w16 : (tensor<2x4xf16>, tensor<5x4xf16>) -> tensor<2x5xf16>
  return %0, %1 : tensor<2x5xf32>, tensor<2x5xf16>
}

// -----

!cpu = tensor<2x4xf32>
!gpu = tensor<2x4xf32, #fxgraph.meta<device = "cuda:1">>
!wcpu = tensor<4x4xf32>
!wgpu = tensor<4x4xf32, #fxgraph.meta<device = "cuda:1">>

func.func @devices_differ(%x: !cpu, %w: !wcpu, %xg: !gpu, %wg: !wgpu) -> (!cpu, !gpu) {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w : (!cpu, !wcpu) -> !cpu
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %xg, %wg : (!gpu, !wgpu) -> !gpu
  return %0, %1 : !cpu, !gpu
}

// -----

func.func @only_one_has_a_bias(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>) {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w, %b : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<5x4xf32>) -> tensor<2x5xf32>
  return %0, %1 : tensor<2x5xf32>, tensor<2x5xf32>
}

// -----

!x = tensor<2x4xf32>
!w = tensor<5x4xf32>
!y = tensor<2x5xf32>

func.func @broadcast_bias(%x: !x, %w: !w, %b1: tensor<1xf32>, %b2: tensor<1x5xf32>) -> (!y, !y, !y, !y) {
  // expected-remark@below {{expected a bias with one value for each output}}
  %0 = fxgraph.linear %x, %w, %b1 : (!x, !w, tensor<1xf32>) -> !y
  // expected-remark@below {{expected a bias with one value for each output}}
  %1 = fxgraph.linear %x, %w, %b1 : (!x, !w, tensor<1xf32>) -> !y
  // expected-remark@below {{expected a bias with one value for each output}}
  %2 = fxgraph.linear %x, %w, %b2 : (!x, !w, tensor<1x5xf32>) -> !y
  // expected-remark@below {{expected a bias with one value for each output}}
  %3 = fxgraph.linear %x, %w, %b2 : (!x, !w, tensor<1x5xf32>) -> !y
  return %0, %1, %2, %3 : !y, !y, !y, !y
}

// -----

!x1 = tensor<4xf32>
!x3 = tensor<2x3x4xf32>
!w = tensor<5x4xf32>

func.func @ranks(%x1: !x1, %x3: !x3, %w: !w, %x: tensor<2x4xf32>) -> (tensor<5xf32>, tensor<5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>) {
  // expected-remark@below {{expected an input of rank 2 but got rank 1}}
  %0 = fxgraph.linear %x1, %w : (!x1, !w) -> tensor<5xf32>
  // expected-remark@below {{expected an input of rank 2 but got rank 1}}
  %1 = fxgraph.linear %x1, %w : (!x1, !w) -> tensor<5xf32>
  // expected-remark@below {{expected an input of rank 2 but got rank 3}}
  %2 = fxgraph.linear %x3, %w : (!x3, !w) -> tensor<2x3x5xf32>
  // expected-remark@below {{expected an input of rank 2 but got rank 3}}
  %3 = fxgraph.linear %x3, %w : (!x3, !w) -> tensor<2x3x5xf32>
  // expected-remark@below {{expected a weight of rank 2 but got rank 1}}
  %4 = fxgraph.linear %x, %x1 : (tensor<2x4xf32>, !x1) -> tensor<2xf32>
  // expected-remark@below {{expected a weight of rank 2 but got rank 1}}
  %5 = fxgraph.linear %x, %x1 : (tensor<2x4xf32>, !x1) -> tensor<2xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<5xf32>, tensor<5xf32>, tensor<2x3x5xf32>, tensor<2x3x5xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// Two unknown extents of one type may differ when run.
func.func @unknown_extent(%x: tensor<?x4xf32>, %y: tensor<?x4xf32>, %w: tensor<5x4xf32>) -> (tensor<?x5xf32>, tensor<?x5xf32>) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = fxgraph.linear %x, %w : (tensor<?x4xf32>, tensor<5x4xf32>) -> tensor<?x5xf32>
  // expected-remark@below {{expected extents that are known to be equal}}
  %1 = fxgraph.linear %y, %w : (tensor<?x4xf32>, tensor<5x4xf32>) -> tensor<?x5xf32>
  return %0, %1 : tensor<?x5xf32>, tensor<?x5xf32>
}

// -----

!s = tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
!t = tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>
!w = tensor<4x4xf32>

func.func @other_symbol(%x: !s, %y: !t, %w: !w) -> (!s, !t) {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w : (!s, !w) -> !s
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %y, %w : (!t, !w) -> !t
  return %0, %1 : !s, !t
}

// -----

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// Pieces of two splits, and an input that is no piece.
func.func @other_producer(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %c: !x, %w: !w) -> (!x, !x, !x) {
  %p:2 = fxgraph.split %a size 4 dim 1 : (tensor<2x8xf32>) -> (!x, !x)
  %q:2 = fxgraph.split %b size 4 dim 1 : (tensor<2x8xf32>) -> (!x, !x)
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %p#0, %w : (!x, !w) -> !x
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %q#0, %w : (!x, !w) -> !x
  // expected-remark@below {{alike but got 1}}
  %2 = fxgraph.linear %c, %w : (!x, !w) -> !x
  return %0, %1, %2 : !x, !x, !x
}

// -----

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// Ops with unknown effects keep their order, and so do the linears around them.
func.func @path_through_effects(%x: !x, %w: !w) -> (!x, !x) {
  // expected-remark@below {{independent}}
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !x
  fxgraph.opaque "test.log" (%0) : (!x) -> ()
  %r = fxgraph.rand : !x
  // expected-remark@below {{independent}}
  %1 = fxgraph.linear %r, %w : (!x, !w) -> !x
  return %0, %1 : !x, !x
}
