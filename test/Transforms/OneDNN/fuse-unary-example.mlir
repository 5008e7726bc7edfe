// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary))' | FileCheck %s

!x = tensor<4x3xf32>

// CHECK-LABEL: func.func @relu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "relu"
// CHECK-NEXT: return %[[R]]
func.func @relu(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> !x
  %r = fxgraph.relu %p : !x
  return %r : !x
}

// CHECK-LABEL: func.func @spelled
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "silu"
// CHECK-NEXT: return %[[R]]
func.func @spelled(%x: tensor<4x8xf32>, %w: tensor<3x8xf32>) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> !x
  %s = fxgraph.sigmoid %p : !x
  %r = fxgraph.mul %p, %s : (!x, !x) -> !x
  return %r : !x
}
