// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-replace-random))' | FileCheck %s

// Draws without a prim.
// CHECK-LABEL: func.func @other_draws
// CHECK-NOT: fxgraph.inductor
func.func @other_draws(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xi64>, tensor<4xf32>) {
  %0 = fxgraph.exponential : tensor<4xf32>
  %1 = fxgraph.randperm : tensor<4xi64>
  %2 = fxgraph.dropout %x p 0.5 : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xi64>, tensor<4xf32>
}
