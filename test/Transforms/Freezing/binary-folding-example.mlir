// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-binary-folding))' | FileCheck %s

// CHECK-LABEL: func.func @scaled_conv
// CHECK-DAG: %[[C:.+]] = fxgraph.reshape %arg3 shape [-1, 1, 1, 1] : tensor<4x1x1xf32> -> tensor<4x1x1x1xf32>
// CHECK-DAG: %[[W:.+]] = fxgraph.mul %arg1, %[[C]]
// CHECK-DAG: %[[V:.+]] = fxgraph.reshape %arg3 shape [-1] : tensor<4x1x1xf32> -> tensor<4xf32>
// CHECK-DAG: %[[B:.+]] = fxgraph.mul %arg2, %[[V]]
// CHECK: %[[R:.+]] = fxgraph.conv2d %arg0, %[[W]], %[[B]]
// CHECK-NEXT: return %[[R]]
func.func @scaled_conv(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %c: tensor<4x1x1xf32> {fxgraph.kind = "buffer"}) -> tensor<2x4x6x6xf32> {
  %y = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x6x6xf32>
  %r = fxgraph.mul %y, %c : (tensor<2x4x6x6xf32>, tensor<4x1x1xf32>) -> tensor<2x4x6x6xf32>
  return %r : tensor<2x4x6x6xf32>
}

// CHECK-LABEL: func.func @shifted_conv
// CHECK-DAG: %[[C:.+]] = fxgraph.reshape %arg2 shape [-1]
// CHECK-DAG: %[[B:.+]] = fxgraph.neg %[[C]]
// CHECK: %[[R:.+]] = fxgraph.conv2d %arg0, %arg1, %[[B]]
// CHECK-NEXT: return %[[R]]
func.func @shifted_conv(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {fxgraph.kind = "parameter"}, %c: tensor<1x4x1x1xf32> {fxgraph.kind = "buffer"}) -> tensor<2x4x6x6xf32> {
  %y = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<2x4x6x6xf32>
  %r = fxgraph.sub %y, %c : (tensor<2x4x6x6xf32>, tensor<1x4x1x1xf32>) -> tensor<2x4x6x6xf32>
  return %r : tensor<2x4x6x6xf32>
}
