// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' | FileCheck %s

!q = tensor<2x4x4xi8>
!f = tensor<2x4x4xf32>

// CHECK-LABEL: func.func @permute
// CHECK-NEXT: %[[Q:.+]] = fxgraph.quantize_per_tensor %arg0
// CHECK-NEXT: %[[R:.+]] = fxgraph.permute %[[Q]] dims [0, 2, 1] : (tensor<2x4x4xi8>) -> tensor<2x4x4xi8>
// CHECK-NEXT: return %[[R]]
func.func @permute(%x: !f) -> !q {
  %0 = fxgraph.quantize_per_tensor %x scale 0.1 zero_point 3 range [-128, 127] : (!f) -> !q
  %1 = fxgraph.dequantize_per_tensor %0 scale 0.1 zero_point 3 range [-128, 127] : (!q) -> !f
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (!f) -> !f
  %3 = fxgraph.quantize_per_tensor %2 scale 0.1 zero_point 3 range [-128, 127] : (!f) -> !q
  return %3 : !q
}
