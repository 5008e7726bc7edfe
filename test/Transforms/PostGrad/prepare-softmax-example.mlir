// RUN: fx-opt %s --fxgraph-postgrad-prepare-softmax="default-device=cuda" | FileCheck %s

// CHECK-LABEL: func.func @softmax
// CHECK-NEXT: %[[M:.+]], %[[S:.+]] = fxgraph.prepare_softmax_online %arg0 dim 1
// CHECK-NEXT: %[[D:.+]] = fxgraph.sub %arg0, %[[M]]
// CHECK-NEXT: %[[E:.+]] = fxgraph.exp %[[D]]
// CHECK-NEXT: %[[Q:.+]] = fxgraph.div %[[E]], %[[S]]
// CHECK-NEXT: return %[[Q]]
func.func @softmax(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %m = fxgraph.amax %x dims [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exp %d : tensor<4x8xf32>
  %s = fxgraph.sum %e dims [1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %q = fxgraph.div %e, %s : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %q : tensor<4x8xf32>
}
