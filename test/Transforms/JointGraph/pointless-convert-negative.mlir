// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-LABEL: func.func @rounds_on_purpose
// CHECK-COUNT-2: fxgraph.convert_element_type
func.func @rounds_on_purpose(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf32>) -> tensor<4xf16>
  // expected-remark@below {{the dtype between is narrower than the last}}
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf16>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @integers
// CHECK-COUNT-2: fxgraph.convert_element_type
func.func @integers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf32>) -> tensor<4xi32>
  // expected-remark@below {{a dtype is not f16, bf16, f32 or f64}}
  %1 = fxgraph.convert_element_type %0 : (tensor<4xi32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @other_user
// CHECK-COUNT-2: fxgraph.convert_element_type
func.func @other_user(%x: tensor<4xf16>) -> (tensor<4xf32>, tensor<4xbf16>) {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xbf16>
  return %0, %1 : tensor<4xf32>, tensor<4xbf16>
}

// -----

// CHECK-LABEL: func.func @opaque_writes
// CHECK-COUNT-2: fxgraph.convert_element_type
func.func @opaque_writes(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf16>) -> tensor<4xf32>
  // expected-remark@below {{an unknown op may write to the copy}}
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xf16>
  %2 = fxgraph.opaque "custom.op" (%1) : (tensor<4xf16>) -> tensor<4xf16>
  return %2 : tensor<4xf16>
}
