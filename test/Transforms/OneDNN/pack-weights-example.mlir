// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights))' | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[Y:.+]] = fxgraph.linear_pointwise %arg0, %arg1 bias %arg2 : (tensor<4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[Y]]
func.func @linear(%x: tensor<4x8xf32>, %w: tensor<3x8xf32> {fxgraph.kind = "parameter"}, %b: tensor<3xf32> {fxgraph.kind = "parameter"}) -> tensor<4x3xf32> {
  %t = fxgraph.permute %w dims [1, 0] : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %y = fxgraph.addmm %b, %x, %t : (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: %[[Y:.+]] = fxgraph.convolution_pointwise %arg0, %arg1 stride [1, 1] padding [1, 1]
// CHECK-NEXT: return %[[Y]]
func.func @convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32> {fxgraph.kind = "parameter"}) -> tensor<1x4x8x8xf32> {
  %y = fxgraph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  return %y : tensor<1x4x8x8xf32>
}
