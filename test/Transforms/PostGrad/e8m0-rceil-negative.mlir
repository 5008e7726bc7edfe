// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %S/e8m0-rceil-example.mlir --pass-pipeline='builtin.module(func.func(fxgraph-postgrad-e8m0-rceil))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: remark: [Missed] e8m0-rceil | Category:fxgraph-postgrad-e8m0-rceil | Remark="the tensor is not on a GPU"

// CHECK-LABEL: func.func @other_places
// CHECK-NOT: cvt_e8m0
func.func @other_places(%x: tensor<8xf32>) -> tensor<8xui8> {
  %p = fxgraph.constant dense<22> : tensor<i64>
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

// CHECK-LABEL: func.func @other_mask
// CHECK-NOT: cvt_e8m0
func.func @other_mask(%x: tensor<8xf32>) -> tensor<8xui8> {
  %p = fxgraph.constant dense<23> : tensor<i64>
  %e = fxgraph.constant dense<255> : tensor<i64>
  %m = fxgraph.constant dense<4194303> : tensor<i64>
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

// CHECK-LABEL: func.func @other_limit
// CHECK-NOT: cvt_e8m0
func.func @other_limit(%x: tensor<8xf32>) -> tensor<8xui8> {
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
  %7 = fxgraph.clamp %6 min 0.0 max 253.0 : tensor<8xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<8xi32>) -> tensor<8xui8>
  return %8 : tensor<8xui8>
}

// CHECK-LABEL: func.func @scaled_sum
// CHECK-NOT: cvt_e8m0
func.func @scaled_sum(%x: tensor<8xf32>) -> tensor<8xui8> {
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
  %6 = fxgraph.add %2, %5 alpha 2.0 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %7 = fxgraph.clamp %6 min 0.0 max 254.0 : tensor<8xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<8xi32>) -> tensor<8xui8>
  return %8 : tensor<8xui8>
}

// The mantissa of another number.
// CHECK-LABEL: func.func @foreign
// CHECK-NOT: cvt_e8m0
func.func @foreign(%x: tensor<8xf32>, %y: tensor<8xi32>) -> tensor<8xui8> {
  %p = fxgraph.constant dense<23> : tensor<i64>
  %e = fxgraph.constant dense<255> : tensor<i64>
  %m = fxgraph.constant dense<8388607> : tensor<i64>
  %z = fxgraph.constant dense<0> : tensor<i64>
  %0 = fxgraph.view_dtype %x : tensor<8xf32> to tensor<8xi32>
  %1 = fxgraph.bitwise_right_shift %0, %p : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %2 = fxgraph.bitwise_and %1, %e : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %3 = fxgraph.bitwise_and %y, %m : (tensor<8xi32>, tensor<i64>) -> tensor<8xi32>
  %4 = fxgraph.ne %3, %z : (tensor<8xi32>, tensor<i64>) -> tensor<8xi1>
  %5 = fxgraph.convert_element_type %4 : (tensor<8xi1>) -> tensor<8xi32>
  %6 = fxgraph.add %2, %5 : (tensor<8xi32>, tensor<8xi32>) -> tensor<8xi32>
  %7 = fxgraph.clamp %6 min 0.0 max 254.0 : tensor<8xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<8xi32>) -> tensor<8xui8>
  return %8 : tensor<8xui8>
}

// CHECK-LABEL: func.func @other_bounds
// CHECK-NOT: cvt_e8m0
func.func @other_bounds(%x: tensor<8xf32>) -> tensor<8xui8> {
  %n = fxgraph.constant dense<127.0> : tensor<f64>
  %0 = fxgraph.log2 %x : tensor<8xf32>
  %1 = fxgraph.ceil %0 : tensor<8xf32>
  %2 = fxgraph.clamp %1 min -126.0 max 127.0 : tensor<8xf32>
  %3 = fxgraph.add %2, %n : (tensor<8xf32>, tensor<f64>) -> tensor<8xf32>
  %4 = fxgraph.convert_element_type %3 : (tensor<8xf32>) -> tensor<8xui8>
  return %4 : tensor<8xui8>
}

// REMARK: remark: [Missed] e8m0-rceil | Category:fxgraph-postgrad-e8m0-rceil | Remark="the number is not of f32"
// CHECK-LABEL: func.func @narrow
// CHECK-NOT: cvt_e8m0
func.func @narrow(%x: tensor<8xbf16>) -> tensor<8xui8> {
  %n = fxgraph.constant dense<127.0> : tensor<f64>
  %0 = fxgraph.log2 %x : tensor<8xbf16>
  %1 = fxgraph.ceil %0 : tensor<8xbf16>
  %2 = fxgraph.clamp %1 min -127.0 max 127.0 : tensor<8xbf16>
  %3 = fxgraph.add %2, %n : (tensor<8xbf16>, tensor<f64>) -> tensor<8xbf16>
  %4 = fxgraph.convert_element_type %3 : (tensor<8xbf16>) -> tensor<8xui8>
  return %4 : tensor<8xui8>
}
