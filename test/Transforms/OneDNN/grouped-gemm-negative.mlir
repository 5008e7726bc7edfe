// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-grouped-gemm))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: grouped_mm

!x = tensor<4x4xf32>
!b = tensor<4xf32>

// The input is used elsewhere, and is a weight.
// REMARK-DAG: remark: [Missed] onednn-grouped-gemm | Category:fxgraph-onednn-grouped-gemm | Remark="the input has other users"
func.func @users(%x: !x, %v: !x, %w: !x, %y: !x) -> (!x, !x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %v : (!x, !x) -> !x
  %1 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %2 = fxgraph.relu %x : !x
  %3 = fxgraph.linear_pointwise %y, %v : (!x, !x) -> !x
  %4 = fxgraph.linear_pointwise %y, %y : (!x, !x) -> !x
  return %0, %1, %2, %3, %4 : !x, !x, !x, !x, !x
}

// REMARK-DAG: Remark="a product has an activation, or joins another tensor"
func.func @post_ops(%x: !x, %y: !x, %v: !x, %w: !x) -> (!x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %v : (!x, !x) -> !x
  %1 = fxgraph.linear_pointwise %x, %w activation "relu" : (!x, !x) -> !x
  %2 = fxgraph.linear_pointwise %y, %v : (!x, !x) -> !x
  %3 = fxgraph.linear_pointwise %y, %w binary "add" with %w : (!x, !x, !x) -> !x
  return %0, %1, %2, %3 : !x, !x, !x, !x
}

// REMARK-DAG: Remark="two products have one weight"
// REMARK-DAG: Remark="the weights are not known to have one size"
func.func @weights(%x: !x, %y: !x, %z: !x, %v: !x, %w: tensor<5x4xf32>, %s: tensor<?x4xf32>, %t: tensor<?x4xf32>) -> (!x, !x, !x, tensor<4x5xf32>, tensor<4x?xf32>, tensor<4x?xf32>) {
  %0 = fxgraph.linear_pointwise %x, %v : (!x, !x) -> !x
  %1 = fxgraph.linear_pointwise %x, %v : (!x, !x) -> !x
  %2 = fxgraph.linear_pointwise %y, %v : (!x, !x) -> !x
  %3 = fxgraph.linear_pointwise %y, %w : (!x, tensor<5x4xf32>) -> tensor<4x5xf32>
  %4 = fxgraph.linear_pointwise %z, %s : (!x, tensor<?x4xf32>) -> tensor<4x?xf32>
  %5 = fxgraph.linear_pointwise %z, %t : (!x, tensor<?x4xf32>) -> tensor<4x?xf32>
  return %0, %1, %2, %3, %4, %5 : !x, !x, !x, tensor<4x5xf32>, tensor<4x?xf32>, tensor<4x?xf32>
}

// REMARK-DAG: Remark="only some of the products have a bias"
// REMARK-DAG: Remark="a weight or bias is made behind the first product"
func.func @operands(%x: !x, %y: !x, %v: !x, %w: !x, %b: !b) -> (!x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %v bias %b : (!x, !x, !b) -> !x
  %1 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %2 = fxgraph.linear_pointwise %y, %v : (!x, !x) -> !x
  %3 = fxgraph.neg %w : !x
  %4 = fxgraph.linear_pointwise %y, %3 : (!x, !x) -> !x
  return %0, %1, %2, %4 : !x, !x, !x, !x
}

// REMARK-DAG: Remark="the input is no matrix"
// REMARK-DAG: Remark="the products are not on the CPU"
!cuda = tensor<4x4xf32, #fxgraph.meta<device = "cuda:0">>
func.func @inputs(%x: tensor<2x4x4xf32>, %v: !x, %w: !x, %c: !cuda, %cv: !cuda, %cw: !cuda) -> (tensor<2x4x4xf32>, tensor<2x4x4xf32>, !cuda, !cuda) {
  %0 = fxgraph.linear_pointwise %x, %v : (tensor<2x4x4xf32>, !x) -> tensor<2x4x4xf32>
  %1 = fxgraph.linear_pointwise %x, %w : (tensor<2x4x4xf32>, !x) -> tensor<2x4x4xf32>
  %2 = fxgraph.linear_pointwise %c, %cv : (!cuda, !cuda) -> !cuda
  %3 = fxgraph.linear_pointwise %c, %cw : (!cuda, !cuda) -> !cuda
  return %0, %1, %2, %3 : tensor<2x4x4xf32>, tensor<2x4x4xf32>, !cuda, !cuda
}

// REMARK-DAG: Remark="a weight has another dtype than the input"
func.func @widened(%x: !x, %v: tensor<4x4xf16>, %w: tensor<4x4xf16>) -> (!x, !x) {
  %0 = fxgraph.linear_pointwise %x, %v : (!x, tensor<4x4xf16>) -> !x
  %1 = fxgraph.linear_pointwise %x, %w : (!x, tensor<4x4xf16>) -> !x
  return %0, %1 : !x, !x
}
