// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-int-mm-mul{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-int-mm-mul{default-device=xpu}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=XPU

// CHECK-NOT: int_mm_mul
// XPU-DAG: remark: [Missed] int-mm-mul | Category:fxgraph-matmul-int-mm-mul | Remark="the product is not on a GPU of CUDA"

!a = tensor<4x4xi8>
!i = tensor<4x4xi32>
!f = tensor<4x4xf32>

// A vector, a number, a matrix that the product broadcasts to, rank 3.
// REMARK-DAG: remark: [Missed] int-mm-mul | Category:fxgraph-matmul-int-mm-mul | Remark="the scale is no matrix of floats"
// REMARK-DAG: Remark="the scale does not broadcast to the product"
func.func @scales(%a: !a, %row: tensor<1x4xi8>, %v: tensor<4xf32>, %s: !f, %t: tensor<?x4xf32>, %n: tensor<f64>) -> (!f, !f, !f, tensor<?x4xf32>) {
  %0 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %1 = fxgraph.convert_element_type %0 : (!i) -> !f
  %2 = fxgraph.mul %1, %v : (!f, tensor<4xf32>) -> !f
  %3 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %4 = fxgraph.convert_element_type %3 : (!i) -> !f
  %5 = fxgraph.mul %4, %n : (!f, tensor<f64>) -> !f
  %6 = fxgraph.int_mm %row, %a : (tensor<1x4xi8>, !a) -> tensor<1x4xi32>
  %7 = fxgraph.convert_element_type %6 : (tensor<1x4xi32>) -> tensor<1x4xf32>
  %8 = fxgraph.mul %7, %s : (tensor<1x4xf32>, !f) -> !f
  %9 = fxgraph.int_mm %row, %a : (tensor<1x4xi8>, !a) -> tensor<1x4xi32>
  %10 = fxgraph.convert_element_type %9 : (tensor<1x4xi32>) -> tensor<1x4xf32>
  %11 = fxgraph.mul %10, %t : (tensor<1x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %2, %5, %8, %11 : !f, !f, !f, tensor<?x4xf32>
}

// REMARK-DAG: Remark="the product has other users"
func.func @users(%a: !a, %s: !f) -> (!f, !i, !f, !f) {
  %0 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %1 = fxgraph.convert_element_type %0 : (!i) -> !f
  %2 = fxgraph.mul %1, %s : (!f, !f) -> !f
  %3 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %4 = fxgraph.convert_element_type %3 : (!i) -> !f
  %5 = fxgraph.mul %4, %s : (!f, !f) -> !f
  return %2, %0, %5, %4 : !f, !i, !f, !f
}

// Integers by integers; something between.
func.func @near_misses(%a: !a, %i: !i, %s: !f) -> (!i, !f) {
  %0 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %1 = fxgraph.mul %0, %i : (!i, !i) -> !i
  %2 = fxgraph.int_mm %a, %a : (!a, !a) -> !i
  %3 = fxgraph.neg %2 : !i
  %4 = fxgraph.convert_element_type %3 : (!i) -> !f
  %5 = fxgraph.mul %4, %s : (!f, !f) -> !f
  return %1, %5 : !i, !f
}
