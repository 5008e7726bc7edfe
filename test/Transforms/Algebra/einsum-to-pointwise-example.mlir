// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise))' | FileCheck %s

// CHECK-LABEL: func.func @row_times_matrix
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x4xf32>, %[[W:.+]]: tensor<2x3x4x5xf32>, %[[B:.+]]: tensor<5xf32>)
// CHECK-NEXT: %[[C:.+]] = fxgraph.unsqueeze %[[X]] dim 3 : (tensor<2x3x4xf32>) -> tensor<2x3x4x1xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mul %[[C]], %[[W]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.sum %[[P]] dims [2]
// CHECK-NEXT: fxgraph.add %[[S]], %[[B]]
func.func @row_times_matrix(%x: tensor<2x3x4xf32>, %w: tensor<2x3x4x5xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = fxgraph.einsum "abc,abcd->abd", %x, %w : (tensor<2x3x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.add %0, %b : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
