// RUN: fx-opt %s --fxgraph-splitcat-cancel | FileCheck %s

// Both rewrites, one after the other.
func.func @both(%a: tensor<2x8xf32>, %b: tensor<2x4xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>) {
  %c = fxgraph.cat %a, %b dim 1 : (tensor<2x8xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %p:2 = fxgraph.split_with_sizes %c sizes [6, 6] dim 1 : (tensor<2x12xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  %d = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x12xf32>
  %q:2 = fxgraph.split_with_sizes %d sizes [8, 4] dim 1 : (tensor<2x12xf32>) -> (tensor<2x8xf32>, tensor<2x4xf32>)
  %x = fxgraph.relu %q#0 : tensor<2x8xf32>
  %y = fxgraph.relu %q#1 : tensor<2x4xf32>
  return %x, %y : tensor<2x8xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @both
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x8xf32>, %[[B:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-NEXT: fxgraph.relu %[[A]]
// CHECK-NEXT: fxgraph.relu %[[B]]
