// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-constant-fold-uniform-value))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-constant-fold-uniform-value))' | diff %t.once -

// CHECK-LABEL: func.func @dtypes
// CHECK-DAG: fxgraph.full 1.000000e+00 : tensor<4xi1>
// CHECK-DAG: fxgraph.full -1.000000e+00 : tensor<4xi64>
// CHECK-DAG: fxgraph.full 0.199951171875 : tensor<4xf16>
func.func @dtypes() -> (tensor<4xi1>, tensor<4xi64>, tensor<4xf16>) {
  %0 = fxgraph.full -1.0 : tensor<4xi64>
  %c = fxgraph.constant dense<0> : tensor<i64>
  %1 = fxgraph.lt %0, %c : (tensor<4xi64>, tensor<i64>) -> tensor<4xi1>
  %2 = fxgraph.roll %0 by [1] dims [0] : (tensor<4xi64>) -> tensor<4xi64>
  %3 = fxgraph.full 0.1 : tensor<4xf16>
  %4 = fxgraph.add %3, %3 : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
  return %1, %2, %4 : tensor<4xi1>, tensor<4xi64>, tensor<4xf16>
}

// A product of integers with zero.
// CHECK-LABEL: func.func @integer_zero
// CHECK: %[[Z:.+]] = fxgraph.full 0.000000e+00 : tensor<4xi64>
// CHECK: fxgraph.add %arg0, %[[Z]]
func.func @integer_zero(%x: tensor<4xi64>) -> tensor<4xi64> {
  %z = fxgraph.constant dense<0> : tensor<i64>
  %0 = fxgraph.mul %x, %z : (tensor<4xi64>, tensor<i64>) -> tensor<4xi64>
  %1 = fxgraph.add %x, %0 : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  return %1 : tensor<4xi64>
}

// CHECK-LABEL: func.func @special
// CHECK-DAG: fxgraph.full 0x7FF0000000000000 : tensor<4xf32>
// CHECK-DAG: fxgraph.full -0.000000e+00 : tensor<4xf32>
func.func @special() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.full 0.0 : tensor<4xf32>
  %1 = fxgraph.reciprocal %0 : tensor<4xf32>
  %2 = fxgraph.neg %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @symbol
// CHECK: %[[N:.+]] = fxgraph.sym_size %arg0 dim 0
// CHECK: fxgraph.full 2.000000e+00 sizes %{{.+}} : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
func.func @symbol(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>> {
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %0 = fxgraph.full 1.0 sizes %n : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.add %0, %0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.mul %x, %1 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  return %2 : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
}

// Of no elements, and of one.
// CHECK-LABEL: func.func @little
// CHECK-DAG: fxgraph.full 2.000000e+00 : tensor<0x3xf32>
// CHECK-DAG: fxgraph.full 4.000000e+00 : tensor<f32>
func.func @little() -> (tensor<0x3xf32>, tensor<f32>) {
  %0 = fxgraph.full 1.0 : tensor<0x3xf32>
  %1 = fxgraph.add %0, %0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<0x3xf32>
  %c = fxgraph.constant dense<2.0> : tensor<f32>
  %2 = fxgraph.mul %c, %c : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1, %2 : tensor<0x3xf32>, tensor<f32>
}
