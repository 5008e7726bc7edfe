// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0}))' | FileCheck %s

// CHECK-LABEL: func.func @two_parts
// CHECK-SAME: (%[[X0:.+]]: tensor<4x8xf32>, %[[X1:.+]]: tensor<4x16xf32>, %[[W:.+]]: tensor<5x24xf32>, %[[B:.+]]: tensor<5xf32>)
// CHECK-NEXT: %[[S1:.+]] = fxgraph.slice %[[W]] dim 1 from 8 to 24
// CHECK-NEXT: %[[W1:.+]] = fxgraph.contiguous %[[S1]] : tensor<5x16xf32>
// CHECK-NEXT: %[[S0:.+]] = fxgraph.slice %[[W]] dim 1 from 0 to 8
// CHECK-NEXT: %[[W0:.+]] = fxgraph.contiguous %[[S0]] : tensor<5x8xf32>
// CHECK-NEXT: %[[L0:.+]] = fxgraph.linear %[[X0]], %[[W0]], %[[B]]
// CHECK-NEXT: %[[L1:.+]] = fxgraph.linear %[[X1]], %[[W1]] :
// CHECK-NEXT: %[[Y:.+]] = fxgraph.add %[[L0]], %[[L1]]
// CHECK-NEXT: return %[[Y]]
func.func @two_parts(%x0: tensor<4x8xf32>, %x1: tensor<4x16xf32>, %w: tensor<5x24xf32>, %b: tensor<5xf32>) -> tensor<4x5xf32> {
  %c = fxgraph.cat %x0, %x1 dim 1 : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  %y = fxgraph.linear %c, %w, %b : (tensor<4x24xf32>, tensor<5x24xf32>, tensor<5xf32>) -> tensor<4x5xf32>
  return %y : tensor<4x5xf32>
}
