// RUN: fx-opt %s --fxgraph-predispatch-fuse-lce --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @two_inputs
// CHECK-COUNT-2: fxgraph.lce
func.func @two_inputs(%x: tensor<2x6x4xf32>, %y: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x3x4xf32>) {
  %0 = fxgraph.lce %x, %w : (tensor<2x6x4xf32>, tensor<3x6xf32>) -> tensor<2x3x4xf32>
  %1 = fxgraph.lce %y, %w : (tensor<2x6x4xf32>, tensor<3x6xf32>) -> tensor<2x3x4xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x3x4xf32>
}

// The second weight comes from the first compression.
// CHECK-LABEL: func @dependent
// CHECK-COUNT-2: fxgraph.lce
func.func @dependent(%x: tensor<1x6x6xf32>, %w: tensor<3x6xf32>) -> (tensor<1x3x6xf32>, tensor<1x3x6xf32>) {
  %0 = fxgraph.lce %x, %w : (tensor<1x6x6xf32>, tensor<3x6xf32>) -> tensor<1x3x6xf32>
  %v = fxgraph.squeeze %0 dims [0] : (tensor<1x3x6xf32>) -> tensor<3x6xf32>
  // expected-remark @below {{a weight or bias is made after the first member}}
  %1 = fxgraph.lce %x, %v : (tensor<1x6x6xf32>, tensor<3x6xf32>) -> tensor<1x3x6xf32>
  return %0, %1 : tensor<1x3x6xf32>, tensor<1x3x6xf32>
}

// CHECK-LABEL: func @unknown_outputs
// CHECK-COUNT-2: fxgraph.lce
func.func @unknown_outputs(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>, %v: tensor<?x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x?x4xf32>) {
  %0 = fxgraph.lce %x, %w : (tensor<2x6x4xf32>, tensor<3x6xf32>) -> tensor<2x3x4xf32>
  // expected-remark @below {{the number of outputs is not known}}
  %1 = fxgraph.lce %x, %v : (tensor<2x6x4xf32>, tensor<?x6xf32>) -> tensor<2x?x4xf32>
  return %0, %1 : tensor<2x3x4xf32>, tensor<2x?x4xf32>
}

// CHECK-LABEL: func @alone
// CHECK: fxgraph.lce
func.func @alone(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.lce %x, %w : (tensor<2x6x4xf32>, tensor<3x6xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// A bias that broadcasts has no rows to join.
// CHECK-LABEL: func @bias_of_one_value
// CHECK-COUNT-2: fxgraph.linear
func.func @bias_of_one_value(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>, %b: tensor<1xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>) {
  %p = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %0 = fxgraph.linear %p, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  %1 = fxgraph.linear %p, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<2x4x3xf32>
}
