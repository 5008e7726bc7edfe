// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' | diff %t.once -

// Views that move or select; other users of the values between; unsigned numbers, and 16 bits.
// CHECK-LABEL: func.func @views
// CHECK-DAG: fxgraph.permute %arg0 dims [1, 0] : (tensor<2x3xui8>) -> tensor<3x2xui8>
// CHECK-DAG: fxgraph.slice %arg0 dim 1 from 0 to 2 : (tensor<2x3xui8>) -> tensor<2x2xui8>
// CHECK-DAG: fxgraph.expand %arg1 shape [4, 3]
// CHECK-DAG: fxgraph.permute %{{.+}} dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
// CHECK-NOT: fxgraph.quantize_per_tensor
// CHECK: return
func.func @views(%q: tensor<2x3xui8>, %r: tensor<1x3xi16>) -> (tensor<3x2xui8>, tensor<2x2xui8>, tensor<4x3xi16>, tensor<3x2xf32>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 128 range [0, 255] : (tensor<2x3xui8>) -> tensor<2x3xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 128 range [0, 255] : (tensor<3x2xf32>) -> tensor<3x2xui8>
  %3 = fxgraph.slice %0 dim 1 from 0 to 2 : (tensor<2x3xf32>) -> tensor<2x2xf32>
  %4 = fxgraph.quantize_per_tensor %3 scale 0.1 zero_point 128 range [0, 255] : (tensor<2x2xf32>) -> tensor<2x2xui8>
  %5 = fxgraph.dequantize_per_tensor %r scale 3.7 zero_point -30000 range [-32768, 32767] : (tensor<1x3xi16>) -> tensor<1x3xf32>
  %6 = fxgraph.expand %5 shape [4, 3] : tensor<1x3xf32> -> tensor<4x3xf32>
  %7 = fxgraph.quantize_per_tensor %6 scale 3.7 zero_point -30000 range [-32768, 32767] : (tensor<4x3xf32>) -> tensor<4x3xi16>
  return %2, %4, %7, %1 : tensor<3x2xui8>, tensor<2x2xui8>, tensor<4x3xi16>, tensor<3x2xf32>
}

// The caller may write to the result: it stays apart from the argument.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[V:.+]] = fxgraph.permute %arg0
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[V]]
// CHECK-NEXT: return %[[C]]
func.func @returned(%q: tensor<2x3xi8>) -> tensor<3x2xi8> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (tensor<2x3xi8>) -> tensor<2x3xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-128, 127] : (tensor<3x2xf32>) -> tensor<3x2xi8>
  return %2 : tensor<3x2xi8>
}

// A symbol; no element.
// CHECK-LABEL: func.func @kinds
// CHECK-NOT: quantize
func.func @kinds(%q: tensor<?x3xi8, #fxgraph.meta<dims = [s0]>>, %e: tensor<0x3xi8>) -> (tensor<3x?xi8, #fxgraph.meta<dims = [s0]>>, tensor<3x0xi8>) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-128, 127] : (tensor<?x3xi8, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<3x?xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-128, 127] : (tensor<3x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<3x?xi8, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.dequantize_per_tensor %e scale 0.1 zero_point 0 range [-128, 127] : (tensor<0x3xi8>) -> tensor<0x3xf32>
  %4 = fxgraph.permute %3 dims [1, 0] : (tensor<0x3xf32>) -> tensor<3x0xf32>
  %5 = fxgraph.quantize_per_tensor %4 scale 0.1 zero_point 0 range [-128, 127] : (tensor<3x0xf32>) -> tensor<3x0xi8>
  return %2, %5 : tensor<3x?xi8, #fxgraph.meta<dims = [s0]>>, tensor<3x0xi8>
}
