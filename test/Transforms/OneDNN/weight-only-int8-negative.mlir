// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-weight-only-int8))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: weight_int8pack_mm

!x = tensor<4x8xf32>
!w = tensor<3x8xi8>
!v = tensor<3x8xf32>
!y = tensor<4x3xf32>

// A number, one value, a column, a whole matrix, another dtype.
// REMARK-DAG: remark: [Missed] onednn-weight-only-int8 | Category:fxgraph-onednn-weight-only-int8 | Remark="expected one scale of the input's dtype for each output"
func.func @scales(%x: !x, %w: !w, %one: tensor<1xf32>, %column: tensor<4x1xf32>, %m: !y) -> (!y, !y, !y, !y) {
  %n = fxgraph.constant dense<0.5> : tensor<f64>
  %v = fxgraph.convert_element_type %w : (!w) -> !v
  %0 = fxgraph.linear %x, %v : (!x, !v) -> !y
  %1 = fxgraph.mul %0, %n : (!y, tensor<f64>) -> !y
  %2 = fxgraph.linear %x, %v : (!x, !v) -> !y
  %3 = fxgraph.mul %2, %one : (!y, tensor<1xf32>) -> !y
  %4 = fxgraph.linear %x, %v : (!x, !v) -> !y
  %5 = fxgraph.mul %4, %column : (!y, tensor<4x1xf32>) -> !y
  %6 = fxgraph.linear %x, %v : (!x, !v) -> !y
  %7 = fxgraph.mul %6, %m : (!y, !y) -> !y
  return %1, %3, %5, %7 : !y, !y, !y, !y
}

// REMARK-DAG: Remark="the product has other users"
func.func @users(%x: !x, %w: !w, %s: tensor<3xf32>) -> (!y, !y) {
  %v = fxgraph.convert_element_type %w : (!w) -> !v
  %0 = fxgraph.linear %x, %v : (!x, !v) -> !y
  %1 = fxgraph.mul %0, %s : (!y, tensor<3xf32>) -> !y
  return %0, %1 : !y, !y
}

// REMARK-DAG: Remark="the input or the weight is no matrix"
// REMARK-DAG: Remark="expected floats of 16 or 32 bits"
// REMARK-DAG: Remark="the product is not on the CPU"
!c8 = tensor<3x8xi8, #fxgraph.meta<device = "cuda:0">>
!cv = tensor<3x8xf32, #fxgraph.meta<device = "cuda:0">>
!cx = tensor<4x8xf32, #fxgraph.meta<device = "cuda:0">>
!cy = tensor<4x3xf32, #fxgraph.meta<device = "cuda:0">>
!cs = tensor<3xf32, #fxgraph.meta<device = "cuda:0">>
func.func @types(%x: tensor<2x4x8xf32>, %w: !w, %s: tensor<3xf32>, %d: tensor<4x8xf64>, %ds: tensor<3xf64>, %c: !cx, %cw: !c8, %cs: !cs, %u: tensor<3x8xui8>, %y: !x)
    -> (tensor<2x4x3xf32>, tensor<4x3xf64>, !cy, !y) {
  %v = fxgraph.convert_element_type %w : (!w) -> !v
  %0 = fxgraph.linear %x, %v : (tensor<2x4x8xf32>, !v) -> tensor<2x4x3xf32>
  %1 = fxgraph.mul %0, %s : (tensor<2x4x3xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.convert_element_type %w : (!w) -> tensor<3x8xf64>
  %3 = fxgraph.linear %d, %2 : (tensor<4x8xf64>, tensor<3x8xf64>) -> tensor<4x3xf64>
  %4 = fxgraph.mul %3, %ds : (tensor<4x3xf64>, tensor<3xf64>) -> tensor<4x3xf64>
  %5 = fxgraph.convert_element_type %cw : (!c8) -> !cv
  %6 = fxgraph.linear %c, %5 : (!cx, !cv) -> !cy
  %7 = fxgraph.mul %6, %cs : (!cy, !cs) -> !cy
  %8 = fxgraph.convert_element_type %u : (tensor<3x8xui8>) -> !v
  %9 = fxgraph.linear %y, %8 : (!x, !v) -> !y
  %10 = fxgraph.mul %9, %s : (!y, tensor<3xf32>) -> !y
  return %1, %4, %7, %10 : tensor<2x4x3xf32>, tensor<4x3xf64>, !cy, !y
}

// A square weight that is not exchanged, one with a bias, a reshape that mixes rows and outputs.
// REMARK-DAG: Remark="the permutation is not the exchange of the last two dimensions"
// REMARK-DAG: Remark="the reshape does not keep the outputs"
func.func @shapes(%x: tensor<8x8xf32>, %w: tensor<8x8xi8>, %s: tensor<8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8x1xf32>) {
  %0 = fxgraph.permute %w dims [0, 1] : (tensor<8x8xi8>) -> tensor<8x8xi8>
  %1 = fxgraph.convert_element_type %0 : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %2 = fxgraph.mm %x, %1 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = fxgraph.mul %2, %s : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %4 = fxgraph.convert_element_type %w : (tensor<8x8xi8>) -> tensor<8x8xf32>
  %5 = fxgraph.linear %x, %4, %s : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %6 = fxgraph.mul %5, %s : (tensor<8x8xf32>, tensor<8xf32>) -> tensor<8x8xf32>
  %7 = fxgraph.permute %4 dims [1, 0] : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %8 = fxgraph.mm %x, %7 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %9 = fxgraph.reshape %8 shape [8, 8, 1] : tensor<8x8xf32> -> tensor<8x8x1xf32>
  %10 = fxgraph.mul %9, %s : (tensor<8x8x1xf32>, tensor<8xf32>) -> tensor<8x8x8xf32>
  %11 = fxgraph.slice %10 dim 2 from 0 to 1 : (tensor<8x8x8xf32>) -> tensor<8x8x1xf32>
  return %3, %6, %11 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8x1xf32>
}
