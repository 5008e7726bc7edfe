// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-views))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// The argument would be a result.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  // CHECK: fxgraph.view
  // CHECK: fxgraph.view
  // expected-remark@below {{a result of the graph would become an argument or another result}}
  %1 = fxgraph.view %0 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @inner_returned
// CHECK: fxgraph.view
// CHECK: fxgraph.view
func.func @inner_returned(%x: tensor<8x4xf32>) -> (tensor<32xf32>, tensor<8x4xf32>) {
  %0 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  %1 = fxgraph.view %0 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  %2 = fxgraph.relu %1 : tensor<8x4xf32>
  return %0, %2 : tensor<32xf32>, tensor<8x4xf32>
}

// -----

// CHECK-LABEL: func.func @another_shape
// CHECK: fxgraph.view
// CHECK: fxgraph.view
func.func @another_shape(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  %1 = fxgraph.view %0 shape [4, 8] : tensor<32xf32> -> tensor<4x8xf32>
  %2 = fxgraph.relu %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// -----

// The same shape, but not the same order.
// CHECK-LABEL: func.func @turned_on
// CHECK: fxgraph.permute
// CHECK: fxgraph.permute
func.func @turned_on(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  // expected-remark@below {{the permutations do not undo each other}}
  %1 = fxgraph.permute %0 dims [1, 2, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %2 = fxgraph.relu %1 : tensor<4x4x4xf32>
  return %2 : tensor<4x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @expanded
// CHECK: fxgraph.expand
// CHECK: fxgraph.view
func.func @expanded(%x: tensor<1x4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.expand %x shape [2, 4] : tensor<1x4xf32> -> tensor<2x4xf32>
  %1 = fxgraph.view %0 shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  %2 = fxgraph.relu %1 : tensor<8xf32>
  return %2 : tensor<8xf32>
}

// -----

// Two unknown extents need not be equal.
// CHECK-LABEL: func.func @unknown_extents
// CHECK: fxgraph.view
// CHECK: fxgraph.view
func.func @unknown_extents(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %0 = fxgraph.view %x shape [-1] : tensor<?x?xf32> -> tensor<?xf32>
  %1 = fxgraph.view %0 shape [%n, %m] : tensor<?xf32> -> tensor<?x?xf32>
  %2 = fxgraph.relu %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// -----

// The clone has another user, or the views do not undo each other.
// CHECK-LABEL: func.func @around_a_clone
// CHECK-COUNT-4: fxgraph.view
func.func @around_a_clone(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  %1 = fxgraph.clone %0 : tensor<32xf32>
  %2 = fxgraph.view %1 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  %3 = fxgraph.relu %1 : tensor<32xf32>
  %4 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  %5 = fxgraph.clone %4 : tensor<32xf32>
  %6 = fxgraph.view %5 shape [4, 8] : tensor<32xf32> -> tensor<4x8xf32>
  return %2, %3, %6 : tensor<8x4xf32>, tensor<32xf32>, tensor<4x8xf32>
}
