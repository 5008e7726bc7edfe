// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-quantization-lift-up))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.quantize_per_tensor %arg0

!f = tensor<2x3xf32>
!t = tensor<3x2xf32>
!i = tensor<3x2xi8>

func.func @view_used(%x: !f) -> (!i, !t) {
  %0 = fxgraph.transpose %x dims 0, 1 : (!f) -> !t
  // expected-remark@below {{a view on the way has other users}}
  %1 = fxgraph.quantize_per_tensor %0 scale 0.1 zero_point 0 range [-128, 127] : (!t) -> !i
  return %1, %0 : !i, !t
}

// -----

!f = tensor<2x3xf32>
!t = tensor<3x2xf32>
!i = tensor<3x2xi8>

func.func @source_used(%x: !f) -> (!i, !f) {
  %0 = fxgraph.transpose %x dims 0, 1 : (!f) -> !t
  // expected-remark@below {{the values before the views have other users}}
  %1 = fxgraph.quantize_per_tensor %0 scale 0.1 zero_point 0 range [-128, 127] : (!t) -> !i
  return %1, %x : !i, !f
}

// -----

!f = tensor<2x3xf32>

// More elements would be quantized; zeros would not be.
func.func @selecting_views(%x: !f, %y: !f, %z: !f) -> (tensor<1x3xi8>, tensor<3x4xi8>, tensor<2x3xi8>) {
  %0 = fxgraph.slice %x dim 0 from 1 to 2 : (!f) -> tensor<1x3xf32>
  // expected-remark@below {{a view on the way selects or makes elements}}
  %1 = fxgraph.quantize_per_tensor %0 scale 0.1 zero_point 1 range [-128, 127] : (tensor<1x3xf32>) -> tensor<1x3xi8>
  %2 = fxgraph.constant_pad_nd %y by [1, 0, 0, 1] : (!f) -> tensor<3x4xf32>
  // expected-remark@below {{a view on the way selects or makes elements}}
  %3 = fxgraph.quantize_per_tensor %2 scale 0.1 zero_point 1 range [-128, 127] : (tensor<3x4xf32>) -> tensor<3x4xi8>
  %4 = fxgraph.tril %z : (!f) -> !f
  // expected-remark@below {{a view on the way selects or makes elements}}
  %5 = fxgraph.quantize_per_tensor %4 scale 0.1 zero_point 1 range [-128, 127] : (!f) -> tensor<2x3xi8>
  return %1, %3, %5 : tensor<1x3xi8>, tensor<3x4xi8>, tensor<2x3xi8>
}

// -----

!f = tensor<2x3xf32>
!t = tensor<3x2xf32>
!c = tensor<2xf32>

// The axis of per-channel quantization would move: such an op stays where it is. No
// views: nothing to do, and nothing to say.
// CHECK: fxgraph.transpose
// CHECK: fxgraph.opaque "quantized_decomposed.quantize_per_channel.default"
func.func @per_channel(%x: !f, %s: !c, %y: !f) -> (tensor<3x2xi8>, tensor<2x3xi8>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (!f) -> !t
  %1 = fxgraph.opaque "quantized_decomposed.quantize_per_channel.default"(%0, %s) : (!t, !c) -> tensor<3x2xi8>
  %2 = fxgraph.quantize_per_tensor %y scale 0.1 zero_point 0 range [-128, 127] : (!f) -> tensor<2x3xi8>
  return %1, %2 : tensor<3x2xi8>, tensor<2x3xi8>
}
