// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-reinplace))' | FileCheck %s

// CHECK-LABEL: func.func @update
// CHECK: fxgraph.index_put %{{.*}}[%arg1] dims [0], %arg2 {fxgraph.inplace = array<i64: 0>}
func.func @update(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %v: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.relu %x : tensor<4x3xf32>
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
