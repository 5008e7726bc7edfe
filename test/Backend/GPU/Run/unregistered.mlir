// An op that no dialect registers is refused by name.
// RUN: not fx-opt %s --allow-unregistered-dialect --fxgraph-to-gpu 2>&1 | FileCheck %s
// CHECK: unregistered.mlir:[[#@LINE+4]]:1: error: not supported on gpu: 2 ops
// CHECK: unregistered.mlir:[[#@LINE+4]]:8: note: foo.bar is not a registered op
// CHECK: unregistered.mlir:[[#@LINE+4]]:8: note: baz is not a registered op
// CHECK-NOT: note
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "foo.bar"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "baz"(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.relu %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
