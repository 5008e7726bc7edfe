// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-aten | FileCheck %s

// CHECK-LABEL: func.func @between_batched_ops
// CHECK-NEXT: %[[T:.+]] = fxgraph.tanh %arg0
// CHECK-NEXT: %[[S:.+]] = fxgraph.sigmoid %[[T]]
// CHECK-NEXT: return %[[S]]
func.func @between_batched_ops(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %t = fxgraph.tanh %x : tensor<2x4xf32>
  %0 = fxgraph.select %t dim 0 at 0 : (tensor<2x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.select %t dim 0 at 1 : (tensor<2x4xf32>) -> tensor<4xf32>
  %u0 = fxgraph.unsqueeze %0 dim 0 : (tensor<4xf32>) -> tensor<1x4xf32>
  %u1 = fxgraph.unsqueeze %1 dim 0 : (tensor<4xf32>) -> tensor<1x4xf32>
  %c = fxgraph.cat %u0, %u1 dim 0 : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  %s = fxgraph.sigmoid %c : tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}
