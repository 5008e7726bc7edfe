// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-quantization-lift-up))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-quantization-lift-up))' -o %t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-quantization-lift-up))' -o %t.twice
// RUN: diff %t.once %t.twice

// Every view that keeps the elements, and the two that repeat them; a draw stays where
// it was; symbols.
// CHECK-LABEL: func.func @all_views
// CHECK: %[[R:.+]] = fxgraph.relu
// CHECK-NEXT: %[[Q:.+]] = fxgraph.quantize_per_tensor %[[R]] {{.*}} -> tensor<?x1x6xui8, #fxgraph.meta<dims = [s0]>>
// CHECK-NEXT: fxgraph.squeeze %[[Q]] {{.*}}ui8
// CHECK-NEXT: fxgraph.unflatten {{.*}}ui8
// CHECK-NEXT: fxgraph.transpose {{.*}}ui8
// CHECK-NEXT: fxgraph.rand
// CHECK-NEXT: fxgraph.flatten {{.*}}ui8
// CHECK-NEXT: fxgraph.unsqueeze {{.*}}ui8
// CHECK-NEXT: fxgraph.flip {{.*}}ui8
// CHECK-NEXT: fxgraph.roll {{.*}}ui8
// CHECK-NEXT: fxgraph.expand {{.*}}ui8
// CHECK-NEXT: fxgraph.repeat {{.*}}ui8
// CHECK-NEXT: return
func.func @all_views(%x: tensor<?x1x6xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<8x?x6xui8, #fxgraph.meta<dims = [s0]>>, tensor<2xf32>) {
  %0 = fxgraph.relu %x : tensor<?x1x6xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.squeeze %0 dims [1] : (tensor<?x1x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.unflatten %1 dim 1 sizes [2, 3] : (tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.transpose %2 dims 1, 2 : (tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3x2xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.rand : tensor<2xf32>
  %4 = fxgraph.flatten %3 dims 1 to 2 : (tensor<?x3x2xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
  %5 = fxgraph.unsqueeze %4 dim 0 : (tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %6 = fxgraph.flip %5 dims [2] : (tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %7 = fxgraph.roll %6 by [1] dims [2] : (tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %8 = fxgraph.expand %7 shape [4, -1, -1] : tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>> -> tensor<4x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %9 = fxgraph.repeat %8 by [2, 1, 1] : (tensor<4x?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<8x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %q = fxgraph.quantize_per_tensor %9 scale 0.1 zero_point 128 range [0, 255] : (tensor<8x?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<8x?x6xui8, #fxgraph.meta<dims = [s0]>>
  return %q, %r : tensor<8x?x6xui8, #fxgraph.meta<dims = [s0]>>, tensor<2xf32>
}

// -----

!b = tensor<2x3xbf16>
!t = tensor<3x2xbf16>
!i = tensor<3x2xi8>

// Two quantizations of two chains; an argument; a round trip between them.
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT: fxgraph.quantize_per_tensor %arg0
// CHECK-NEXT: fxgraph.transpose {{.*}}i8
// CHECK-NEXT: %[[D:.+]] = fxgraph.dequantize_per_tensor
// CHECK-NEXT: fxgraph.quantize_per_tensor %[[D]]
// CHECK-NEXT: fxgraph.transpose {{.*}}i8
// CHECK-NEXT: return
func.func @round_trip(%x: !b) -> tensor<2x3xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (!b) -> !t
  %1 = fxgraph.quantize_per_tensor %0 scale 0.1 zero_point 0 range [-127, 127] : (!t) -> !i
  %2 = fxgraph.dequantize_per_tensor %1 scale 0.1 zero_point 0 range [-127, 127] : (!i) -> !t
  %3 = fxgraph.transpose %2 dims 0, 1 : (!t) -> !b
  %4 = fxgraph.quantize_per_tensor %3 scale 0.3 zero_point 7 range [-128, 127] : (!b) -> tensor<2x3xi8>
  return %4 : tensor<2x3xi8>
}
