// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter))' | FileCheck %s

// CHECK-LABEL: func.func @two_gradients
// CHECK-SAME: (%[[A:.+]]: tensor<4x4xf32>, %[[B:.+]]: tensor<12xf32>)
// CHECK-NEXT: %[[RA:.+]] = fxgraph.reshape %[[A]] shape [2, 8]
// CHECK-NEXT: %[[RB:.+]] = fxgraph.reshape %[[B]] shape [2, 6]
// CHECK-NEXT: %[[CAT:.+]] = fxgraph.cat %[[RA]], %[[RB]] dim 1
// CHECK-NEXT: %[[FLAT:.+]] = fxgraph.reshape %[[CAT]] shape [28]
// CHECK-NEXT: %[[START:.+]] = fxgraph.reduce_scatter_tensor %[[FLAT]] op "avg" group "0" of 2 : (tensor<28xf32>) -> tensor<14xf32>
// CHECK-NEXT: %[[WAIT:.+]] = fxgraph.wait_tensor %[[START]]
// CHECK-NEXT: %[[PIECES:.+]]:2 = fxgraph.split_with_sizes %[[WAIT]] sizes [8, 6] dim 0
// CHECK-NEXT: %[[GA:.+]] = fxgraph.reshape %[[PIECES]]#0 shape [2, 4]
// CHECK-NEXT: %[[NA:.+]] = fxgraph.neg %[[GA]]
// CHECK-NEXT: %[[NB:.+]] = fxgraph.neg %[[PIECES]]#1
// CHECK-NEXT: return %[[NA]], %[[NB]]
func.func @two_gradients(%a: tensor<4x4xf32>, %b: tensor<12xf32>) -> (tensor<2x4xf32>, tensor<6xf32>) {
  %0 = fxgraph.reduce_scatter_tensor %a op "avg" group "0" of 2 : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = fxgraph.neg %1 : tensor<2x4xf32>
  %3 = fxgraph.reduce_scatter_tensor %b op "avg" group "0" of 2 : (tensor<12xf32>) -> tensor<6xf32>
  %4 = fxgraph.wait_tensor %3 : (tensor<6xf32>) -> tensor<6xf32>
  %5 = fxgraph.neg %4 : tensor<6xf32>
  return %2, %5 : tensor<2x4xf32>, tensor<6xf32>
}
