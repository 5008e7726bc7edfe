// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-activation-addmm{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: addmm_activation

!b = tensor<4xf32>
!x = tensor<4x4xf32>

// REMARK-DAG: remark: [Missed] relu-addmm | Category:fxgraph-matmul-activation-addmm | Remark="the addmm is not on a GPU"
!cpu = tensor<4x4xf32, #fxgraph.meta<device = "cpu">>
func.func @cpu(%b: tensor<4xf32, #fxgraph.meta<device = "cpu">>, %x: !cpu) -> !cpu {
  %0 = fxgraph.addmm %b, %x, %x : (tensor<4xf32, #fxgraph.meta<device = "cpu">>, !cpu, !cpu) -> !cpu
  %1 = fxgraph.relu %0 : !cpu
  return %1 : !cpu
}

// A matrix, one value, a factor.
// REMARK-DAG: Remark="the addmm does not add a bias with one value for each column"
// REMARK-DAG: Remark="the addmm scales its bias: beta is not 1"
func.func @inputs(%b: !b, %one: tensor<1xf32>, %x: !x) -> (!x, !x, !x) {
  %0 = fxgraph.addmm %x, %x, %x : (!x, !x, !x) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.addmm %one, %x, %x : (tensor<1xf32>, !x, !x) -> !x
  %3 = fxgraph.relu %2 : !x
  %4 = fxgraph.addmm %b, %x, %x beta 0.5 : (!b, !x, !x) -> !x
  %5 = fxgraph.relu %4 : !x
  return %1, %3, %5 : !x, !x, !x
}

// REMARK-DAG: Remark="the gelu is exact, and that of a GPU goes by tanh"
// REMARK-DAG: Remark="the addmm is one of integers"
func.func @kinds(%b: !b, %x: !x, %i: tensor<4xi32>, %j: tensor<4x4xi32>) -> (!x, tensor<4x4xi32>, !x) {
  %0 = fxgraph.addmm %b, %x, %x : (!b, !x, !x) -> !x
  %1 = fxgraph.gelu %0 : !x
  %2 = fxgraph.addmm %i, %j, %j : (tensor<4xi32>, tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  %3 = fxgraph.relu %2 : tensor<4x4xi32>
  %4 = fxgraph.addmm %b, %x, %x : (!b, !x, !x) -> !x
  %5 = fxgraph.sigmoid %4 : !x
  return %1, %3, %5 : !x, tensor<4x4xi32>, !x
}

// REMARK-DAG: Remark="an elementwise op or a reduction follows, whose kernel it joins"
// REMARK-DAG: Remark="the product has other users"
func.func @users(%b: !b, %x: !x) -> (!x, tensor<4xf32>, !x, !x) {
  %0 = fxgraph.addmm %b, %x, %x : (!b, !x, !x) -> !x
  %1 = fxgraph.relu %0 : !x
  %2 = fxgraph.permute %1 dims [1, 0] : (!x) -> !x
  %3 = fxgraph.neg %2 : !x
  %4 = fxgraph.addmm %b, %x, %x : (!b, !x, !x) -> !x
  %5 = fxgraph.relu %4 : !x
  %6 = fxgraph.sum %5 dims [0] : (!x) -> tensor<4xf32>
  %7 = fxgraph.addmm %b, %x, %x : (!b, !x, !x) -> !x
  %8 = fxgraph.relu %7 : !x
  return %3, %6, %7, %8 : !x, tensor<4xf32>, !x, !x
}
