// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce))' | FileCheck %s

// CHECK-LABEL: func.func @two_sums
// CHECK-SAME: (%[[A:.+]]: tensor<4x4xf32>, %[[B:.+]]: tensor<f32>)
// CHECK-NEXT: %[[FA:.+]] = fxgraph.reshape %[[A]] shape [16]
// CHECK-NEXT: %[[FB:.+]] = fxgraph.reshape %[[B]] shape [1]
// CHECK-NEXT: %[[CAT:.+]] = fxgraph.cat %[[FA]], %[[FB]] dim 0
// CHECK-NEXT: %[[START:.+]] = fxgraph.all_reduce %[[CAT]] op "sum" group "0" : (tensor<17xf32>) -> tensor<17xf32>
// CHECK-NEXT: %[[WAIT:.+]] = fxgraph.wait_tensor %[[START]]
// CHECK-NEXT: %[[PIECES:.+]]:2 = fxgraph.split_with_sizes %[[WAIT]] sizes [16, 1] dim 0
// CHECK-NEXT: %[[GA:.+]] = fxgraph.reshape %[[PIECES]]#0 shape [4, 4]
// CHECK-NEXT: %[[NA:.+]] = fxgraph.neg %[[GA]]
// CHECK-NEXT: %[[GB:.+]] = fxgraph.reshape %[[PIECES]]#1 shape []
// CHECK-NEXT: %[[NB:.+]] = fxgraph.neg %[[GB]]
// CHECK-NEXT: return %[[NA]], %[[NB]]
func.func @two_sums(%a: tensor<4x4xf32>, %b: tensor<f32>) -> (tensor<4x4xf32>, tensor<f32>) {
  %0 = fxgraph.all_reduce %a op "sum" group "0" : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = fxgraph.neg %1 : tensor<4x4xf32>
  %3 = fxgraph.all_reduce %b op "sum" group "0" : (tensor<f32>) -> tensor<f32>
  %4 = fxgraph.wait_tensor %3 : (tensor<f32>) -> tensor<f32>
  %5 = fxgraph.neg %4 : tensor<f32>
  return %2, %5 : tensor<4x4xf32>, tensor<f32>
}
