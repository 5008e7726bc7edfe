// The pipelines behind autodiff on one graph: an attention that is written out, a product
// with a bias, views that change nothing; in Inductor's order.

// RUN: fx-opt %s --pass-pipeline="builtin.module(fxgraph-joint-graph,fxgraph-post-grad)" | FileCheck %s
// RUN: fx-opt %s --fxgraph-joint-graph --fxgraph-post-grad | FileCheck %s
// RUN: fx-opt %s --pass-pipeline="builtin.module(fxgraph-joint-graph{numerics=exact},fxgraph-post-grad{numerics=exact})" | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: func.func @attention
// CHECK: fxgraph.scaled_dot_product_attention
// CHECK-NOT: fxgraph.softmax
// EXACT-LABEL: func.func @attention
// EXACT: fxgraph.softmax
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32> {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %scores = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %four = fxgraph.constant dense<4.0> : tensor<f64>
  %scaled = fxgraph.div %scores, %four : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %weights = fxgraph.softmax %scaled dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %result = fxgraph.matmul %weights, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %result : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: func.func @addmm
// CHECK-NOT: fxgraph.view
// CHECK: fxgraph.addmm
// EXACT-LABEL: func.func @addmm
// EXACT: fxgraph.mm
// EXACT: fxgraph.add
func.func @addmm(%a: tensor<4x5xf32>, %b: tensor<5x6xf32>, %c: tensor<6xf32>) -> tensor<4x6xf32> {
  %view = fxgraph.view %a shape [4, 5] : tensor<4x5xf32> -> tensor<4x5xf32>
  %mm = fxgraph.mm %view, %b : (tensor<4x5xf32>, tensor<5x6xf32>) -> tensor<4x6xf32>
  %add = fxgraph.add %mm, %c : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %add : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @cumsum
// CHECK-NOT: fxgraph.cumsum
// CHECK: fxgraph.arange
func.func @cumsum() -> tensor<3x4xi64> {
  %ones = fxgraph.full 1.0 : tensor<3x4xi64>
  %sum = fxgraph.cumsum %ones dim 1 : (tensor<3x4xi64>) -> tensor<3x4xi64>
  return %sum : tensor<3x4xi64>
}
