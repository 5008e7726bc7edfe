// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-b2b-gemm{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark > %t.after 2>%t
// RUN: fx-opt %s | diff - %t.after
// RUN: FileCheck %s --check-prefix=REMARK < %t

!t = tensor<16x128xf16>
!w = tensor<128x16xf16>
!s = tensor<128x128xf16>

// Inductor's bad pattern: both operands of the outer product.
// REMARK-DAG: remark: [Missed] b2b-gemm | Category:fxgraph-matmul-b2b-gemm | Remark="both operands of the outer product depend on the inner one"
func.func @both_operands(%w: !w, %t: !t) -> !s {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.relu %0 : !s
  %2 = fxgraph.mm %0, %1 : (!s, !s) -> !s
  return %2 : !s
}

// REMARK-DAG: Remark="something else uses what is between the products"
// REMARK-DAG: Remark="the inner product is used by several others"
func.func @other_users(%w: !w, %t: !t) -> (!w, !s, !w, !s, !w, !t) {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.mm %0, %w : (!s, !w) -> !w
  %2 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %3 = fxgraph.relu %2 : !s
  %4 = fxgraph.mm %3, %w : (!s, !w) -> !w
  %5 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %6 = fxgraph.mm %5, %w : (!s, !w) -> !w
  %7 = fxgraph.mm %t, %5 : (!t, !s) -> !t
  return %1, %0, %4, %3, %6, %7 : !w, !s, !w, !s, !w, !t
}

// A path that does not reach the outer product.
func.func @escapes(%w: !w, %t: !t) -> (!w, tensor<128xf16>) {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.relu %0 : !s
  %2 = fxgraph.neg %0 : !s
  %3 = fxgraph.sum %2 dims [0] : (!s) -> tensor<128xf16>
  %4 = fxgraph.mm %1, %w : (!s, !w) -> !w
  return %4, %3 : !w, tensor<128xf16>
}

// Another tensor in f: of the same shape, or one that broadcasts.
// REMARK-DAG: Remark="the ops between the products read other tensors"
func.func @other_tensors(%w: !w, %t: !t, %x: !s, %b: tensor<128xf16>) -> (!w, !w) {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.add %0, %x : (!s, !s) -> !s
  %2 = fxgraph.mm %1, %w : (!s, !w) -> !w
  %3 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %4 = fxgraph.mul %3, %b : (!s, tensor<128xf16>) -> !s
  %5 = fxgraph.mm %4, %w : (!s, !w) -> !w
  return %2, %5 : !w, !w
}

// A view or a reduction between; random numbers between.
func.func @between(%w: !w, %t: !t) -> (!w, !w, !w) {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.permute %0 dims [1, 0] : (!s) -> !s
  %2 = fxgraph.mm %1, %w : (!s, !w) -> !w
  %3 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %4 = fxgraph.softmax %3 dim 1 : (!s) -> !s
  %5 = fxgraph.mm %4, %w : (!s, !w) -> !w
  %6 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %7 = fxgraph.dropout %6 p 5.0e-01 training true : !s
  %8 = fxgraph.mm %7, %w : (!s, !w) -> !w
  return %2, %5, %8 : !w, !w, !w
}

// REMARK-DAG: Remark="the inner product has one operand twice"
// REMARK-DAG: Remark="the ops between the products change the type"
// REMARK-DAG: Remark="the products are of integers"
// REMARK-DAG: Remark="expected matrices of known extents"
// REMARK-DAG: Remark="a matrix is empty"
func.func @kinds(%w: !w, %t: !t, %s: !s, %x: tensor<128x16xf32>, %i: tensor<128x16xi32>, %j: tensor<16x128xi32>, %u: tensor<?x16xf16>, %e: tensor<128x0xf16>, %f: tensor<0x128xf16>)
    -> (!w, tensor<128x16xf32>, tensor<128x16xi32>, tensor<?x16xf16>, !w) {
  %0 = fxgraph.mm %s, %s : (!s, !s) -> !s
  %1 = fxgraph.mm %0, %w : (!s, !w) -> !w
  %2 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %3 = fxgraph.convert_element_type %2 : (!s) -> tensor<128x128xf32>
  %4 = fxgraph.mm %3, %x : (tensor<128x128xf32>, tensor<128x16xf32>) -> tensor<128x16xf32>
  %5 = fxgraph.mm %i, %j : (tensor<128x16xi32>, tensor<16x128xi32>) -> tensor<128x128xi32>
  %6 = fxgraph.mm %5, %i : (tensor<128x128xi32>, tensor<128x16xi32>) -> tensor<128x16xi32>
  %7 = fxgraph.mm %u, %t : (tensor<?x16xf16>, !t) -> tensor<?x128xf16>
  %8 = fxgraph.mm %7, %w : (tensor<?x128xf16>, !w) -> tensor<?x16xf16>
  %9 = fxgraph.mm %e, %f : (tensor<128x0xf16>, tensor<0x128xf16>) -> !s
  %10 = fxgraph.mm %9, %w : (!s, !w) -> !w
  return %1, %4, %6, %8, %10 : !w, tensor<128x16xf32>, tensor<128x16xi32>, tensor<?x16xf16>, !w
}

// Inductor's bad shape.
// REMARK-DAG: Remark="it would read more than the two products"
func.func @bad_shape(%a: tensor<100x100xf16>, %b: tensor<100x100xf16>) -> tensor<100x100xf16> {
  %0 = fxgraph.mm %a, %b : (tensor<100x100xf16>, tensor<100x100xf16>) -> tensor<100x100xf16>
  %1 = fxgraph.mm %0, %b : (tensor<100x100xf16>, tensor<100x100xf16>) -> tensor<100x100xf16>
  return %1 : tensor<100x100xf16>
}

// REMARK-DAG: Remark="the products are not on a GPU"
!c = tensor<128x16xf16, #fxgraph.meta<device = "cpu">>
!d = tensor<16x128xf16, #fxgraph.meta<device = "cpu">>
!e = tensor<128x128xf16, #fxgraph.meta<device = "cpu">>
func.func @cpu(%a: !c, %b: !d) -> !c {
  %0 = fxgraph.mm %a, %b : (!c, !d) -> !e
  %1 = fxgraph.mm %0, %a : (!e, !c) -> !c
  return %1 : !c
}

// In different blocks.
func.func @other_block(%w: !w, %t: !t, %c: i1) -> !w {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %r = scf.if %c -> !w {
    %1 = fxgraph.mm %0, %w : (!s, !w) -> !w
    scf.yield %1 : !w
  } else {
    scf.yield %w : !w
  }
  return %r : !w
}
