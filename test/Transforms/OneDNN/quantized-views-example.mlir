// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' | FileCheck %s

// CHECK-LABEL: func.func @reshape
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %arg0 shape [6] : tensor<2x3xi8> -> tensor<6xi8>
// CHECK-NEXT: %[[O:.+]] = fxgraph.dequantize_per_tensor %[[R]]
// CHECK-NEXT: return %[[O]]
func.func @reshape(%q: tensor<2x3xi8>) -> tensor<6xf32> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [-128, 127] : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = fxgraph.reshape %0 shape [6] : tensor<2x3xf32> -> tensor<6xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 3 range [-128, 127] : (tensor<6xf32>) -> tensor<6xi8>
  %3 = fxgraph.dequantize_per_tensor %2 scale 0.1 zero_point 3 range [-128, 127] : (tensor<6xi8>) -> tensor<6xf32>
  return %3 : tensor<6xf32>
}
