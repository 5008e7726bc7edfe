// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-quantized-views))' --fxgraph-report=%t.json -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// REPORT-DAG: "qcat_matcher_count": 2
// REPORT-DAG: "qmaxpool2d_matcher_count": 2

!q = tensor<1x2x4x4xui8>
!f = tensor<1x2x4x4xf32>

// CHECK-LABEL: func.func @pool
// CHECK-NEXT: %[[P:.+]] = fxgraph.max_pool2d %arg0 {{.*}} : (tensor<1x2x4x4xui8>) -> tensor<1x2x2x2xui8>
// CHECK-NEXT: return %[[P]]
func.func @pool(%q: !q) -> tensor<1x2x2x2xui8> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 7 range [0, 255] : (!q) -> !f
  %1 = fxgraph.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (!f) -> tensor<1x2x2x2xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 7 range [0, 255] : (tensor<1x2x2x2xf32>) -> tensor<1x2x2x2xui8>
  return %2 : tensor<1x2x2x2xui8>
}

// Windows that begin in the padding; negative numbers; the dequantized ones are used elsewhere.
// CHECK-LABEL: func.func @padded_pool
// CHECK-DAG: fxgraph.max_pool2d %arg0 {{.*}} -> tensor<1x2x3x3xi8>
// CHECK-DAG: fxgraph.dequantize_per_tensor
// CHECK-NOT: fxgraph.quantize_per_tensor
func.func @padded_pool(%q: tensor<1x2x4x4xi8>) -> (tensor<1x2x3x3xi8>, !f) {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point -7 range [-128, 127] : (tensor<1x2x4x4xi8>) -> !f
  %1 = fxgraph.max_pool2d %0 kernel [2, 2] stride [2, 2] padding [1, 1] dilation [1, 1] : (!f) -> tensor<1x2x3x3xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point -7 range [-128, 127] : (tensor<1x2x3x3xf32>) -> tensor<1x2x3x3xi8>
  return %2, %0 : tensor<1x2x3x3xi8>, !f
}

// CHECK-LABEL: func.func @cat
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %arg0, %arg1, %arg0 dim 1 : (tensor<1x2x4x4xui8>, tensor<1x3x4x4xui8>, tensor<1x2x4x4xui8>) -> tensor<1x7x4x4xui8>
// CHECK-NEXT: return %[[C]]
func.func @cat(%q: !q, %r: tensor<1x3x4x4xui8>) -> tensor<1x7x4x4xui8> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 7 range [0, 255] : (!q) -> !f
  %1 = fxgraph.dequantize_per_tensor %r scale 0.1 zero_point 7 range [0, 255] : (tensor<1x3x4x4xui8>) -> tensor<1x3x4x4xf32>
  %2 = fxgraph.cat %0, %1, %0 dim 1 : (!f, tensor<1x3x4x4xf32>, !f) -> tensor<1x7x4x4xf32>
  %3 = fxgraph.quantize_per_tensor %2 scale 0.1 zero_point 7 range [0, 255] : (tensor<1x7x4x4xf32>) -> tensor<1x7x4x4xui8>
  return %3 : tensor<1x7x4x4xui8>
}

// One operand, in 16 bits.
// CHECK-LABEL: func.func @cat_of_one
// CHECK-NEXT: fxgraph.cat %arg0 dim 0
// CHECK-NEXT: return
func.func @cat_of_one(%q: tensor<2x3xi16>) -> tensor<2x3xi16> {
  %0 = fxgraph.dequantize_per_tensor %q scale 0.1 zero_point 0 range [-32768, 32767] : (tensor<2x3xi16>) -> tensor<2x3xf32>
  %1 = fxgraph.cat %0 dim 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.quantize_per_tensor %1 scale 0.1 zero_point 0 range [-32768, 32767] : (tensor<2x3xf32>) -> tensor<2x3xi16>
  return %2 : tensor<2x3xi16>
}
