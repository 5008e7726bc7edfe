// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

!x = tensor<4x4xf32>

// REMARK-DAG: remark: [Missed] onednn-binary | Category:fxgraph-onednn-fuse-binary | Remark="alpha is not 1"
// REMARK-DAG: Remark="both operands are the product"
// CHECK-LABEL: func.func @operands
// CHECK-NOT: binary
func.func @operands(%x: !x, %w: !x, %y: !x) -> (!x, !x, !x, !x) {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.add %0, %y alpha 2.0 : (!x, !x) -> !x
  %2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %3 = fxgraph.sub %2, %y alpha 0.5 : (!x, !x) -> !x
  %4 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %5 = fxgraph.mul %4, %4 : (!x, !x) -> !x
  %6 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %7 = fxgraph.sub %y, %6 : (!x, !x) -> !x
  return %1, %3, %5, %7 : !x, !x, !x, !x
}

// REMARK-DAG: Remark="the product has other users"
// CHECK-LABEL: func.func @users
// CHECK-NOT: binary
func.func @users(%x: !x, %w: !x, %y: !x) -> (!x, !x) {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.add %0, %y : (!x, !x) -> !x
  return %0, %1 : !x, !x
}

// A row, a number, one of rank 0; a product that the other widens.
// REMARK-DAG: Remark="the other operand is not known to have the product's type"
// CHECK-LABEL: func.func @types
// CHECK-NOT: binary
func.func @types(%x: !x, %w: !x, %row: tensor<4xf32>, %s: tensor<f32>, %big: tensor<2x4x4xf32>) -> (!x, !x, !x, tensor<2x4x4xf32>) {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.add %0, %row : (!x, tensor<4xf32>) -> !x
  %2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %3 = fxgraph.add %2, %n : (!x, tensor<f64>) -> !x
  %4 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %5 = fxgraph.add %4, %s : (!x, tensor<f32>) -> !x
  %6 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %7 = fxgraph.add %6, %big : (!x, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %1, %3, %5, %7 : !x, !x, !x, tensor<2x4x4xf32>
}

// Two extents that are not known may differ: 1 broadcasts.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: binary
func.func @unknown(%x: tensor<?x4xf32>, %w: !x, %y: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = fxgraph.linear_pointwise %x, %w : (tensor<?x4xf32>, !x) -> tensor<?x4xf32>
  %1 = fxgraph.add %0, %y : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %1 : tensor<?x4xf32>
}

// REMARK-DAG: Remark="the product joins another tensor already"
// REMARK-DAG: Remark="the product has an activation, behind which nothing is joined"
// CHECK-LABEL: func.func @full
// CHECK: fxgraph.add
// CHECK: fxgraph.add
func.func @full(%x: !x, %w: !x, %y: !x) -> (!x, !x) {
  %0 = fxgraph.linear_pointwise %x, %w binary "mul" with %y : (!x, !x, !x) -> !x
  %1 = fxgraph.add %0, %y : (!x, !x) -> !x
  %2 = fxgraph.linear_pointwise %x, %w activation "relu" : (!x, !x) -> !x
  %3 = fxgraph.add %2, %y : (!x, !x) -> !x
  return %1, %3 : !x, !x
}
