// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-add{min-fuse-set-size=2}))' | FileCheck %s

// CHECK-LABEL: func.func @two_sums
// CHECK-NEXT: %[[A:.+]] = fxgraph.stack %arg0, %arg2 dim 0
// CHECK-NEXT: %[[B:.+]] = fxgraph.stack %arg1, %arg3 dim 0
// CHECK-NEXT: %[[S:.+]] = fxgraph.add %[[A]], %[[B]]
// CHECK-NEXT: %[[Y0:.+]] = fxgraph.select %[[S]] dim 0 at 0
// CHECK-NEXT: %[[Y1:.+]] = fxgraph.select %[[S]] dim 0 at 1
// CHECK-NEXT: fxgraph.cat %[[Y0]], %[[Y1]] dim 0
func.func @two_sums(%a0: tensor<4x8xf32>, %b0: tensor<4x8xf32>, %a1: tensor<4x8xf32>, %b1: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %y0 = fxgraph.add %a0, %b0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %y1 = fxgraph.add %a1, %b1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = fxgraph.cat %y0, %y1 dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}
