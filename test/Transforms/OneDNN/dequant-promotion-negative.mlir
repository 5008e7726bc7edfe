// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-dequant-promotion))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

!q = tensor<4x8xui8>
!f = tensor<4x8xf32>

// One user; a cast of something else.
// CHECK-LABEL: func.func @one
// CHECK-COUNT-1: fxgraph.dequantize_per_tensor
// CHECK-NOT: fxgraph.dequantize_per_tensor
// CHECK: fxgraph.convert_element_type
// CHECK-NOT: fxgraph.convert_element_type
func.func @one(%q: !q, %x: tensor<4x8xbf16>) -> (!f, !f, !f) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (!q) -> !f
  %1 = fxgraph.mul %0, %0 : (!f, !f) -> !f
  %2 = fxgraph.convert_element_type %x : (tensor<4x8xbf16>) -> !f
  %3 = fxgraph.relu %2 : !f
  %4 = fxgraph.tanh %2 : !f
  return %1, %3, %4 : !f, !f, !f
}

// REMARK: remark: [Missed] onednn-dequant-promotion | Category:fxgraph-onednn-dequant-promotion | Remark="a user is in another block"
// CHECK-LABEL: func.func @blocks
// CHECK-COUNT-1: fxgraph.dequantize_per_tensor
// CHECK-NOT: fxgraph.dequantize_per_tensor
func.func @blocks(%q: !q) -> !f {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (!q) -> !f
  %1 = fxgraph.relu %0 : !f
  cf.br ^bb1
^bb1:
  %2 = fxgraph.add %1, %0 : (!f, !f) -> !f
  return %2 : !f
}
