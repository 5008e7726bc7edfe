// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-layernorm{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_norms
// CHECK-SAME: (%[[X0:.+]]: tensor<4x8xf32>, %[[X1:.+]]: tensor<4x8xf32>, %[[W0:.+]]: tensor<8xf32>, %[[W1:.+]]: tensor<8xf32>, %[[B0:.+]]: tensor<8xf32>, %[[B1:.+]]: tensor<8xf32>)
// CHECK-NEXT: %[[X:.+]] = fxgraph.stack %[[X0]], %[[X1]] dim 0
// CHECK-NEXT: %[[L:.+]] = fxgraph.layer_norm %[[X]] over [8] eps 1.000000e-05
// CHECK-NEXT: %[[WS:.+]] = fxgraph.stack %[[W0]], %[[W1]] dim 0
// CHECK-NEXT: %[[W:.+]] = fxgraph.unsqueeze %[[WS]] dim 1
// CHECK-NEXT: %[[M:.+]] = fxgraph.mul %[[L]], %[[W]]
// CHECK-NEXT: %[[BS:.+]] = fxgraph.stack %[[B0]], %[[B1]] dim 0
// CHECK-NEXT: %[[B:.+]] = fxgraph.unsqueeze %[[BS]] dim 1
// CHECK-NEXT: %[[A:.+]] = fxgraph.add %[[M]], %[[B]]
// CHECK-NEXT: %[[Y:.+]]:2 = fxgraph.unbind %[[A]] dim 0
// CHECK-NEXT: fxgraph.cat %[[Y]]#0, %[[Y]]#1 dim 0
func.func @two_norms(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %w0: tensor<8xf32>, %w1: tensor<8xf32>,
                     %b0: tensor<8xf32>, %b1: tensor<8xf32>) -> tensor<8x8xf32> {
  %y0 = fxgraph.layer_norm %x0 weight %w0 bias %b0 over [8] eps 1.0e-05 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %y1 = fxgraph.layer_norm %x1 weight %w1 bias %b1 over [8] eps 1.0e-05 : (tensor<4x8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %r = fxgraph.cat %y0, %y1 dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
