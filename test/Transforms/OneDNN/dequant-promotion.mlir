// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-dequant-promotion))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-dequant-promotion))' | diff %t.once -

!q = tensor<4x8xui8>
!f = tensor<4x8xf32>
!h = tensor<4x8xbf16>
!flat = tensor<32xbf16>

// A cast and a reshape behind it go along; the dequantization then has three users, and becomes three.
// CHECK-LABEL: func.func @chain
// CHECK-COUNT-3: fxgraph.dequantize_per_tensor
// CHECK-NOT: fxgraph.dequantize_per_tensor
func.func @chain(%q: !q) -> (!flat, !flat, !flat) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (!q) -> !f
  %1 = fxgraph.convert_element_type %0 : (!f) -> !h
  %2 = fxgraph.reshape %1 shape [32] : !h -> !flat
  %3 = fxgraph.relu %2 : !flat
  %4 = fxgraph.tanh %2 : !flat
  %5 = fxgraph.sigmoid %2 : !flat
  return %3, %4, %5 : !flat, !flat, !flat
}

// A user that takes it twice is one; a result of the graph is another.
// CHECK-LABEL: func.func @twice
// CHECK: %[[A:.+]] = fxgraph.dequantize_per_tensor
// CHECK-NEXT: fxgraph.mul %[[A]], %[[A]]
// CHECK-NEXT: %[[B:.+]] = fxgraph.dequantize_per_tensor
// CHECK-NEXT: return %{{.+}}, %[[B]]
func.func @twice(%q: !q) -> (!f, !f) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 3 range [0, 255] : (!q) -> !f
  %1 = fxgraph.mul %0, %0 : (!f, !f) -> !f
  return %1, %0 : !f, !f
}
