// RUN: fx-opt %s --fxgraph-predispatch-relu-nan-to-num --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @positive_neginf
// CHECK: fxgraph.nan_to_num
// CHECK: fxgraph.relu %
func.func @positive_neginf(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.nan_to_num %x neginf 1.0 : tensor<4xf32>
  // expected-remark @below {{the number for -inf is not one that relu makes 0}}
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -inf would become -0, everything else below 0 becomes +0.
// CHECK-LABEL: func @negative_zero
// CHECK: fxgraph.nan_to_num
func.func @negative_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.nan_to_num %x neginf -0.0 : tensor<4xf32>
  // expected-remark @below {{the number for -inf is not one that relu makes 0}}
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The same after rounding to the dtype.
// CHECK-LABEL: func @rounds_to_negative_zero
// CHECK: fxgraph.nan_to_num
func.func @rounds_to_negative_zero(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fxgraph.nan_to_num %x neginf -1.0e-9 : tensor<4xf16>
  // expected-remark @below {{the number for -inf is not one that relu makes 0}}
  %1 = fxgraph.relu %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func @other_users
// CHECK: fxgraph.relu %
// CHECK: fxgraph.nan_to_num
func.func @other_users(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @below {{the inner op has other users}}
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.nan_to_num %0 : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Integers have no NaN.
// CHECK-LABEL: func @integers
// CHECK: fxgraph.relu %
// CHECK: fxgraph.nan_to_num
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = fxgraph.relu %x : tensor<4xi32>
  %1 = fxgraph.nan_to_num %0 : tensor<4xi32>
  return %1 : tensor<4xi32>
}

// Not asked for: this would change NaN.
// CHECK-LABEL: func @relu_alone
// CHECK: fxgraph.relu %
func.func @relu_alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
