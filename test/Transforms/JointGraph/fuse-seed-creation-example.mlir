// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation))' | FileCheck %s

// CHECK-LABEL: func.func @two
// CHECK-NEXT: %[[S:.+]] = fxgraph.inductor_seeds : tensor<2xi64>
// CHECK-NEXT: %[[A:.+]] = fxgraph.inductor_lookup_seed %[[S]] at 0
// CHECK-NEXT: %[[X:.+]] = fxgraph.inductor_random "rand" seed %[[A]]
// CHECK-NEXT: %[[B:.+]] = fxgraph.inductor_lookup_seed %[[S]] at 1
// CHECK-NEXT: %[[Y:.+]] = fxgraph.inductor_random "randn" seed %[[B]]
// CHECK-NEXT: return %[[X]], %[[Y]]
func.func @two() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.inductor_seed : tensor<i64>
  %1 = fxgraph.inductor_random "rand" seed %0 : tensor<i64>, tensor<4xf32>
  %2 = fxgraph.inductor_seed : tensor<i64>
  %3 = fxgraph.inductor_random "randn" seed %2 : tensor<i64>, tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}
