// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm{numerics=relaxed}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: mm_plus_mm

// Inductor does not look at alpha.
// REMARK-DAG: remark: [Missed] mm-plus-mm | Category:fxgraph-matmul-mm-plus-mm | Remark="the sum scales an operand: its alpha is not 1"
func.func @alpha(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.add %p, %q alpha 3.0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// One product broadcasts to the other, or may.
// REMARK-DAG: Remark="the products are not known to have one shape"
func.func @shapes(%a: tensor<1x4xf32>, %b: tensor<4x4xf32>, %c: tensor<?x4xf32>) -> (tensor<4x4xf32>, tensor<?x4xf32>) {
  %p = fxgraph.mm %a, %b : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<1x4xf32>
  %q = fxgraph.mm %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.add %p, %q : (tensor<1x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = fxgraph.mm %c, %b : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %t = fxgraph.mm %c, %b : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  %1 = fxgraph.add %s, %t : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<4x4xf32>, tensor<?x4xf32>
}

// REMARK-DAG: Remark="the product has other users"
func.func @other_users(%a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.add %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.add %s, %s : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %q : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// REMARK-DAG: Remark="the product is made in another block"
func.func @other_block(%a: tensor<4x4xf32>, %c: i1) -> tensor<4x4xf32> {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = scf.if %c -> tensor<4x4xf32> {
    %q = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %s = fxgraph.add %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %s : tensor<4x4xf32>
  } else {
    scf.yield %a : tensor<4x4xf32>
  }
  return %r : tensor<4x4xf32>
}

// A batched product, a difference, something between.
func.func @near_misses(%a: tensor<4x4xf32>, %b: tensor<2x4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>) {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.sub %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %n = fxgraph.neg %t : tensor<4x4xf32>
  %1 = fxgraph.add %s, %n : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %u = fxgraph.bmm %b, %b : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %v = fxgraph.bmm %b, %b : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %2 = fxgraph.add %u, %v : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>
}
