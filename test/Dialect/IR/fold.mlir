// Folders, and each one's twin that must stay. Results of the graph are kept apart:
// where a case is about values, its result goes through an op that computes.
// RUN: fx-opt %s --canonicalize | FileCheck %s
// The same values as before, bit for bit.
// RUN: fx-opt %s --canonicalize -o %t.mlir
// RUN: fx-run %s --entry=* --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.mlir --entry=* --inputs=seed:1 --compare=%t.npz

//===----------------------------------------------------------------------===//
// Extents
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @sym_size(
// CHECK-DAG: arith.constant 3 : index
// CHECK-DAG: fxgraph.sym_size %{{.*}} dim 0
// CHECK-NOT: fxgraph.sym_size
func.func @sym_size(%x: tensor<?x3xf32>) -> (tensor<?x?xf32>) {
  %0 = fxgraph.sym_size %x dim 0 : tensor<?x3xf32>
  %1 = fxgraph.sym_size %x dim -1 : tensor<?x3xf32>
  %2 = fxgraph.full 1.0 sizes %0, %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// Views to their own shape
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @own_shape(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: return %[[T]]
func.func @own_shape(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.reshape %x shape [2, -1] : tensor<2x3xf32> -> tensor<2x3xf32>
  %1 = fxgraph.view %0 shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %2 = fxgraph.expand %1 shape [-1, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %3 = fxgraph.permute %2 dims [0, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = fxgraph.tanh %3 : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// An argument would become the result.
// CHECK-LABEL: func @own_shape_returned(
// CHECK: fxgraph.view
func.func @own_shape_returned(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.view %x shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func @permutation(
// CHECK: fxgraph.permute
func.func @permutation(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %1 = fxgraph.tanh %0 : tensor<3x3xf32>
  return %1 : tensor<3x3xf32>
}

// `?` may be two extents.
// CHECK-LABEL: func @unknown_extent(
// CHECK: fxgraph.reshape
func.func @unknown_extent(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = fxgraph.sym_size %x dim 1 : tensor<?x?xf32>
  %1 = fxgraph.reshape %x shape [%0, -1] : tensor<?x?xf32> -> tensor<?x?xf32>
  %2 = fxgraph.tanh %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @own_dtype(
// CHECK-NOT: fxgraph.convert_element_type
func.func @own_dtype(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = fxgraph.tanh %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}

// A copy that the caller, an unknown op or a view sees.
// CHECK-LABEL: func @own_dtype_visible(
// CHECK-COUNT-2: fxgraph.convert_element_type
func.func @own_dtype_visible(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2x1xf32>) {
  %0 = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<2xf32>
  %1 = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<2xf32>
  %2 = fxgraph.unsqueeze %1 dim 1 : (tensor<2xf32>) -> tensor<2x1xf32>
  return %0, %2 : tensor<2xf32>, tensor<2x1xf32>
}

// Rounded to nearest even once; integers wrap; bool is x != 0; floats are cut off.
// CHECK-LABEL: func @constants(
// CHECK-DAG: dense<[1.000000e+00, 1.007810e+00, -0.000000e+00, 0x7F80]> : tensor<4xbf16>
// CHECK-DAG: dense<[-56, 5, -1, 0]> : tensor<4xi8>
// CHECK-DAG: dense<[200, 5, 255, 0]> : tensor<4xui8>
// CHECK-DAG: dense<[true, true, false, true]> : tensor<4xi1>
// CHECK-DAG: dense<[2, -2, 0, 100]> : tensor<4xi64>
// CHECK-DAG: dense<[2.000000e+02, 5.000000e+00, 2.550000e+02, 0.000000e+00]> : tensor<4xf32>
// CHECK-DAG: dense<1> : tensor<1000000xi64>
// CHECK-DAG: dense<2.500000e+00> : tensor<f32>
// CHECK-NOT: fxgraph.convert_element_type
// CHECK: return
func.func @constants() -> (tensor<4xbf16>, tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi64>, tensor<4xf32>, tensor<1000000xi64>, tensor<f32>) {
  %a = fxgraph.constant dense<[1.001, 1.006, -0.0, 3.4e38]> : tensor<4xf32>
  %0 = fxgraph.convert_element_type %a : (tensor<4xf32>) -> tensor<4xbf16>
  %b = fxgraph.constant dense<[200, 261, -1, 512]> : tensor<4xi32>
  %1 = fxgraph.convert_element_type %b : (tensor<4xi32>) -> tensor<4xi8>
  %2 = fxgraph.convert_element_type %b : (tensor<4xi32>) -> tensor<4xui8>
  %c = fxgraph.constant dense<[0x7FC00000, 1.0e-40, -0.0, -1.0]> : tensor<4xf32>
  %3 = fxgraph.convert_element_type %c : (tensor<4xf32>) -> tensor<4xi1>
  %d = fxgraph.constant dense<[2.9, -2.9, 0.5, 100.0]> : tensor<4xf64>
  %4 = fxgraph.convert_element_type %d : (tensor<4xf64>) -> tensor<4xi64>
  %5 = fxgraph.convert_element_type %2 : (tensor<4xui8>) -> tensor<4xf32>
  %e = fxgraph.constant dense<true> : tensor<1000000xi1>
  %6 = fxgraph.convert_element_type %e : (tensor<1000000xi1>) -> tensor<1000000xi64>
  %f = fxgraph.constant dense<2.5> : tensor<f64>
  %7 = fxgraph.convert_element_type %f : (tensor<f64>) -> tensor<f32>
  %r0 = fxgraph.neg %0 : tensor<4xbf16>
  %r1 = fxgraph.neg %1 : tensor<4xi8>
  %r2 = fxgraph.neg %2 : tensor<4xui8>
  %r3 = fxgraph.bitwise_not %3 : tensor<4xi1>
  %r4 = fxgraph.neg %4 : tensor<4xi64>
  %r5 = fxgraph.neg %5 : tensor<4xf32>
  %r6 = fxgraph.neg %6 : tensor<1000000xi64>
  %r7 = fxgraph.neg %7 : tensor<f32>
  return %r0, %r1, %r2, %r3, %r4, %r5, %r6, %r7 : tensor<4xbf16>, tensor<4xi8>, tensor<4xui8>, tensor<4xi1>, tensor<4xi64>, tensor<4xf32>, tensor<1000000xi64>, tensor<f32>
}

// What PyTorch leaves open (a float that the integer cannot hold), and what would be
// returned: two equal constants are one.
// CHECK-LABEL: func @constants_left(
// CHECK-COUNT-4: fxgraph.convert_element_type
func.func @constants_left() -> (tensor<2xi8>, tensor<2xi64>, tensor<2xf32>, tensor<2xf32>) {
  %a = fxgraph.constant dense<[300.0, 1.0]> : tensor<2xf32>
  %0 = fxgraph.convert_element_type %a : (tensor<2xf32>) -> tensor<2xi8>
  %r0 = fxgraph.neg %0 : tensor<2xi8>
  %b = fxgraph.constant dense<[0x7FC00000, 1.0]> : tensor<2xf32>
  %1 = fxgraph.convert_element_type %b : (tensor<2xf32>) -> tensor<2xi64>
  %r1 = fxgraph.neg %1 : tensor<2xi64>
  %c = fxgraph.constant dense<[2, 1]> : tensor<2xi64>
  %2 = fxgraph.convert_element_type %c : (tensor<2xi64>) -> tensor<2xf32>
  %3 = fxgraph.convert_element_type %c : (tensor<2xi64>) -> tensor<2xf32>
  return %r0, %r1, %2, %3 : tensor<2xi8>, tensor<2xi64>, tensor<2xf32>, tensor<2xf32>
}

// 8-bit floats saturate in casts.
// CHECK-LABEL: func @small_floats(
// CHECK: fxgraph.convert_element_type
func.func @small_floats() -> tensor<2xf32> {
  %a = fxgraph.constant dense<[300.0, 1.0]> : tensor<2xf32>
  %0 = fxgraph.convert_element_type %a : (tensor<2xf32>) -> tensor<2xf8E4M3FN>
  %1 = fxgraph.convert_element_type %0 : (tensor<2xf8E4M3FN>) -> tensor<2xf32>
  %2 = fxgraph.neg %1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
