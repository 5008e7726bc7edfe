// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-weight-only-int8))' | FileCheck %s

// CHECK-LABEL: func.func @scaled
// CHECK-NEXT: %[[R:.+]] = fxgraph.weight_int8pack_mm %arg0, %arg1, %arg2
// CHECK-NEXT: return %[[R]]
func.func @scaled(%x: tensor<4x8xbf16>, %w: tensor<3x8xi8>, %s: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %0 = fxgraph.convert_element_type %w : (tensor<3x8xi8>) -> tensor<3x8xbf16>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<3x8xbf16>) -> tensor<8x3xbf16>
  %2 = fxgraph.mm %x, %1 : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %3 = fxgraph.mul %2, %s : (tensor<4x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  return %3 : tensor<4x3xbf16>
}
