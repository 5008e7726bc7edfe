// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval))' | FileCheck %s

// CHECK-LABEL: func.func @conv_bn
// CHECK-SAME: (%[[X:.+]]: tensor<2x3x8x8xf32>, %[[W:[a-z0-9]+]]: {{.*}}, %[[B:[a-z0-9]+]]: {{.*}}, %[[MEAN:[a-z0-9]+]]: {{.*}}, %[[VAR:[a-z0-9]+]]: {{.*}}, %[[G:[a-z0-9]+]]: {{.*}}, %[[BETA:[a-z0-9]+]]: {{.*}})
// CHECK-NEXT: %[[EPS:.+]] = fxgraph.constant dense<1.000000e-05> : tensor<f64>
// CHECK-NEXT: %[[V:.+]] = fxgraph.add %[[VAR]], %[[EPS]]
// CHECK-NEXT: %[[R:.+]] = fxgraph.rsqrt %[[V]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.mul %[[R]], %[[G]]
// CHECK-NEXT: %[[SW:.+]] = fxgraph.reshape %[[S]] shape [-1, 1, 1, 1] : tensor<4xf32> -> tensor<4x1x1x1xf32>
// CHECK-NEXT: %[[WF:.+]] = fxgraph.mul %[[W]], %[[SW]]
// CHECK-NEXT: %[[D:.+]] = fxgraph.sub %[[B]], %[[MEAN]]
// CHECK-NEXT: %[[DS:.+]] = fxgraph.mul %[[D]], %[[S]]
// CHECK-NEXT: %[[BF:.+]] = fxgraph.add %[[DS]], %[[BETA]]
// CHECK-NEXT: %[[Y:.+]] = fxgraph.conv2d %[[X]], %[[WF]], %[[BF]] stride [1, 1] padding [1, 1] dilation [1, 1]
// CHECK-NEXT: return %[[Y]]
func.func @conv_bn(%x: tensor<2x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %b: tensor<4xf32>,
                   %mean: tensor<4xf32>, %var: tensor<4xf32>,
                   %g: tensor<4xf32>, %beta: tensor<4xf32>) -> tensor<2x4x8x8xf32> {
  %0 = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1]
    : (tensor<2x3x8x8xf32>, tensor<4x3x3x3xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var weight %g bias %beta eps 1.0e-05
    : (tensor<2x4x8x8xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x4x8x8xf32>
  return %1 : tensor<2x4x8x8xf32>
}
