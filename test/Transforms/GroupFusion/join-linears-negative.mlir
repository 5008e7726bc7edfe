// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-fuse-parallel-linear))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-lhs{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: split_with_sizes

!x = tensor<4x4xf32>

// One weight is made from the other's result.
func.func @weight_depends(%x: !x, %w: !x) -> !x {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.linear %x, %w : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.linear %x, %0 : (!x, !x) -> !x
  return %1 : !x
}

// -----

!x = tensor<4x4xf32>

func.func @other_input(%x: !x, %y: !x, %w: !x) -> !x {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w : (!x, !x) -> !x
  // expected-remark@below {{alike but got 1}}
  %1 = fxgraph.linear %y, %w : (!x, !x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  return %2 : !x
}

// -----

!x = tensor<4x4xf32>

// Biases [4] and [1, 4] cannot be joined.
func.func @broadcast_bias(%x: !x, %w: !x, %b: tensor<4xf32>, %c: tensor<1x4xf32>, %d: tensor<1xf32>) -> !x {
  // expected-remark@below {{alike but got 1}}
  %0 = fxgraph.linear %x, %w, %b : (!x, !x, tensor<4xf32>) -> !x
  // expected-remark@below {{expected a bias with one value for each output}}
  %1 = fxgraph.linear %x, %w, %c : (!x, !x, tensor<1x4xf32>) -> !x
  // expected-remark@below {{expected a bias with one value for each output}}
  %2 = fxgraph.linear %x, %w, %d : (!x, !x, tensor<1xf32>) -> !x
  %3 = fxgraph.add %0, %1 : (!x, !x) -> !x
  %4 = fxgraph.add %3, %2 : (!x, !x) -> !x
  return %4 : !x
}

// -----

!x = tensor<4x4xf32>
!w = tensor<?x4xf32>
!y = tensor<4x?xf32>

func.func @unknown_number_of_outputs(%x: !x, %w: !w) -> (!y, !y) {
  // expected-remark@below {{expected a weight of known extents}}
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !y
  // expected-remark@below {{expected a weight of known extents}}
  %1 = fxgraph.linear %x, %w : (!x, !w) -> !y
  return %0, %1 : !y, !y
}

// -----

!x = tensor<4x4xf32>

func.func @vector_weight(%x: !x, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark@below {{expected a weight of rank 2 but got rank 1}}
  %0 = fxgraph.linear %x, %w : (!x, tensor<4xf32>) -> tensor<4xf32>
  // expected-remark@below {{expected a weight of rank 2 but got rank 1}}
  %1 = fxgraph.linear %x, %w : (!x, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
