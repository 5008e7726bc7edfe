// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{allow-recompute=true}))' | FileCheck %s --check-prefix=RECOMPUTE

// CHECK-NOT: fxgraph.{{linear_transpose|transpose_linear|transpose_matmul}}

// REMARK-DAG: remark: [Missed] linear-permute | Category:fxgraph-linear-permute-fuse | Remark="the permutation is not the exchange of the last two dimensions"
// RECOMPUTE-LABEL: func.func @other_permutations
// RECOMPUTE-NOT: linear_transpose
func.func @other_permutations(%x: tensor<4x4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>) {
  %l0 = fxgraph.linear %x, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %0 = fxgraph.permute %l0 dims [1, 0, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %l1 = fxgraph.linear %x, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %1 = fxgraph.permute %l1 dims [1, 2, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %l2 = fxgraph.linear %x, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %2 = fxgraph.permute %l2 dims [0, 1, 2] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %l3 = fxgraph.linear %x, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %3 = fxgraph.transpose %l3 dims 0, 2 : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %l4 = fxgraph.linear %x, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %4 = fxgraph.transpose %l4 dims -1, 2 : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>, tensor<4x4x4xf32>
}

func.func @other_permutations_of_operands(%x: tensor<4x4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4x4xf32>, tensor<4x4x4xf32>) {
  %p = fxgraph.permute %x dims [2, 1, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %0 = fxgraph.linear %p, %w : (tensor<4x4x4xf32>, tensor<4x4xf32>) -> tensor<4x4x4xf32>
  %q = fxgraph.transpose %x dims 0, 1 : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = fxgraph.bmm %q, %p : (tensor<4x4x4xf32>, tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  return %0, %1 : tensor<4x4x4xf32>, tensor<4x4x4xf32>
}

// REMARK-DAG: remark: [Missed] linear-permute | Category:fxgraph-linear-permute-fuse | Remark="the linear has other users and would be computed twice"
// RECOMPUTE-LABEL: func.func @linear_with_other_users
// RECOMPUTE-DAG: fxgraph.linear{{ }}
// RECOMPUTE-DAG: fxgraph.linear_transpose
func.func @linear_with_other_users(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %l = fxgraph.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.permute %l dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.relu %l : tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}

// A linear with a vector has no dimension of its outputs; a bias may broadcast.
// REMARK-DAG: Remark="the weight of the linear has not rank 2"
// REMARK-DAG: Remark="the bias of the linear has not one value for each output"
func.func @vector_weight_and_broadcast_bias(%x: tensor<2x4x8xf32>, %v: tensor<8xf32>, %w: tensor<4x8xf32>, %b: tensor<1xf32>, %c: tensor<1x4xf32>)
    -> (tensor<4x2xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>) {
  %0 = fxgraph.linear %x, %v : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %2 = fxgraph.linear %x, %w, %b : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<1xf32>) -> tensor<2x4x4xf32>
  %3 = fxgraph.permute %2 dims [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %4 = fxgraph.linear %x, %w, %c : (tensor<2x4x8xf32>, tensor<4x8xf32>, tensor<1x4xf32>) -> tensor<2x4x4xf32>
  %5 = fxgraph.transpose %4 dims 1, 2 : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %1, %3, %5 : tensor<4x2xf32>, tensor<2x4x4xf32>, tensor<2x4x4xf32>
}

// The permuted value is the weight, or goes through another op first.
func.func @near_misses(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = fxgraph.permute %w dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.linear %x, %p : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.permute %x dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.relu %q : tensor<4x4xf32>
  %1 = fxgraph.linear %r, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<4x4xf32>
}
