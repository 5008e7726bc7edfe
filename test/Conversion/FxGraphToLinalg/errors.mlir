// All ops that have no lowering are reported, nothing is rewritten.
// RUN: not fx-opt %s --fxgraph-to-linalg 2>&1 | FileCheck %s
// CHECK: errors.mlir:[[@LINE+3]]:{{.*}}'fxgraph.opaque' op expected an op of the dialect but got "aten.foo.default"
// CHECK: errors.mlir:[[@LINE+3]]:{{.*}}'fxgraph.opaque' op expected an op of the dialect but got "aten.bar.default"
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "aten.bar.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
