// RUN: fx-opt %s --fxgraph-postgrad-move-constructors="default-device=cuda" | FileCheck %s

// CHECK-LABEL: func.func @positions
// CHECK-NEXT: %[[I:.+]] = fxgraph.arange from 0.000000e+00 : tensor<4xf32>
// CHECK-NEXT: %[[J:.+]] = fxgraph.unsqueeze %[[I]] dim 0 : (tensor<4xf32>) -> tensor<1x4xf32>
// CHECK-NEXT: fxgraph.device_put %[[J]] : tensor<1x4xf32> to tensor<1x4xf32>
func.func @positions(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %i = fxgraph.arange from 0.0 : tensor<4xf32, #fxgraph.meta<device = "cpu">>
  %j = fxgraph.unsqueeze %i dim 0 : (tensor<4xf32, #fxgraph.meta<device = "cpu">>) -> tensor<1x4xf32, #fxgraph.meta<device = "cpu">>
  %p = fxgraph.device_put %j : tensor<1x4xf32, #fxgraph.meta<device = "cpu">> to tensor<1x4xf32>
  %r = fxgraph.add %x, %p : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
