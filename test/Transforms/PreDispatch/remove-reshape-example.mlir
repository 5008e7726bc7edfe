// RUN: fx-opt %s --fxgraph-predispatch-remove-reshape | FileCheck %s

// CHECK-LABEL: func @chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[X]] shape [3, 8]
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[R]]
// CHECK-NEXT: %[[A:.+]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: return %[[N]], %[[A]]
func.func @chain(%x: tensor<4x6xf32>) -> (tensor<3x8xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.reshape %0 shape [3, 8] : tensor<24xf32> -> tensor<3x8xf32>
  %2 = fxgraph.neg %1 : tensor<3x8xf32>
  %3 = fxgraph.reshape %x shape [2, 12] : tensor<4x6xf32> -> tensor<2x12xf32>
  %4 = fxgraph.tanh %3 : tensor<2x12xf32>
  %5 = fxgraph.reshape %4 shape [4, 6] : tensor<2x12xf32> -> tensor<4x6xf32>
  return %2, %5 : tensor<3x8xf32>, tensor<4x6xf32>
}
