// All ops that have no lowering are reported, nothing is rewritten.
// RUN: not fx-opt %s --fxgraph-to-linalg 2>&1 | FileCheck %s
// CHECK: errors.mlir:[[@LINE+4]]:{{.*}}'fxgraph.opaque' op expected an op of the dialect but got "aten.foo.default"
// CHECK: errors.mlir:[[@LINE+4]]:{{.*}}'fxgraph.randn' op draws random numbers
// CHECK: errors.mlir:[[@LINE+4]]:{{.*}}'fxgraph.exponential' op draws random numbers
func.func @f(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.randn : tensor<4xf32>
  %2 = fxgraph.exponential : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
