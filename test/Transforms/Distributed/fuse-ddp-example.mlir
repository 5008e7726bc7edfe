// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp))' | FileCheck %s

// CHECK-LABEL: func.func @two_gradients
// CHECK-SAME: (%[[A:.+]]: tensor<3x4xf32>, %[[B:.+]]: tensor<5xf32>, %[[GRAD:.+]]: tensor<5xf32>)
// CHECK: %[[N:.+]] = fxgraph.constant
// CHECK: %[[FA:.+]] = fxgraph.reshape %[[A]] shape [12]
// CHECK-NEXT: %[[CAT:.+]] = fxgraph.cat %[[FA]], %[[B]] dim 0
// CHECK-NEXT: %[[DIV:.+]] = fxgraph.div %[[CAT]], %[[N]] : (tensor<17xf32>, tensor<f64>) -> tensor<17xf32>
// CHECK-NEXT: %[[START:.+]] = fxgraph.all_reduce %[[DIV]] op "sum" group "0"
// CHECK-NEXT: %[[WAIT:.+]] = fxgraph.wait_tensor %[[START]]
// CHECK-NEXT: %[[PIECES:.+]]:2 = fxgraph.split_with_sizes %[[WAIT]] sizes [12, 5] dim 0
// CHECK-NEXT: fxgraph.copy_ %[[PIECES]]#1 into %[[GRAD]]
// CHECK-NEXT: %[[GA:.+]] = fxgraph.reshape %[[PIECES]]#0 shape [3, 4]
// CHECK-NEXT: return %[[GA]]
func.func @two_gradients(%a: tensor<3x4xf32>, %b: tensor<5xf32>, %grad: tensor<5xf32>) -> tensor<3x4xf32> {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.div %a, %n : (tensor<3x4xf32>, tensor<f64>) -> tensor<3x4xf32>
  %1 = fxgraph.all_reduce %0 op "sum" group "0" : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = fxgraph.wait_tensor %1 : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = fxgraph.div %b, %n : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  %4 = fxgraph.all_reduce %3 op "sum" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %5 = fxgraph.wait_tensor %4 : (tensor<5xf32>) -> tensor<5xf32>
  fxgraph.copy_ %5 into %grad : tensor<5xf32>, tensor<5xf32>
  return %2 : tensor<3x4xf32>
}
