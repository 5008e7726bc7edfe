// A wrong pass is found by comparing the whole graph, with rewrite verification off.

// RUN: split-file %s %t
// RUN: env FXGRAPH_VERIFY_REWRITES=0 not fx-opt %t/max.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{pipeline={fxgraph-test-wrong-rule}}))' 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: the passes changed what the graph computes: result #0: {{.*}} (iteration 0, seed 1337)
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %t/max.mlir \
// RUN:   --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{on-mismatch=warn pipeline={fxgraph-test-wrong-rule}}))' 2>&1 | FileCheck %s --check-prefix=WARN
// WARN: warning: the passes changed what the graph computes: result #0
// WARN: return

// What cannot be evaluated is said, not passed over.
// RUN: fx-opt %t/opaque.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{pipeline={fxgraph-normalize}}))' 2>&1 | FileCheck %s --check-prefix=OPAQUE
// OPAQUE: warning: not compared: the graph cannot be evaluated: {{.*}}aten.foo

// RUN: not fx-opt %t/opaque.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{on-mismatch=panic pipeline={fxgraph-normalize}}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: expected on-mismatch to be error or warn but got panic
// RUN: not fx-opt %t/opaque.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{iterations=0 pipeline={fxgraph-normalize}}))' 2>&1 | FileCheck %s --check-prefix=ITERATIONS
// ITERATIONS: fxgraph-numeric-check: expected iterations >= 1 but got 0
// RUN: not fx-opt %t/opaque.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{precision=-1 pipeline={fxgraph-normalize}}))' 2>&1 | FileCheck %s --check-prefix=PRECISION
// PRECISION: fxgraph-numeric-check: expected a finite precision >= 0 but got -1
// RUN: not fx-opt %t/opaque.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{pipeline={zzz}}))' 2>&1 | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: expected a pipeline of passes on func.func but got 'zzz': 'zzz' does not refer to a registered pass or pass pipeline

// Writes and symbols.
// RUN: fx-opt %t/write.mlir --pass-pipeline='builtin.module(func.func(fxgraph-numeric-check{iterations=4 pipeline={fxgraph-normalize,fxgraph-noop-remove}}))' 2>&1 | FileCheck %s --check-prefix=WRITE
// WRITE-NOT: {{warning|error}}
// WRITE: fxgraph.copy_

//--- max.mlir
func.func @f(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = fxgraph.sub %x, %y : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
//--- opaque.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- write.mlir
func.func @f(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %p:2 = fxgraph.split_with_sizes %y sizes [1, 3] dim -1
      : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>)
  %c = fxgraph.cat %p#1, %p#0 dim -1
      : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  fxgraph.copy_ %c into %x : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %c : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}
