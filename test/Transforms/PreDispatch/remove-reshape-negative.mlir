// RUN: fx-opt %s --fxgraph-predispatch-remove-reshape --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// A result may not become the argument.
// CHECK-LABEL: func @returned
// CHECK: fxgraph.unsqueeze
// CHECK: fxgraph.squeeze
func.func @returned(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.unsqueeze %x dim 0 : (tensor<4x6xf32>) -> tensor<1x4x6xf32>
  // expected-remark @below {{a result of the graph would become an argument or another result}}
  %1 = fxgraph.squeeze %0 dims [0] : (tensor<1x4x6xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Two unknown extents may differ.
// CHECK-LABEL: func @unknown_extents
// CHECK: fxgraph.unsqueeze
// CHECK: fxgraph.squeeze
func.func @unknown_extents(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fxgraph.unsqueeze %x dim 0 : (tensor<?xf32>) -> tensor<1x?xf32>
  %1 = fxgraph.squeeze %0 dims [0] : (tensor<1x?xf32>) -> tensor<?xf32>
  %2 = fxgraph.neg %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func @unknown_target
// CHECK-COUNT-2: fxgraph.reshape
func.func @unknown_target(%x: tensor<?x6xf32>) -> tensor<?x3xf32> {
  %0 = fxgraph.reshape %x shape [-1] : tensor<?x6xf32> -> tensor<?xf32>
  %1 = fxgraph.reshape %0 shape [-1, 3] : tensor<?xf32> -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// CHECK-LABEL: func @elementwise_has_other_users
// CHECK-COUNT-2: fxgraph.reshape
func.func @elementwise_has_other_users(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.tanh %0 : tensor<24xf32>
  // expected-remark @below {{an elementwise op between has other users}}
  %2 = fxgraph.reshape %1 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %1, %2 : tensor<24xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @first_reshape_has_other_users
// CHECK-COUNT-2: fxgraph.reshape
func.func @first_reshape_has_other_users(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.tanh %0 : tensor<24xf32>
  %n = fxgraph.neg %0 : tensor<24xf32>
  // expected-remark @below {{the first reshape has other users}}
  %2 = fxgraph.reshape %1 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %n, %2 : tensor<24xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func @another_shape_at_the_end
// CHECK-COUNT-2: fxgraph.reshape
func.func @another_shape_at_the_end(%x: tensor<4x6xf32>) -> tensor<6x4xf32> {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.tanh %0 : tensor<24xf32>
  %2 = fxgraph.reshape %1 shape [6, 4] : tensor<24xf32> -> tensor<6x4xf32>
  return %2 : tensor<6x4xf32>
}

// Not elementwise.
// CHECK-LABEL: func @softmax
// CHECK-COUNT-2: fxgraph.reshape
func.func @softmax(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.softmax %0 dim 0 : (tensor<24xf32>) -> tensor<24xf32>
  %2 = fxgraph.reshape %1 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Draws go to the elements in order, in any shape; yet they stay where they are.
// CHECK-LABEL: func @draws
// CHECK: fxgraph.reshape
func.func @draws(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.dropout %0 p 0.5 training true : tensor<24xf32>
  %2 = fxgraph.reshape %1 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// Two operands: the other one has the other shape.
// CHECK-LABEL: func @two_tensors
// CHECK: fxgraph.reshape
func.func @two_tensors(%x: tensor<4x6xf32>, %y: tensor<24xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.add %0, %y : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  %2 = fxgraph.reshape %1 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}
