// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-group-linear{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_linears
// CHECK-NEXT: %[[Y:.+]]:2 = fxgraph.grouped_mm(%arg0, %arg1) x(%arg2, %arg3) + (%arg4, %arg5)
// CHECK-NEXT: fxgraph.cat %[[Y]]#0, %[[Y]]#1 dim 1
func.func @two_linears(%x0: tensor<4x8xf32>, %x1: tensor<4x2xf32>, %w0: tensor<8x6xf32>, %w1: tensor<2x4xf32>,
                       %b0: tensor<6xf32>, %b1: tensor<4x1xf32>) -> tensor<4x10xf32> {
  %y0 = fxgraph.addmm %b0, %x0, %w0 : (tensor<6xf32>, tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %y1 = fxgraph.addmm %b1, %x1, %w1 : (tensor<4x1xf32>, tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.cat %y0, %y1 dim 1 : (tensor<4x6xf32>, tensor<4x4xf32>) -> tensor<4x10xf32>
  return %r : tensor<4x10xf32>
}
