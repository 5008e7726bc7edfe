// RUN: fx-opt %s --fxgraph-postgrad-pointless-cumsum | FileCheck %s

// CHECK-LABEL: func.func @positions
// CHECK-NEXT: %[[A:.+]] = fxgraph.arange from 1.000000e+00 {{.*}}: tensor<4xf32>
// CHECK-NEXT: %[[E:.+]] = fxgraph.expand %[[A]] shape [2, 4]
// CHECK-NEXT: fxgraph.sub %arg0, %[[E]]
func.func @positions(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %ones = fxgraph.full 1.0 : tensor<2x4xf32>
  %c = fxgraph.cumsum %ones dim 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %r = fxgraph.sub %x, %c : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}
