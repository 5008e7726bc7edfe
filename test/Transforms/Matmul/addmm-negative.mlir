// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm{numerics=relaxed default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: fxgraph.addmm

// Inductor does not look at alpha.
// REMARK-DAG: remark: [Missed] addmm | Category:fxgraph-matmul-addmm | Remark="the sum scales an operand: its alpha is not 1"
func.func @alpha(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.add %p, %x alpha 2.0 : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %s = fxgraph.add %x, %q alpha -1.0 : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r, %s : tensor<4x3xf32>, tensor<4x3xf32>
}

// The product broadcasts to what is added; ranks beyond 2; unknown extents.
// REMARK-DAG: Remark="what is added to the product does not broadcast to it"
func.func @shapes(%a: tensor<1x8xf32>, %b: tensor<8x3xf32>, %x: tensor<4x3xf32>, %y: tensor<1x1x3xf32>, %c: tensor<?x8xf32>, %z: tensor<?x3xf32>)
    -> (tensor<4x3xf32>, tensor<1x1x3xf32>, tensor<?x3xf32>) {
  %p = fxgraph.mm %a, %b : (tensor<1x8xf32>, tensor<8x3xf32>) -> tensor<1x3xf32>
  %0 = fxgraph.add %p, %x : (tensor<1x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %a, %b : (tensor<1x8xf32>, tensor<8x3xf32>) -> tensor<1x3xf32>
  %1 = fxgraph.add %q, %y : (tensor<1x3xf32>, tensor<1x1x3xf32>) -> tensor<1x1x3xf32>
  %r = fxgraph.mm %c, %b : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  %2 = fxgraph.add %r, %z : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<1x1x3xf32>, tensor<?x3xf32>
}

// A Python number is no tensor; in f32 it would not even have the dtype.
// REMARK-DAG: Remark="what is added to the product is a number"
func.func @numbers(%a: tensor<4x8xf64>, %b: tensor<8x3xf64>, %c: tensor<4x8xf32>, %d: tensor<8x3xf32>) -> (tensor<4x3xf64>, tensor<4x3xf32>) {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %p = fxgraph.mm %a, %b : (tensor<4x8xf64>, tensor<8x3xf64>) -> tensor<4x3xf64>
  %0 = fxgraph.add %p, %n : (tensor<4x3xf64>, tensor<f64>) -> tensor<4x3xf64>
  %q = fxgraph.mm %c, %d : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.add %n, %q : (tensor<f64>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf64>, tensor<4x3xf32>
}

// A scalar of another dtype or device that add takes and addmm does not.
// REMARK-DAG: Remark="the product and what is added to it differ in dtype"
// REMARK-DAG: Remark="the product and what is added to it are on different devices"
func.func @dtype_and_device(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<f64>, %c: tensor<4x8xf32, #fxgraph.meta<device = "cuda:1">>, %d: tensor<8x3xf32, #fxgraph.meta<device = "cuda:1">>, %y: tensor<f32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32, #fxgraph.meta<device = "cuda:1">>) {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.add %p, %x : (tensor<4x3xf32>, tensor<f64>) -> tensor<4x3xf32>
  %q = fxgraph.mm %c, %d : (tensor<4x8xf32, #fxgraph.meta<device = "cuda:1">>, tensor<8x3xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<4x3xf32, #fxgraph.meta<device = "cuda:1">>
  %1 = fxgraph.add %q, %y : (tensor<4x3xf32, #fxgraph.meta<device = "cuda:1">>, tensor<f32>) -> tensor<4x3xf32, #fxgraph.meta<device = "cuda:1">>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32, #fxgraph.meta<device = "cuda:1">>
}

// The product would be computed for the other user, too; also if that is the sum.
// REMARK-DAG: Remark="the product has other users"
func.func @other_users(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %x: tensor<4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %p = fxgraph.mm %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.add %p, %x : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.add %q, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %p : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}

// REMARK-DAG: Remark="the product is made in another block"
func.func @other_block(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<4x3xf32>, %c: i1) -> tensor<4x3xf32> {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = scf.if %c -> tensor<4x3xf32> {
    %s = fxgraph.add %p, %x : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    scf.yield %s : tensor<4x3xf32>
  } else {
    scf.yield %x : tensor<4x3xf32>
  }
  return %r : tensor<4x3xf32>
}

// On a GPU the sum joins the kernel of elementwise users, behind views, too.
// REMARK-DAG: Remark="the sum joins the kernel of its users, which are all elementwise"
func.func @elementwise_users(%a: tensor<4x8xf32>, %b: tensor<8x4xf32>, %x: tensor<4xf32>) -> tensor<2x8xf32> {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>
  %s = fxgraph.add %p, %x : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  %v = fxgraph.reshape %s shape [2, 8] : tensor<4x4xf32> -> tensor<2x8xf32>
  %r = fxgraph.relu %v : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// No product in the sum, or another op between.
func.func @near_misses(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.sub %p, %x : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %n = fxgraph.neg %q : tensor<4x3xf32>
  %1 = fxgraph.add %n, %x : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x3xf32>
}
