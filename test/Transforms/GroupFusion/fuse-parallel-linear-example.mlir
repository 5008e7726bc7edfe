// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-fuse-parallel-linear))' | FileCheck %s

// CHECK-LABEL: func.func @two_linears
// CHECK-SAME: (%[[X:.+]]: tensor<2x4x8xf32>, %[[W0:.+]]: tensor<3x8xf32>, %[[W1:.+]]: tensor<5x8xf32>, %[[B0:.+]]: tensor<3xf32>, %[[B1:.+]]: tensor<5xf32>)
// CHECK-NEXT: %[[W:.+]] = fxgraph.cat %[[W0]], %[[W1]] dim 0
// CHECK-NEXT: %[[B:.+]] = fxgraph.cat %[[B0]], %[[B1]] dim 0
// CHECK-NEXT: %[[Z:.+]] = fxgraph.linear %[[X]], %[[W]], %[[B]]
// CHECK-NEXT: %[[Y:.+]]:2 = fxgraph.split_with_sizes %[[Z]] sizes [3, 5] dim 2
// CHECK-NEXT: %[[R0:.+]] = fxgraph.relu %[[Y]]#0
// CHECK-NEXT: %[[R1:.+]] = fxgraph.tanh %[[Y]]#1
// CHECK-NEXT: return %[[R0]], %[[R1]]
func.func @two_linears(%x: tensor<2x4x8xf32>, %w0: tensor<3x8xf32>, %w1: tensor<5x8xf32>,
                       %b0: tensor<3xf32>, %b1: tensor<5xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x5xf32>) {
  %y0 = fxgraph.linear %x, %w0, %b0 : (tensor<2x4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %r0 = fxgraph.relu %y0 : tensor<2x4x3xf32>
  %y1 = fxgraph.linear %x, %w1, %b1 : (tensor<2x4x8xf32>, tensor<5x8xf32>, tensor<5xf32>) -> tensor<2x4x5xf32>
  %r1 = fxgraph.tanh %y1 : tensor<2x4x5xf32>
  return %r0, %r1 : tensor<2x4x3xf32>, tensor<2x4x5xf32>
}
