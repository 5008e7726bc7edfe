// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm))' | FileCheck %s

// CHECK-LABEL: func.func @row
// CHECK-NEXT: %[[A:.+]] = fxgraph.unsqueeze %arg0 dim 2 : (tensor<1x5xf32>) -> tensor<1x5x1xf32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.unsqueeze %arg1 dim 0 : (tensor<5x3xf32>) -> tensor<1x5x3xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.sum %[[P]] dims [1]
// CHECK-NEXT: %[[R:.+]] = fxgraph.add %[[S]], %arg2
// CHECK-NEXT: return %[[R]]
func.func @row(%x: tensor<1x5xf32>, %w: tensor<5x3xf32>, %bias: tensor<3xf32>) -> tensor<1x3xf32> {
  %r = fxgraph.addmm %bias, %x, %w : (tensor<3xf32>, tensor<1x5xf32>, tensor<5x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// CHECK-LABEL: func.func @one_matrix
// CHECK-NEXT: %[[A:.+]] = fxgraph.unsqueeze %arg0 dim 3 : (tensor<1x4x5xf32>) -> tensor<1x4x5x1xf32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.unsqueeze %arg1 dim 1 : (tensor<1x5x3xf32>) -> tensor<1x1x5x3xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mul %[[A]], %[[B]]
// CHECK-NEXT: %[[R:.+]] = fxgraph.sum %[[P]] dims [2]
// CHECK-NEXT: return %[[R]]
func.func @one_matrix(%a: tensor<1x4x5xf32>, %b: tensor<1x5x3xf32>) -> tensor<1x4x3xf32> {
  %r = fxgraph.bmm %a, %b : (tensor<1x4x5xf32>, tensor<1x5x3xf32>) -> tensor<1x4x3xf32>
  return %r : tensor<1x4x3xf32>
}
