// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather))' | FileCheck %s

// CHECK-LABEL: func.func @two_weights
// CHECK-SAME: (%[[A:.+]]: tensor<2x4xf32>, %[[B:.+]]: tensor<6xf32>)
// CHECK-NEXT: %[[FLAT:.+]] = fxgraph.reshape %[[A]] shape [8]
// CHECK-NEXT: %[[CAT:.+]] = fxgraph.cat %[[FLAT]], %[[B]] dim 0
// CHECK-NEXT: %[[START:.+]] = fxgraph.all_gather_into_tensor %[[CAT]] group "0" of 2 : (tensor<14xf32>) -> tensor<28xf32>
// CHECK-NEXT: %[[WAIT:.+]] = fxgraph.wait_tensor %[[START]]
// CHECK-NEXT: %[[ROWS:.+]] = fxgraph.reshape %[[WAIT]] shape [2, 14]
// CHECK-NEXT: %[[PIECES:.+]]:2 = fxgraph.split_with_sizes %[[ROWS]] sizes [8, 6] dim 1
// CHECK-NEXT: %[[WA:.+]] = fxgraph.reshape %[[PIECES]]#0 shape [4, 4]
// CHECK-NEXT: %[[R:.+]] = fxgraph.relu %[[WA]]
// CHECK-NEXT: %[[WB:.+]] = fxgraph.reshape %[[PIECES]]#1 shape [12]
// CHECK-NEXT: return %[[R]], %[[WB]]
func.func @two_weights(%a: tensor<2x4xf32>, %b: tensor<6xf32>) -> (tensor<4x4xf32>, tensor<12xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "0" of 2 : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = fxgraph.relu %1 : tensor<4x4xf32>
  %3 = fxgraph.all_gather_into_tensor %b group "0" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %4 = fxgraph.wait_tensor %3 : (tensor<12xf32>) -> tensor<12xf32>
  return %2, %4 : tensor<4x4xf32>, tensor<12xf32>
}
