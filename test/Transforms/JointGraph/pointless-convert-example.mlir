// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert))' | FileCheck %s

// CHECK-LABEL: func.func @wide_between
// CHECK-NEXT: %[[C:.+]] = fxgraph.convert_element_type %arg0 : (tensor<4xf16>) -> tensor<4xbf16>
// CHECK-NEXT: return %[[C]]
func.func @wide_between(%x: tensor<4xf16>) -> tensor<4xbf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xbf16>
  return %1 : tensor<4xbf16>
}
