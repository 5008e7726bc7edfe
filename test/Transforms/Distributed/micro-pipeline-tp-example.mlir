// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' | FileCheck %s

// CHECK-LABEL: func.func @column_then_row
// CHECK-SAME: (%[[X:.+]]: tensor<4x6xf32>, %[[W:.+]]: tensor<6x8xf32>, %[[U:.+]]: tensor<8x6xf32>)
// CHECK-NEXT: %[[H:.+]] = fxgraph.fused_all_gather_matmul %[[X]] x(%[[W]]) dim 0 group "0" of 2 return_a false : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.relu %[[H]]
// CHECK-NEXT: %[[Y:.+]] = fxgraph.fused_matmul_reduce_scatter %[[R]] x %[[U]] op "sum" dim 0 group "0" of 2 : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[Y]]
func.func @column_then_row(%x: tensor<4x6xf32>, %w: tensor<6x8xf32>, %u: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %2 = fxgraph.mm %1, %w : (tensor<8x6xf32>, tensor<6x8xf32>) -> tensor<8x8xf32>
  %3 = fxgraph.relu %2 : tensor<8x8xf32>
  %4 = fxgraph.mm %3, %u : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
  %5 = fxgraph.reduce_scatter_tensor %4 op "sum" group "0" of 2 : (tensor<8x6xf32>) -> tensor<4x6xf32>
  %6 = fxgraph.wait_tensor %5 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %6 : tensor<4x6xf32>
}
