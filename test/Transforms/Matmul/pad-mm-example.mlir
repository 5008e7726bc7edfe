// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true}))' | FileCheck %s

// CHECK-LABEL: func.func @product
// CHECK-NEXT: %[[A:.+]] = fxgraph.constant_pad_nd %arg0 {{.*}}[0, 2, 0, 3]{{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.constant_pad_nd %arg1 {{.*}}[0, 1, 0, 2]{{.*}} -> tensor<8x12xf32>
// CHECK-NEXT: %[[P:.+]] = fxgraph.mm %[[A]], %[[B]]
// CHECK-NEXT: %[[M:.+]] = fxgraph.slice %[[P]] dim 0 {{.*}} -> tensor<5x12xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.slice %[[M]] dim 1 {{.*}} -> tensor<5x11xf32>
// CHECK-NEXT: return %[[R]]
func.func @product(%a: tensor<5x6xf32>, %b: tensor<6x11xf32>) -> tensor<5x11xf32> {
  %r = fxgraph.mm %a, %b : (tensor<5x6xf32>, tensor<6x11xf32>) -> tensor<5x11xf32>
  return %r : tensor<5x11xf32>
}
