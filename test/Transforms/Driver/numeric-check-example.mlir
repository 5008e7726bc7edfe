// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{iterations=3 precision=1e-6 pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s

func.func @same(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: func @same
// CHECK-NEXT: fxgraph.relu
