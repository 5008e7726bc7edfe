// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary))' | FileCheck %s

// CHECK-LABEL: func.func @sum
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 binary "add" with %arg2
// CHECK-NEXT: return %[[R]]
func.func @sum(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>, %y: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %p = fxgraph.linear_pointwise %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %r = fxgraph.add %p, %y : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
