// The logarithm of negative numbers is no number to compare with.
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil{default-device=cuda}))' | diff %t.once -
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil{default-device=cuda numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// CHECK-LABEL: func.func @bits
// CHECK-NEXT: fxgraph.cvt_e8m0_rceil %arg0
// EXACT-LABEL: func.func @bits
// EXACT: fxgraph.cvt_e8m0_rceil %arg0
func.func @bits(%x: tensor<8xf32>) -> tensor<8xui8> {
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

// Infinities are 255 here.
// CHECK-LABEL: func.func @infinities
// CHECK-NEXT: fxgraph.cvt_e8m0_rceil %arg0
// EXACT-LABEL: func.func @infinities
// EXACT-NOT: cvt_e8m0
func.func @infinities(%x: tensor<8xf32>) -> tensor<8xui8> {
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
  %7 = fxgraph.clamp %6 min 0.0 max 255.0 : tensor<8xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<8xi32>) -> tensor<8xui8>
  return %8 : tensor<8xui8>
}

// CHECK-LABEL: func.func @logarithm
// CHECK-NEXT: fxgraph.cvt_e8m0_rceil %arg0
// EXACT-LABEL: func.func @logarithm
// EXACT-NOT: cvt_e8m0
func.func @logarithm(%x: tensor<8xf32>) -> tensor<8xui8> {
  %n = fxgraph.constant dense<127.0> : tensor<f64>
  %0 = fxgraph.log2 %x : tensor<8xf32>
  %1 = fxgraph.ceil %0 : tensor<8xf32>
  %2 = fxgraph.clamp %1 min -127.0 max 127.0 : tensor<8xf32>
  %3 = fxgraph.add %2, %n : (tensor<8xf32>, tensor<f64>) -> tensor<8xf32>
  %4 = fxgraph.convert_element_type %3 : (tensor<8xf32>) -> tensor<8xui8>
  return %4 : tensor<8xui8>
}
