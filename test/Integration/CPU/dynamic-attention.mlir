// Attention over an unknown extent: the range of a parallel loop is known when it runs.
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=0 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=1 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=5 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --unknown-dim=17 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// RUN: fx-run %s --entry=* --target=cpu --target-option=parallel=0 --compare-target=cpu --inputs=seed:1 --unknown-dim=17 | FileCheck %s
// CHECK-COUNT-4: equal

func.func @length(%q: tensor<3x2x?x3xf32>) -> tensor<3x2x?x3xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %q, %q : (tensor<3x2x?x3xf32>, tensor<3x2x?x3xf32>, tensor<3x2x?x3xf32>) -> tensor<3x2x?x3xf32>
  return %0 : tensor<3x2x?x3xf32>
}
func.func @batch(%q: tensor<?x2x7x3xf32>) -> tensor<?x2x7x3xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %q, %q : (tensor<?x2x7x3xf32>, tensor<?x2x7x3xf32>, tensor<?x2x7x3xf32>) -> tensor<?x2x7x3xf32>
  return %0 : tensor<?x2x7x3xf32>
}
func.func @all(%q: tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %q, %q : (tensor<?x?x?x3xf32>, tensor<?x?x?x3xf32>, tensor<?x?x?x3xf32>) -> tensor<?x?x?x3xf32>
  return %0 : tensor<?x?x?x3xf32>
}
func.func @product(%a: tensor<4x?x8xf32>, %b: tensor<4x8x?xf32>) -> tensor<4x?x?xf32> {
  %0 = fxgraph.bmm %a, %b : (tensor<4x?x8xf32>, tensor<4x8x?xf32>) -> tensor<4x?x?xf32>
  return %0 : tensor<4x?x?xf32>
}
