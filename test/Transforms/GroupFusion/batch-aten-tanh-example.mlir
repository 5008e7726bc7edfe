// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-tanh{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_tanhs
// CHECK-NEXT: %[[X:.+]] = fxgraph.stack %arg0, %arg1 dim 0
// CHECK-NEXT: %[[T:.+]] = fxgraph.tanh %[[X]] : tensor<2x4x8xf32>
// CHECK-NEXT: %[[Y0:.+]] = fxgraph.select %[[T]] dim 0 at 0
// CHECK-NEXT: %[[Y1:.+]] = fxgraph.select %[[T]] dim 0 at 1
// CHECK-NEXT: fxgraph.cat %[[Y0]], %[[Y1]] dim 0
func.func @two_tanhs(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %y0 = fxgraph.tanh %x0 : tensor<4x8xf32>
  %y1 = fxgraph.tanh %x1 : tensor<4x8xf32>
  %r = fxgraph.cat %y0, %y1 dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
