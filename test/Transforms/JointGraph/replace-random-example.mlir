// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-replace-random))' | FileCheck %s

// CHECK-LABEL: func.func @noise
// CHECK-NEXT: %[[S:.+]] = fxgraph.inductor_seed : tensor<i64>
// CHECK-NEXT: %[[R:.+]] = fxgraph.inductor_random "randn" seed %[[S]] : tensor<i64>, tensor<4x8xf32>
// CHECK-NEXT: %[[A:.+]] = fxgraph.add %arg0, %[[R]]
// CHECK-NEXT: return %[[A]]
func.func @noise(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.randn : tensor<4x8xf32>
  %1 = fxgraph.add %x, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
