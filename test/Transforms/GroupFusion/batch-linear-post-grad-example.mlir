// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_linears
// CHECK-SAME: (%[[X0:.+]]: tensor<4x8xf32>, %[[X1:.+]]: tensor<4x8xf32>, %[[W0:.+]]: tensor<8x3xf32>, %[[W1:.+]]: tensor<8x3xf32>, %[[B0:.+]]: tensor<3xf32>, %[[B1:.+]]: tensor<3xf32>)
// CHECK-NEXT: %[[X:.+]] = fxgraph.stack %[[X0]], %[[X1]] dim 0
// CHECK-NEXT: %[[W:.+]] = fxgraph.stack %[[W0]], %[[W1]] dim 0
// CHECK-NEXT: %[[Z:.+]] = fxgraph.bmm %[[X]], %[[W]]
// CHECK-NEXT: %[[Z0:.+]] = fxgraph.select %[[Z]] dim 0 at 0
// CHECK-NEXT: %[[Z1:.+]] = fxgraph.select %[[Z]] dim 0 at 1
// CHECK-NEXT: %[[Y0:.+]] = fxgraph.add %[[B0]], %[[Z0]]
// CHECK-NEXT: %[[Y1:.+]] = fxgraph.add %[[B1]], %[[Z1]]
// CHECK-NEXT: fxgraph.cat %[[Y0]], %[[Y1]] dim 1
func.func @two_linears(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %w0: tensor<8x3xf32>, %w1: tensor<8x3xf32>,
                       %b0: tensor<3xf32>, %b1: tensor<3xf32>) -> tensor<4x6xf32> {
  %y0 = fxgraph.addmm %b0, %x0, %w0 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %y1 = fxgraph.addmm %b1, %x1, %w1 : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.cat %y0, %y1 dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %r : tensor<4x6xf32>
}
