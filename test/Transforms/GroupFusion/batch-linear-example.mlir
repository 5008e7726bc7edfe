// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_linears
// CHECK-SAME: (%[[X0:.+]]: tensor<4x8xf32>, %[[X1:.+]]: tensor<4x8xf32>, %[[W0:.+]]: tensor<3x8xf32>, %[[W1:.+]]: tensor<3x8xf32>, %[[B0:.+]]: tensor<3xf32>, %[[B1:.+]]: tensor<3xf32>)
// CHECK-NEXT: %[[X:.+]] = fxgraph.stack %[[X0]], %[[X1]] dim 0
// CHECK-NEXT: %[[W:.+]] = fxgraph.stack %[[W0]], %[[W1]] dim 0
// CHECK-NEXT: %[[T:.+]] = fxgraph.transpose %[[W]] dims 1, 2
// CHECK-NEXT: %[[S:.+]] = fxgraph.stack %[[B0]], %[[B1]] dim 0
// CHECK-NEXT: %[[B:.+]] = fxgraph.unsqueeze %[[S]] dim 1
// CHECK-NEXT: %[[Z:.+]] = fxgraph.baddbmm %[[B]], %[[X]], %[[T]]
// CHECK-NEXT: %[[Y:.+]]:2 = fxgraph.unbind %[[Z]] dim 0
// CHECK-NEXT: fxgraph.cat %[[Y]]#0, %[[Y]]#1 dim 1
func.func @two_linears(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %w0: tensor<3x8xf32>, %w1: tensor<3x8xf32>,
                       %b0: tensor<3xf32>, %b1: tensor<3xf32>) -> tensor<4x6xf32> {
  %y0 = fxgraph.linear %x0, %w0, %b0 : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %y1 = fxgraph.linear %x1, %w1, %b1 : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.cat %y0, %y1 dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
