// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{shape-padding-multiplier=-1}))' 2>&1 | FileCheck %s --check-prefix=MULTIPLIER
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{unaligned-rate=2}))' 2>&1 | FileCheck %s --check-prefix=RATE
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{k-threshold-to-pad=-1}))' 2>&1 | FileCheck %s --check-prefix=THRESHOLD

// THRESHOLD: error: fxgraph-matmul-pad-mm: expected k-threshold-to-pad of 0 or more but got -1
// MULTIPLIER: error: fxgraph-matmul-pad-mm: expected shape-padding-multiplier above 0 but got -1
// RATE: error: fxgraph-matmul-pad-mm: expected unaligned-rate in (0, 1] but got 2

// CHECK-NOT: constant_pad_nd

// REMARK-DAG: remark: [Missed] pad-mm | Category:fxgraph-matmul-pad-mm | Remark="the product is not on a GPU"
func.func @cpu(%a: tensor<5x6xf32, #fxgraph.meta<device = "cpu">>, %b: tensor<6x7xf32, #fxgraph.meta<device = "cpu">>) -> tensor<5x7xf32, #fxgraph.meta<device = "cpu">> {
  %0 = fxgraph.mm %a, %b : (tensor<5x6xf32, #fxgraph.meta<device = "cpu">>, tensor<6x7xf32, #fxgraph.meta<device = "cpu">>) -> tensor<5x7xf32, #fxgraph.meta<device = "cpu">>
  return %0 : tensor<5x7xf32, #fxgraph.meta<device = "cpu">>
}

// Aligned; of a dtype that gains nothing; of one row and column with an aligned sum.
func.func @aligned(%a: tensor<4x8xf32>, %b: tensor<8x12xf32>, %c: tensor<5x7xf64>, %d: tensor<7x3xf64>, %e: tensor<5x7xi32>, %f: tensor<7x3xi32>, %g: tensor<1x8xf32>, %h: tensor<8x1xf32>)
    -> (tensor<4x12xf32>, tensor<5x3xf64>, tensor<5x3xi32>, tensor<1x1xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x12xf32>) -> tensor<4x12xf32>
  %1 = fxgraph.mm %c, %d : (tensor<5x7xf64>, tensor<7x3xf64>) -> tensor<5x3xf64>
  %2 = fxgraph.mm %e, %f : (tensor<5x7xi32>, tensor<7x3xi32>) -> tensor<5x3xi32>
  %3 = fxgraph.mm %g, %h : (tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
  return %0, %1, %2, %3 : tensor<4x12xf32>, tensor<5x3xf64>, tensor<5x3xi32>, tensor<1x1xf32>
}

// REMARK-DAG: Remark="an operand is empty"
func.func @empty(%a: tensor<5x0xf32>, %b: tensor<0x7xf32>) -> tensor<5x7xf32> {
  %0 = fxgraph.mm %a, %b : (tensor<5x0xf32>, tensor<0x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}

// REMARK-DAG: Remark="no extent of an operand is known"
func.func @unknown(%a: tensor<?x?xf32>, %b: tensor<5x7xf32>, %x: tensor<f32>, %c: tensor<5x5xf32>) -> (tensor<?x7xf32>, tensor<5x7xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<?x?xf32>, tensor<5x7xf32>) -> tensor<?x7xf32>
  %1 = fxgraph.addmm %x, %c, %b : (tensor<f32>, tensor<5x5xf32>, tensor<5x7xf32>) -> tensor<5x7xf32>
  return %0, %1 : tensor<?x7xf32>, tensor<5x7xf32>
}

// The input's extent may be 1 or that of the product.
// REMARK-DAG: Remark="it is not known whether the input broadcasts"
func.func @input_may_broadcast(%x: tensor<?x7xf32>, %a: tensor<5x8xf32>, %b: tensor<8x7xf32>, %y: tensor<5x?xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = fxgraph.addmm %x, %a, %b : (tensor<?x7xf32>, tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  %1 = fxgraph.addmm %y, %a, %b : (tensor<5x?xf32, #fxgraph.meta<dims = [s0]>>, tensor<5x8xf32>, tensor<8x7xf32>) -> tensor<5x7xf32>
  return %0, %1 : tensor<5x7xf32>, tensor<5x7xf32>
}

// Inductor has no pattern for the other products.
func.func @other_products(%x: tensor<2x5x7xf32>, %a: tensor<2x5x6xf32>, %b: tensor<2x6x7xf32>) -> (tensor<2x5x7xf32>, tensor<2x5x7xf32>) {
  %0 = fxgraph.baddbmm %x, %a, %b : (tensor<2x5x7xf32>, tensor<2x5x6xf32>, tensor<2x6x7xf32>) -> tensor<2x5x7xf32>
  %1 = fxgraph.matmul %a, %b : (tensor<2x5x6xf32>, tensor<2x6x7xf32>) -> tensor<2x5x7xf32>
  return %0, %1 : tensor<2x5x7xf32>, tensor<2x5x7xf32>
}
