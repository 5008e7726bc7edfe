// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation))' | FileCheck %s

// Seeds that come from elsewhere, or together already.
// CHECK-LABEL: func.func @no_seed_alone
// CHECK: fxgraph.inductor_seeds : tensor<2xi64>
// CHECK-NOT: fxgraph.inductor_seeds
func.func @no_seed_alone(%seed: tensor<i64>) -> (tensor<4xf32>, tensor<2xi64>) {
  %0 = fxgraph.inductor_random "rand" seed %seed : tensor<i64>, tensor<4xf32>
  %1 = fxgraph.inductor_seeds : tensor<2xi64>
  return %0, %1 : tensor<4xf32>, tensor<2xi64>
}
