// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-replace-random))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-replace-random))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-replace-random{numerics=reassociate}))' | FileCheck %s --check-prefix=NONE

// NONE-NOT: inductor_seed

// Other dtypes are cast; a seed is on the device of the draw; sizes.
// CHECK-LABEL: func.func @kinds
// CHECK-NEXT: %[[A:.+]] = fxgraph.inductor_seed : tensor<i64>
// CHECK-NEXT: %[[B:.+]] = fxgraph.inductor_random "rand" seed %[[A]] : tensor<i64>, tensor<4xf32>
// CHECK-NEXT: fxgraph.convert_element_type %[[B]] : (tensor<4xf32>) -> tensor<4xbf16>
// CHECK-NEXT: %[[C:.+]] = fxgraph.inductor_seed : tensor<i64>
// CHECK-NEXT: fxgraph.inductor_randint from -3 to 9 seed %[[C]] sizes %arg0 : tensor<i64>, tensor<?xi64>
// CHECK-NEXT: %[[E:.+]] = fxgraph.inductor_seed : tensor<i64, #fxgraph.meta<device = "cuda:0">>
// CHECK-NEXT: fxgraph.inductor_random "rand" seed %[[E]]
func.func @kinds(%n: index) -> (tensor<4xbf16>, tensor<?xi64>, tensor<4xf32, #fxgraph.meta<device = "cuda:0">>) {
  %0 = fxgraph.rand : tensor<4xbf16>
  %1 = fxgraph.randint from -3 to 9 sizes %n : tensor<?xi64>
  %2 = fxgraph.rand : tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
  return %0, %1, %2 : tensor<4xbf16>, tensor<?xi64>, tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
}

// A draw that nobody uses stays drawn.
// CHECK-LABEL: func.func @unused
// CHECK: fxgraph.inductor_random
func.func @unused() {
  %0 = fxgraph.rand : tensor<4xf32>
  return
}
