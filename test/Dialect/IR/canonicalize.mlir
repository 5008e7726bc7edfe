// Canonical forms, and each one's twin that must stay.
// RUN: fx-opt %s --canonicalize | FileCheck %s
// Twice is once; the same values as before, bit for bit.
// RUN: fx-opt %s --canonicalize -o %t.mlir
// RUN: fx-opt %t.mlir --canonicalize | diff %t.mlir -
// RUN: fx-run %s --entry=* --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.mlir --entry=* --inputs=seed:1 --compare=%t.npz

//===----------------------------------------------------------------------===//
// Views of views
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @view_of_view(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[V:.*]] = fxgraph.view %[[X]] shape [4, -1] : tensor<2x3x4xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %[[V]]
func.func @view_of_view(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.view %x shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = fxgraph.unsqueeze %0 dim 0 : (tensor<6x4xf32>) -> tensor<1x6x4xf32>
  %2 = fxgraph.view %1 shape [4, -1] : tensor<1x6x4xf32> -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @reshape_of_view_dynamic(
// CHECK-SAME: %[[X:.*]]: tensor<?x4xf32
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [2, -1]
// CHECK-NEXT: return %[[R]]
func.func @reshape_of_view_dynamic(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x?xf32> {
  %0 = fxgraph.view %x shape [-1] : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?xf32>
  %1 = fxgraph.reshape %0 shape [2, -1] : tensor<?xf32> -> tensor<2x?xf32>
  return %1 : tensor<2x?xf32>
}

// The inner reshape copies: the result is fresh, and may be viewed as anything.
// CHECK-LABEL: func @reshape_copies(
// CHECK: fxgraph.permute
// CHECK-NEXT: fxgraph.reshape
// CHECK-NEXT: fxgraph.reshape
// CHECK-NEXT: return
func.func @reshape_copies(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = fxgraph.reshape %0 shape [6] : tensor<3x2xf32> -> tensor<6xf32>
  %2 = fxgraph.reshape %1 shape [3, 2] : tensor<6xf32> -> tensor<3x2xf32>
  return %2 : tensor<3x2xf32>
}

// CHECK-LABEL: func @view_after_copy(
// CHECK: fxgraph.reshape
// CHECK-NEXT: fxgraph.view
func.func @view_after_copy(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = fxgraph.reshape %0 shape [6] : tensor<3x2xf32> -> tensor<6xf32>
  %2 = fxgraph.view %1 shape [2, 3] : tensor<6xf32> -> tensor<2x3xf32>
  %3 = fxgraph.tanh %2 : tensor<2x3xf32>
  return %3 : tensor<2x3xf32>
}

// Inside of the graph a copy is a copy for nobody.
// CHECK-LABEL: func @reshape_of_reshape(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [4, 6]
// CHECK-NEXT: fxgraph.tanh %[[R]]
func.func @reshape_of_reshape(%x: tensor<2x3x4xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.flatten %x dims 0 to 1 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = fxgraph.reshape %0 shape [4, 6] : tensor<6x4xf32> -> tensor<4x6xf32>
  %2 = fxgraph.tanh %1 : tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: fxgraph.tanh %[[X]]
func.func @there_and_back(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.unsqueeze %x dim 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %1 = fxgraph.squeeze %0 dims [1] : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.unflatten %1 dim 1 sizes [3, 1] : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %3 = fxgraph.flatten %2 dims 1 to 2 : (tensor<2x3x1xf32>) -> tensor<2x3xf32>
  %4 = fxgraph.tanh %3 : tensor<2x3xf32>
  return %4 : tensor<2x3xf32>
}

// CHECK-LABEL: func @there_and_back_returned(
// CHECK: fxgraph.unsqueeze
// CHECK-NEXT: fxgraph.squeeze
func.func @there_and_back_returned(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.unsqueeze %x dim 1 : (tensor<2x3xf32>) -> tensor<2x1x3xf32>
  %1 = fxgraph.squeeze %0 dims [1] : (tensor<2x1x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}

// CHECK-LABEL: func @permute_of_permute(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[X]] dims [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
// CHECK-NEXT: return %[[P]]
func.func @permute_of_permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = fxgraph.transpose %0 dims 0, 2 : (tensor<3x4x2xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [-2, 0, 2] : (tensor<2x4x3xf32>) -> tensor<4x2x3xf32>
  return %2 : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @transpose_twice(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xf32>
// CHECK-NEXT: fxgraph.tanh %[[X]]
func.func @transpose_twice(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %1 = fxgraph.transpose %0 dims -1, -2 : (tensor<3x2xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.tanh %1 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// CHECK-LABEL: func @expand_of_expand(
// CHECK-SAME: %[[X:.*]]: tensor<3x1xf32>
// CHECK-NEXT: %[[E:.*]] = fxgraph.expand %[[X]] shape [2, 3, 4]
// CHECK-NEXT: return %[[E]]
func.func @expand_of_expand(%x: tensor<3x1xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.expand %x shape [-1, 4] : tensor<3x1xf32> -> tensor<3x4xf32>
  %1 = fxgraph.expand %0 shape [2, -1, -1] : tensor<3x4xf32> -> tensor<2x3x4xf32>
  return %1 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @view_of_splat(
// CHECK-NEXT: %[[C:.*]] = fxgraph.constant dense<2> : tensor<1x2x3xi32>
// CHECK-NEXT: fxgraph.neg %[[C]]
func.func @view_of_splat() -> tensor<1x2x3xi32> {
  %0 = fxgraph.constant dense<2> : tensor<3x1xi32>
  %1 = fxgraph.expand %0 shape [3, 2] : tensor<3x1xi32> -> tensor<3x2xi32>
  %2 = fxgraph.transpose %1 dims 0, 1 : (tensor<3x2xi32>) -> tensor<2x3xi32>
  %3 = fxgraph.unsqueeze %2 dim 0 : (tensor<2x3xi32>) -> tensor<1x2x3xi32>
  %4 = fxgraph.neg %3 : tensor<1x2x3xi32>
  return %4 : tensor<1x2x3xi32>
}

// A large one stays a view of a small one; a pad brings in another value.
// CHECK-LABEL: func @view_of_splat_large(
// CHECK: fxgraph.expand
// CHECK: fxgraph.constant_pad_nd
func.func @view_of_splat_large() -> (tensor<5000x30xi32>, tensor<3xi32>) {
  %0 = fxgraph.constant dense<2> : tensor<1x1xi32>
  %1 = fxgraph.expand %0 shape [5000, 30] : tensor<1x1xi32> -> tensor<5000x30xi32>
  %2 = fxgraph.neg %1 : tensor<5000x30xi32>
  %3 = fxgraph.constant dense<2> : tensor<2xi32>
  %4 = fxgraph.constant_pad_nd %3 by [1, 0] : (tensor<2xi32>) -> tensor<3xi32>
  %5 = fxgraph.neg %4 : tensor<3xi32>
  return %2, %5 : tensor<5000x30xi32>, tensor<3xi32>
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func @once(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.clamp %[[X]] min -1.000000e+00 max 1.000000e+00
// CHECK-NEXT: %[[D:.*]] = fxgraph.clone %[[C]]
// CHECK-NEXT: return %[[R]], %[[D]]
func.func @once(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  %2 = fxgraph.clamp %x min -1.0 max 1.0 : tensor<4xf32>
  %3 = fxgraph.clamp %2 min -1.0 max 1.0 : tensor<4xf32>
  %4 = fxgraph.clone %3 : tensor<4xf32>
  %5 = fxgraph.clone %4 : tensor<4xf32>
  return %1, %5 : tensor<4xf32>, tensor<4xf32>
}

// Both results stay results of their own; other bounds are another op.
// CHECK-LABEL: func @once_apart(
// CHECK-COUNT-2: fxgraph.relu
// CHECK-COUNT-2: fxgraph.clamp
func.func @once_apart(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  %2 = fxgraph.clamp %x min -1.0 max 1.0 : tensor<4xf32>
  %3 = fxgraph.clamp %2 min -1.0 : tensor<4xf32>
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @convert_of_convert(
// CHECK-SAME: %[[X:.*]]: tensor<4xbf16>, %[[I:.*]]: tensor<4xui8>
// CHECK-NEXT: %[[A:.*]] = fxgraph.convert_element_type %[[X]] : (tensor<4xbf16>) -> tensor<4xf16>
// CHECK-NEXT: %[[B:.*]] = fxgraph.convert_element_type %[[I]] : (tensor<4xui8>) -> tensor<4xi8>
// CHECK-NEXT: %[[C:.*]] = fxgraph.neg %[[X]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @convert_of_convert(%x: tensor<4xbf16>, %i: tensor<4xui8>) -> (tensor<4xf16>, tensor<4xi8>, tensor<4xbf16>) {
  %0 = fxgraph.convert_element_type %x : (tensor<4xbf16>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xf16>
  %2 = fxgraph.convert_element_type %i : (tensor<4xui8>) -> tensor<4xi64>
  %3 = fxgraph.convert_element_type %2 : (tensor<4xi64>) -> tensor<4xi8>
  %4 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xbf16>
  %5 = fxgraph.neg %4 : tensor<4xbf16>
  return %1, %3, %5 : tensor<4xf16>, tensor<4xi8>, tensor<4xbf16>
}

// The first cast loses something, or the second one may; or the result is returned.
// CHECK-LABEL: func @convert_loses(
// CHECK-COUNT-8: fxgraph.convert_element_type
func.func @convert_loses(%x: tensor<4xf32>, %i: tensor<4xi32>, %b: tensor<4xbf16>) -> (tensor<4xf32>, tensor<4xf64>, tensor<4xi8>, tensor<4xbf16>) {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf32>) -> tensor<4xbf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xbf16>) -> tensor<4xf32>
  %2 = fxgraph.neg %1 : tensor<4xf32>
  %3 = fxgraph.convert_element_type %i : (tensor<4xi32>) -> tensor<4xf32>
  %4 = fxgraph.convert_element_type %3 : (tensor<4xf32>) -> tensor<4xf64>
  %5 = fxgraph.convert_element_type %b : (tensor<4xbf16>) -> tensor<4xf32>
  %6 = fxgraph.convert_element_type %5 : (tensor<4xf32>) -> tensor<4xi8>
  %7 = fxgraph.convert_element_type %b : (tensor<4xbf16>) -> tensor<4xf32>
  %8 = fxgraph.convert_element_type %7 : (tensor<4xf32>) -> tensor<4xbf16>
  return %2, %4, %6, %8 : tensor<4xf32>, tensor<4xf64>, tensor<4xi8>, tensor<4xbf16>
}

// CHECK-LABEL: func @constant_right(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[C:.*]] = fxgraph.constant
// CHECK-NEXT: fxgraph.add %[[X]], %[[C]] :
// CHECK-NEXT: fxgraph.mul %{{.*}}, %[[C]] :
// CHECK-NEXT: fxgraph.ne %{{.*}}, %[[C]] :
func.func @constant_right(%x: tensor<4xf32>) -> tensor<4xi1> {
  %c = fxgraph.constant dense<2.5> : tensor<f64>
  %0 = fxgraph.add %c, %x : (tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.mul %c, %0 : (tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.ne %c, %1 : (tensor<f64>, tensor<4xf32>) -> tensor<4xi1>
  return %2 : tensor<4xi1>
}

// Not the same the other way round: scaled, a sign of zero, not commutative.
// CHECK-LABEL: func @constant_left(
// CHECK: %[[C:.*]] = fxgraph.constant
// CHECK-NEXT: fxgraph.add %[[C]], %{{.*}} alpha 2.000000e+00
// CHECK-NEXT: fxgraph.maximum %[[C]],
// CHECK-NEXT: fxgraph.sub %[[C]],
func.func @constant_left(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c = fxgraph.constant dense<-0.0> : tensor<f64>
  %0 = fxgraph.add %c, %x alpha 2.0 : (tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.maximum %c, %0 : (tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.sub %c, %1 : (tensor<f64>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Integers wrap; floats round once, to their own dtype.
// CHECK-LABEL: func @arithmetic(
// CHECK-DAG: fxgraph.constant dense<[-56, 3]> : tensor<2xi8>
// CHECK-DAG: fxgraph.constant dense<251> : tensor<3xui8>
// CHECK-DAG: fxgraph.constant dense<2.048000e+03> : tensor<2xf16>
// CHECK-NOT: fxgraph.{{add|sub|mul}}
// CHECK: return
func.func @arithmetic() -> (tensor<2xi8>, tensor<3xui8>, tensor<2xf16>) {
  %a = fxgraph.constant dense<[100, 1]> : tensor<2xi8>
  %b = fxgraph.constant dense<[100, 2]> : tensor<2xi8>
  %0 = fxgraph.add %a, %b : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %1 = fxgraph.bitwise_not %0 : tensor<2xi8>
  %c = fxgraph.constant dense<5> : tensor<ui8>
  %d = fxgraph.constant dense<10> : tensor<3xui8>
  %2 = fxgraph.sub %c, %d : (tensor<ui8>, tensor<3xui8>) -> tensor<3xui8>
  %3 = fxgraph.bitwise_not %2 : tensor<3xui8>
  %e = fxgraph.constant dense<2.048e+03> : tensor<2xf16>
  %f = fxgraph.constant dense<1.0> : tensor<2xf16>
  %4 = fxgraph.add %e, %f : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %5 = fxgraph.neg %4 : tensor<2xf16>
  return %1, %3, %5 : tensor<2xi8>, tensor<3xui8>, tensor<2xf16>
}

// A wrapped number enters unrounded; bools add otherwise; NaN is the machine's; alpha.
// CHECK-LABEL: func @arithmetic_left(
// CHECK-DAG: fxgraph.mul
// CHECK-DAG: fxgraph.mul {{.*}}xi1
// CHECK-DAG: fxgraph.sub {{.*}}xf32
// CHECK-DAG: fxgraph.add {{.*}} alpha
func.func @arithmetic_left() -> (tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi8>) {
  %a = fxgraph.constant dense<0.1> : tensor<f64>
  %b = fxgraph.constant dense<3.0> : tensor<2xf32>
  %0 = fxgraph.mul %b, %a : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  %r0 = fxgraph.neg %0 : tensor<2xf32>
  %c = fxgraph.constant dense<true> : tensor<2xi1>
  %1 = fxgraph.mul %c, %c : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
  %r1 = fxgraph.bitwise_not %1 : tensor<2xi1>
  %d = fxgraph.constant dense<0x7F800000> : tensor<2xf32>
  %2 = fxgraph.sub %d, %d : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r2 = fxgraph.neg %2 : tensor<2xf32>
  %e = fxgraph.constant dense<[3, 4]> : tensor<2xi8>
  %3 = fxgraph.add %e, %e alpha 2.0 : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %r3 = fxgraph.bitwise_not %3 : tensor<2xi8>
  return %r0, %r1, %r2, %r3 : tensor<2xf32>, tensor<2xi1>, tensor<2xf32>, tensor<2xi8>
}

// CHECK-LABEL: func @where_same(
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %{{.*}}: tensor<4xi1>, %[[V:.*]]: tensor<1xf32>
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: %[[W:.*]] = fxgraph.where %{{.*}}, %[[V]], %[[V]]
// CHECK-NEXT: %[[U:.*]] = fxgraph.where %{{.*}}, %[[X]], %[[X]]
// CHECK-NEXT: return %[[T]], %[[W]], %[[U]]
func.func @where_same(%x: tensor<4xf32>, %p: tensor<4xi1>, %v: tensor<1xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.where %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.tanh %0 : tensor<4xf32>
  %2 = fxgraph.where %p, %v, %v : (tensor<4xi1>, tensor<1xf32>, tensor<1xf32>) -> tensor<4xf32>
  %3 = fxgraph.where %p, %x, %x : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @size_of_source(
// CHECK-SAME: %[[X:.*]]: tensor<?x3xf32>
// CHECK-NEXT: %[[S:.*]] = fxgraph.sym_size %[[X]] dim 0
// CHECK-NEXT: fxgraph.full 1.000000e+00 sizes %[[S]]
func.func @size_of_source(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %0 = fxgraph.tanh %x : tensor<?x3xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %2 = fxgraph.convert_element_type %1 : (tensor<3x?xf32>) -> tensor<3x?xf64>
  %3 = fxgraph.sym_size %2 dim -1 : tensor<3x?xf64>
  %4 = fxgraph.full 1.0 sizes %3 : tensor<?xf32>
  return %4 : tensor<?xf32>
}

// CHECK-LABEL: func @size_of_reshape(
// CHECK: fxgraph.reshape
// CHECK-NEXT: fxgraph.sym_size
func.func @size_of_reshape(%x: tensor<?x3xf32>) -> tensor<?xf32> {
  %0 = fxgraph.reshape %x shape [-1] : tensor<?x3xf32> -> tensor<?xf32>
  %1 = fxgraph.sym_size %0 dim 0 : tensor<?xf32>
  %2 = fxgraph.full 1.0 sizes %1 : tensor<?xf32>
  return %2 : tensor<?xf32>
}

// CHECK-LABEL: func @narrow_of_constants(
// CHECK: fxgraph.slice %{{.*}} dim 1 from 1 to 4 : (tensor<2x6xf32>) -> tensor<2x?xf32>
// CHECK: fxgraph.slice %{{.*}} dim 1 from 6 to 6 : (tensor<2x6xf32>) -> tensor<2x?xf32>
func.func @narrow_of_constants(%x: tensor<2x6xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>) {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %6 = arith.constant 6 : index
  %r = fxgraph.narrow %x dim -1 from %1 length %3 : tensor<2x6xf32> -> tensor<2x?xf32>
  %s = fxgraph.narrow %x dim -1 from %6 length %0 : tensor<2x6xf32> -> tensor<2x?xf32>
  return %r, %s : tensor<2x?xf32>, tensor<2x?xf32>
}

// The slice would clamp where the narrow fails: an extent that is not known, or a start that is not.
// CHECK-LABEL: func @narrow_that_may_fail(
// CHECK-COUNT-2: fxgraph.narrow
func.func @narrow_that_may_fail(%x: tensor<?x6xf32>, %y: tensor<6xf32>) -> (tensor<?x6xf32>, tensor<?xf32>) {
  %1 = arith.constant 1 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?x6xf32>
  %r = fxgraph.narrow %x dim 0 from %1 length %1 : tensor<?x6xf32> -> tensor<?x6xf32>
  %s = fxgraph.narrow %y dim 0 from %n length %1 : tensor<6xf32> -> tensor<?xf32>
  return %r, %s : tensor<?x6xf32>, tensor<?xf32>
}

// A check that is known to hold goes; one that hangs on a size stays.
// CHECK-LABEL: func @assert_scalar(
// CHECK: %[[CONDITION:.+]] = arith.cmpi
// CHECK-NEXT: fxgraph.assert_scalar %[[CONDITION]], "expected y.shape[0] >= 0"
// CHECK-NEXT: return
func.func @assert_scalar(%x: tensor<4xf32>, %y: tensor<?xf32>) {
  %n = fxgraph.sym_size %x dim 0 : tensor<4xf32>
  %m = fxgraph.sym_size %y dim 0 : tensor<?xf32>
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %holds = arith.cmpi sgt, %n, %three : index
  %unknown = arith.cmpi sge, %m, %zero : index
  fxgraph.assert_scalar %holds, "expected x.shape[0] > 3"
  fxgraph.assert_scalar %unknown, "expected y.shape[0] >= 0"
  return
}
