// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-scaled-softmax))' | FileCheck %s

// CHECK-LABEL: func.func @scaled
// CHECK: %[[S:.+]] = fxgraph.mul %arg0, %[[C:.+]] :
// CHECK: %[[M:.+]] = fxgraph.amax %[[S]] dims [-1] keepdim true
// CHECK: %[[N:.+]] = fxgraph.amax %arg0 dims [-1] keepdim true
// CHECK: %[[D:.+]] = fxgraph.sub %arg0, %[[N]]
// CHECK: %[[STABLE:.+]] = fxgraph.mul %[[D]], %[[C]]
// CHECK: %[[OLD:.+]] = fxgraph.sub %[[S]], %[[M]]
// CHECK: %[[F:.+]] = fxgraph.isfinite %[[S]]
// CHECK: %[[A:.+]] = fxgraph.all %[[F]] dims [-1] keepdim true
// CHECK: %[[W:.+]] = fxgraph.where %[[A]], %[[STABLE]], %[[OLD]]
// CHECK: fxgraph.exp %[[W]]
func.func @scaled(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = fxgraph.constant dense<3.0> : tensor<f64>
  %s = fxgraph.mul %x, %c : (tensor<4x8xf32>, tensor<f64>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exp %d : tensor<4x8xf32>
  return %e : tensor<4x8xf32>
}
