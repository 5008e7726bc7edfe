// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @scale
// CHECK-NEXT: %[[E:.+]] = fxgraph.cvt_e8m0_rceil %arg0
// CHECK-NEXT: return %[[E]]
func.func @scale(%x: tensor<8xf32>) -> tensor<8xui8> {
  %p = fxgraph.constant dense<23> : tensor<i64>
  %e = fxgraph.constant dense<255> : tensor<i64>
  %m = fxgraph.constant dense<8388607> : tensor<i64>
  %z = fxgraph.constant dense<0> : tensor<i64>
  %0 = fxgraph.view_dtype %x : tensor<8xf32> to tensor<8xi32>
  %1 = fxgraph.bitwise_right_shift %0, %p : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %2 = fxgraph.bitwise_and %1, %e : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %3 = fxgraph.bitwise_and %0, %m : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %4 = fxgraph.ne %3, %z : (tensor<8xi32>, tensor<i64>) -> tensor<8xi1>
  %5 = fxgraph.convert_element_type %4 : (tensor<8xi1>) -> tensor<8xi32>
  %6 = fxgraph.add %2, %5 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %7 = fxgraph.clamp %6 min 0.0 max 254.0 : tensor<8xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<8xi32>) -> tensor<8xui8>
  return %8 : tensor<8xui8>
}
