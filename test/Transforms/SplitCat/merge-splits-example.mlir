// RUN: fx-opt %s --fxgraph-splitcat-merge-splits | FileCheck %s

// Embeddings that are cut in two steps.
func.func @cut_twice(%x: tensor<2x32xf32>) -> (tensor<2x10xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x12xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [10, 10, 12] dim 1 : (tensor<2x32xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x12xf32>)
  %q:2 = fxgraph.split_with_sizes %p#1 sizes [6, 4] dim 1 : (tensor<2x10xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>)
  return %p#0, %q#0, %q#1, %p#2 : tensor<2x10xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x12xf32>
}

// CHECK-LABEL: func @cut_twice
// CHECK-NEXT: %[[P:.*]]:4 = fxgraph.split_with_sizes %{{.*}} sizes [10, 6, 4, 12] dim 1
// CHECK-NEXT: return %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3
