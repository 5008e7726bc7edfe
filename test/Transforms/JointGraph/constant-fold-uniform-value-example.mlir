// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-constant-fold-uniform-value))' | FileCheck %s

// CHECK-LABEL: func.func @bias
// CHECK-NEXT: %[[Z:.+]] = fxgraph.full 5.000000e+00 : tensor<4x8xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.add %arg0, %[[Z]]
// CHECK-NEXT: return %[[R]]
func.func @bias(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.full 2.0 : tensor<8xf32>
  %1 = fxgraph.unsqueeze %0 dim 0 : (tensor<8xf32>) -> tensor<1x8xf32>
  %2 = fxgraph.expand %1 shape [4, 8] : tensor<1x8xf32> -> tensor<4x8xf32>
  %3 = fxgraph.full 3.0 : tensor<4x8xf32>
  %4 = fxgraph.add %2, %3 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = fxgraph.add %x, %4 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}
