// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse))' | FileCheck %s

// CHECK-LABEL: func.func @attention
// CHECK-SAME: (%[[Q:.+]]: tensor<2x4x8x16xf32>, %[[K:.+]]: tensor<2x4x8x16xf32>, %[[V:.+]]: tensor<2x4x8x16xf32>, %[[SEEN:.+]]: tensor<2x1x1x8xi1>)
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]] mask %[[SEEN]] scale 2.500000e-01
// CHECK-NEXT: %[[ANY:.+]] = fxgraph.any %[[SEEN]] dims [-1] keepdim true
// CHECK-NEXT: %[[NAN:.+]] = fxgraph.constant
// CHECK-NEXT: %[[R:.+]] = fxgraph.where %[[ANY]], %[[A]], %[[NAN]]
// CHECK-NEXT: return %[[R]]
func.func @attention(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %seen: tensor<2x1x1x8xi1>) -> tensor<2x4x8x16xf32> {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %four = fxgraph.constant dense<4.0> : tensor<f64>
  %scaled = fxgraph.div %qk, %four : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %low = fxgraph.full 0xFFF0000000000000 : tensor<f32>
  %masked = fxgraph.where %seen, %scaled, %low : (tensor<2x1x1x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %weights = fxgraph.softmax %masked dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %weights, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}
