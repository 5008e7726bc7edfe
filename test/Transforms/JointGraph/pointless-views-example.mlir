// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-views))' | FileCheck %s

// CHECK-LABEL: func.func @there_and_back
// CHECK-SAME: (%[[X:.+]]: tensor<8x4x6xf32>)
// CHECK-NEXT: %[[R:.+]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @there_and_back(%x: tensor<8x4x6xf32>) -> tensor<8x4x6xf32> {
  %0 = fxgraph.view %x shape [32, 6] : tensor<8x4x6xf32> -> tensor<32x6xf32>
  %1 = fxgraph.view %0 shape [8, 4, 6] : tensor<32x6xf32> -> tensor<8x4x6xf32>
  %2 = fxgraph.permute %1 dims [2, 0, 1] : (tensor<8x4x6xf32>) -> tensor<6x8x4xf32>
  %3 = fxgraph.permute %2 dims [1, 2, 0] : (tensor<6x8x4xf32>) -> tensor<8x4x6xf32>
  %4 = fxgraph.relu %3 : tensor<8x4x6xf32>
  return %4 : tensor<8x4x6xf32>
}
