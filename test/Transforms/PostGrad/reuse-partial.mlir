// RUN: fx-opt %s --fxgraph-postgrad-reuse-partial="min-elements=8" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-reuse-partial="min-elements=8" | diff %t.once -

// The full reduction stands first; the other one keeps its dimensions, which count from the
// end.
// CHECK-LABEL: func.func @full_first
// CHECK-NEXT: %[[P:.+]] = fxgraph.amin %arg0 dims [-2] keepdim true
// CHECK-NEXT: %[[F:.+]] = fxgraph.amin %[[P]]
// CHECK-NEXT: fxgraph.neg %[[F]]
func.func @full_first(%x: tensor<4x8xi32>) -> (tensor<i32>, tensor<1x8xi32>) {
  %all = fxgraph.amin %x dims [0, 1] : (tensor<4x8xi32>) -> tensor<i32>
  %n = fxgraph.neg %all : tensor<i32>
  %p = fxgraph.amin %x dims [-2] keepdim true : (tensor<4x8xi32>) -> tensor<1x8xi32>
  return %n, %p : tensor<i32>, tensor<1x8xi32>
}

// Of several the one that has left the least.
// CHECK-LABEL: func.func @several
// CHECK: %[[P:.+]] = fxgraph.amax %arg0 dims [0, 2]
// CHECK: fxgraph.amax %[[P]] : (tensor<3xf32>) -> tensor<f32>
func.func @several(%x: tensor<4x3x8xf32>) -> (tensor<3x8xf32>, tensor<f32>, tensor<3xf32>) {
  %a = fxgraph.amax %x dims [0] : (tensor<4x3x8xf32>) -> tensor<3x8xf32>
  %all = fxgraph.amax %x : (tensor<4x3x8xf32>) -> tensor<f32>
  %b = fxgraph.amax %x dims [0, 2] : (tensor<4x3x8xf32>) -> tensor<3xf32>
  return %a, %all, %b : tensor<3x8xf32>, tensor<f32>, tensor<3xf32>
}
