// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation{numerics=exact}))' | FileCheck %s --check-prefix=NONE
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fuse-seed-creation{numerics=some}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// NONE-NOT: inductor_seeds
// ERROR: expected numerics to be exact, reassociate or relaxed but got some

// One for each device, one seed too.
// CHECK-LABEL: func.func @devices
// CHECK-NEXT: %[[S:.+]] = fxgraph.inductor_seeds : tensor<2xi64>
// CHECK-NEXT: fxgraph.inductor_lookup_seed %[[S]] at 0
// CHECK-NEXT: %[[T:.+]] = fxgraph.inductor_seeds : tensor<1xi64, #fxgraph.meta<device = "cuda:0">>
// CHECK-NEXT: fxgraph.inductor_lookup_seed %[[T]] at 0
// CHECK-NEXT: fxgraph.inductor_lookup_seed %[[S]] at 1
func.func @devices() -> (tensor<i64>, tensor<i64, #fxgraph.meta<device = "cuda:0">>, tensor<i64>) {
  %0 = fxgraph.inductor_seed : tensor<i64>
  %1 = fxgraph.inductor_seed : tensor<i64, #fxgraph.meta<device = "cuda:0">>
  %2 = fxgraph.inductor_seed : tensor<i64>
  return %0, %1, %2 : tensor<i64>, tensor<i64, #fxgraph.meta<device = "cuda:0">>, tensor<i64>
}
