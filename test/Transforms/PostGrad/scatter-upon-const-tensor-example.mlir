// RUN: fx-opt %s --fxgraph-postgrad-scatter-upon-const-tensor="assume-in-range=true" | FileCheck %s

// CHECK-LABEL: func.func @one_hot
// CHECK-NEXT: %[[A:.+]] = fxgraph.arange from 0.000000e+00 {{.*}}: tensor<5xi64>
// CHECK-NEXT: %[[E:.+]] = fxgraph.eq %arg1, %[[A]]
// CHECK-NEXT: %[[V:.+]] = fxgraph.constant dense<-1.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[W:.+]] = fxgraph.where %[[E]], %[[V]], %[[B]]
// CHECK-NEXT: fxgraph.mul %arg0, %[[W]]
func.func @one_hot(%loss: tensor<3x1xf32>, %index: tensor<3x1xi64>) -> tensor<3x5xf32> {
  %zeros = fxgraph.full 0.0 : tensor<3x5xf32>
  %value = fxgraph.full -1.0 : tensor<3x1xf32>
  %s = fxgraph.scatter %zeros, %index, %value dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %r = fxgraph.mul %loss, %s : (tensor<3x1xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %r : tensor<3x5xf32>
}
