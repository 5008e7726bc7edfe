// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark > %t.after 2>%t
// RUN: fx-opt %s | diff - %t.after
// RUN: FileCheck %s --check-prefix=REMARK < %t

!x = tensor<3x8xf32>
!w = tensor<8x4xf32>
!y = tensor<3x4xf32>

// REMARK-DAG: remark: [Missed] matmul-concat | Category:fxgraph-freezing-matmul-concat | Remark="the weight may change between runs"
// One weight twice is one product, which others see to.
func.func @weights(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w) -> (!y, !y, !y) {
  %0 = fxgraph.mm %x, %w : (!x, !w) -> !y
  %1 = fxgraph.mm %x, %w : (!x, !w) -> !y
  %2 = fxgraph.mm %x, %v : (!x, !w) -> !y
  return %0, %1, %2 : !y, !y, !y
}

// REMARK-DAG: Remark="the bias may change between runs"
// REMARK-DAG: Remark="the bias has not one value for each output"
// REMARK-DAG: Remark="alpha and beta are not 1"
func.func @biases(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %u: !w {fxgraph.kind = "parameter"}, %t: !w {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %c: tensor<1xf32> {fxgraph.kind = "parameter"}, %d: tensor<4xf32>)
    -> (!y, !y, !y, !y) {
  %0 = fxgraph.addmm %b, %x, %w : (tensor<4xf32>, !x, !w) -> !y
  %1 = fxgraph.addmm %c, %x, %v : (tensor<1xf32>, !x, !w) -> !y
  %2 = fxgraph.addmm %d, %x, %u : (tensor<4xf32>, !x, !w) -> !y
  %3 = fxgraph.addmm %b, %x, %t alpha 2.0 : (tensor<4xf32>, !x, !w) -> !y
  return %0, %1, %2, %3 : !y, !y, !y, !y
}

// Another input; a dependence; unknown extents.
// REMARK-DAG: Remark="expected a weight of known extents"
func.func @others(%x: tensor<8x8xf32>, %z: tensor<8x8xf32>, %w: tensor<8x8xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x8xf32> {fxgraph.kind = "parameter"}, %u: tensor<8x?xf32> {fxgraph.kind = "parameter"}, %t: tensor<8x8xf32> {fxgraph.kind = "parameter"})
    -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x?xf32>, tensor<8x8xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = fxgraph.mm %0, %v : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = fxgraph.mm %x, %u : (tensor<8x8xf32>, tensor<8x?xf32>) -> tensor<8x?xf32>
  %3 = fxgraph.mm %z, %t : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x?xf32>, tensor<8x8xf32>
}

// Of frozen values all of it runs once.
func.func @frozen_input(%x: !x {fxgraph.kind = "buffer"}, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}) -> (!y, !y) {
  %0 = fxgraph.mm %x, %w : (!x, !w) -> !y
  %1 = fxgraph.mm %x, %v : (!x, !w) -> !y
  return %0, %1 : !y, !y
}

// In regions frozen values are not known.
func.func @in_region(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %v: !w {fxgraph.kind = "parameter"}, %c: i1, %y: !y) -> (!y, !y) {
  %r:2 = scf.if %c -> (!y, !y) {
    %0 = fxgraph.mm %x, %w : (!x, !w) -> !y
    %1 = fxgraph.mm %x, %v : (!x, !w) -> !y
    scf.yield %0, %1 : !y, !y
  } else {
    scf.yield %y, %y : !y, !y
  }
  return %r#0, %r#1 : !y, !y
}
