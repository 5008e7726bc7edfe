// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-constant-fold-uniform-value))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// NaN * 0 is NaN, -1 * 0 is -0.
// CHECK-LABEL: func.func @float_zero
// CHECK: fxgraph.mul
func.func @float_zero(%x: tensor<4xf32>) -> tensor<4xf32> {
  %z = fxgraph.full 0.0 : tensor<4xf32>
  %0 = fxgraph.mul %x, %z : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @triangle
// CHECK: fxgraph.tril
// CHECK: fxgraph.constant_pad_nd
func.func @triangle() -> (tensor<4x4xf32>, tensor<6xf32>) {
  %0 = fxgraph.full 1.0 : tensor<4x4xf32>
  %1 = fxgraph.tril %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = fxgraph.full 1.0 : tensor<4xf32>
  %3 = fxgraph.constant_pad_nd %2 by [1, 1] : (tensor<4xf32>) -> tensor<6xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<6xf32>
}

// -----

// CHECK-LABEL: func.func @not_uniform
// CHECK: fxgraph.neg
func.func @not_uniform() -> tensor<2xf32> {
  %0 = fxgraph.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %1 = fxgraph.neg %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// -----

// CHECK-LABEL: func.func @unsigned
// CHECK: fxgraph.add
func.func @unsigned() -> tensor<4xui8> {
  %0 = fxgraph.full 1.0 : tensor<4xui8>
  // expected-remark@below {{the result is unsigned}}
  %1 = fxgraph.add %0, %0 : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  return %1 : tensor<4xui8>
}

// -----

// CHECK-LABEL: func.func @beyond_double
// CHECK: fxgraph.add
func.func @beyond_double() -> tensor<4xi64> {
  %0 = fxgraph.full 9007199254740992.0 : tensor<4xi64>
  %c = fxgraph.constant dense<1> : tensor<i64>
  // expected-remark@below {{the number is beyond 2^53}}
  %1 = fxgraph.add %0, %c : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}

// -----

// Division by zero is an error when it is run.
// CHECK-LABEL: func.func @fails
// CHECK: fxgraph.div
func.func @fails() -> tensor<4xi64> {
  %0 = fxgraph.full 1.0 : tensor<4xi64>
  %c = fxgraph.constant dense<0> : tensor<i64>
  %1 = fxgraph.div %0, %c rounding_mode "floor" : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}

// -----

// CHECK-LABEL: func.func @opaque_writes
// CHECK: fxgraph.neg
func.func @opaque_writes() -> tensor<4xf32> {
  %0 = fxgraph.full 1.0 : tensor<4xf32>
  // expected-remark@below {{an unknown op may write to it}}
  %1 = fxgraph.neg %0 : tensor<4xf32>
  %2 = fxgraph.opaque "custom.op" (%1) : (tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @draws
// CHECK: fxgraph.dropout
func.func @draws() -> tensor<4xf32> {
  %0 = fxgraph.full 1.0 : tensor<4xf32>
  %1 = fxgraph.dropout %0 p 0.5 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @unknown_extent
// CHECK: fxgraph.neg
func.func @unknown_extent(%n: index) -> tensor<?xf32> {
  %0 = fxgraph.full 1.0 sizes %n : tensor<?xf32>
  // expected-remark@below {{an extent is not that of an argument}}
  %1 = fxgraph.neg %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}
