// RUN: fx-opt %s --fxgraph-noop-remove > %t
// RUN: FileCheck %s --input-file=%t
// RUN: fx-opt %s --fxgraph-noop-remove --remarks-filter="fxgraph.*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-NOT: [Passed]
// REMARK: a result of the graph would become an argument or another result
// REMARK: a result of the graph would become an argument or another result
// REMARK: the clone separates a result of the graph or an operand of an unknown op
// REMARK: an unknown op may write to the copy
// REMARK-NOT: [Passed]

// -0 + 0 is +0, -0 - (-0) is +0: these are not the identity.
// CHECK-LABEL: func @signed_zero
// CHECK: fxgraph.add
// CHECK: fxgraph.add
// CHECK: fxgraph.sub
// CHECK: fxgraph.add {{.*}} alpha -1
// CHECK: fxgraph.sub {{.*}} alpha -1
func.func @signed_zero(%x: tensor<3xf32>) -> tensor<3xf32> {
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %izero = fxgraph.constant dense<0> : tensor<i64>
  %nzero = fxgraph.constant dense<-0.0> : tensor<f64>
  %a = fxgraph.add %x, %zero : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %b = fxgraph.add %a, %izero : (tensor<3xf32>, tensor<i64>) -> tensor<3xf32>
  %c = fxgraph.sub %b, %nzero : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %d = fxgraph.add %c, %nzero alpha -1.0 : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %e = fxgraph.sub %d, %zero alpha -1.0 : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  return %e : tensor<3xf32>
}

// Other numbers and other positions.
// CHECK-LABEL: func @other_numbers
// CHECK: fxgraph.mul
// CHECK: fxgraph.mul
// CHECK: fxgraph.div
// CHECK: fxgraph.sub
// CHECK: fxgraph.add {{.*}} alpha 2
// CHECK: fxgraph.div {{.*}} "floor"
// CHECK: fxgraph.pow
func.func @other_numbers(%x: tensor<3xf32>) -> tensor<3xf32> {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %near = fxgraph.constant dense<1.0000001> : tensor<f64>
  %mixed = fxgraph.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %nzero = fxgraph.constant dense<-0.0> : tensor<f64>
  %a = fxgraph.mul %x, %near : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %b = fxgraph.mul %a, %mixed : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = fxgraph.div %one, %b : (tensor<f64>, tensor<3xf32>) -> tensor<3xf32>
  %d = fxgraph.sub %zero, %c : (tensor<f64>, tensor<3xf32>) -> tensor<3xf32>
  %e = fxgraph.add %nzero, %d alpha 2.0 : (tensor<f64>, tensor<3xf32>) -> tensor<3xf32>
  %f = fxgraph.div %e, %one rounding_mode "floor" : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %g = fxgraph.pow %one, %f : (tensor<f64>, tensor<3xf32>) -> tensor<3xf32>
  return %g : tensor<3xf32>
}

// A one that makes the result larger, or of another dtype.
// CHECK-LABEL: func @broadcast_and_dtype
// CHECK: fxgraph.mul
// CHECK: fxgraph.convert_element_type
// CHECK: fxgraph.mul
// CHECK: fxgraph.convert_element_type
// CHECK: fxgraph.mul
// CHECK: fxgraph.floor
func.func @broadcast_and_dtype(%x: tensor<1x3xf32>, %i: tensor<3xi32>, %u: tensor<?xf32>, %n: index) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<?xf32>, tensor<3xf32>) {
  %ones = fxgraph.full 1.0 : tensor<2x1xf32>
  %dynamic = fxgraph.full 1.0 sizes %n : tensor<?xf32>
  %a = fxgraph.mul %x, %ones : (tensor<1x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
  %f = fxgraph.convert_element_type %i : (tensor<3xi32>) -> tensor<3xf32>
  %b2 = fxgraph.mul %f, %f : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %c = fxgraph.convert_element_type %b2 : (tensor<3xf32>) -> tensor<3xf64>
  // `?` times ones of another `?`: the shape may be either's.
  %d = fxgraph.mul %u, %dynamic : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
  %e = fxgraph.floor %b2 : tensor<3xf32>
  return %a, %b2, %c, %d, %e : tensor<2x3xf32>, tensor<3xf32>, tensor<3xf64>, tensor<?xf32>, tensor<3xf32>
}

// CHECK-LABEL: func @shapes
// CHECK: fxgraph.slice
// CHECK: fxgraph.slice
// CHECK: fxgraph.slice
// CHECK: fxgraph.permute
// CHECK: fxgraph.transpose
// CHECK: fxgraph.constant_pad_nd
// CHECK: fxgraph.repeat
// CHECK: fxgraph.roll
// CHECK: fxgraph.cat
func.func @shapes(%x: tensor<4x4xf32>) -> (tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>) {
  %a = fxgraph.slice %x dim 0 from 0 to -1 : (tensor<4x4xf32>) -> tensor<3x4xf32>
  %b = fxgraph.slice %x dim 0 from 0 to 4 step 2 : (tensor<4x4xf32>) -> tensor<2x4xf32>
  %c = fxgraph.slice %x dim 0 from 1 to 9223372036854775807 : (tensor<4x4xf32>) -> tensor<3x4xf32>
  %d = fxgraph.permute %x dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %e = fxgraph.transpose %d dims 0, -1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  // Shifted by one: the type is the same, the value is not.
  %f = fxgraph.constant_pad_nd %e by [1, -1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %g = fxgraph.repeat %f by [1, 1, 1] : (tensor<4x4xf32>) -> tensor<1x4x4xf32>
  %h = fxgraph.select %g dim 0 at 0 : (tensor<1x4x4xf32>) -> tensor<4x4xf32>
  %i = fxgraph.roll %h by [4] dims [0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %j = fxgraph.cat %i, %a dim 0 : (tensor<4x4xf32>, tensor<3x4xf32>) -> tensor<7x4xf32>
  %k = fxgraph.slice %j dim 0 from 2 to 6 : (tensor<7x4xf32>) -> tensor<4x4xf32>
  return %a, %b, %c, %k : tensor<3x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<4x4xf32>
}

// `?` equals nothing, not even itself.
// CHECK-LABEL: func @unknown_extents
// CHECK: fxgraph.reshape
// CHECK: fxgraph.slice
func.func @unknown_extents(%x: tensor<?x?xf32>, %n: index, %m: index) -> tensor<?x?xf32> {
  %a = fxgraph.reshape %x shape [%n, %m] : tensor<?x?xf32> -> tensor<?x?xf32>
  %b = fxgraph.slice %a dim 0 from 0 to 99 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = fxgraph.relu %b : tensor<?x?xf32>
  return %r : tensor<?x?xf32>
}

// Dropout that draws, and copies that are not known to be idle.
// CHECK-LABEL: func @effects
// CHECK: fxgraph.dropout
// CHECK: fxgraph.contiguous
// CHECK: fxgraph.detach
func.func @effects(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = fxgraph.dropout %x p 5.000000e-01 training true : tensor<4xf32>
  %b = fxgraph.contiguous %a : tensor<4xf32>
  %c = fxgraph.detach %b : tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A view that is returned keeps the result apart from the argument …
// CHECK-LABEL: func @returned_view_of_argument
// CHECK: fxgraph.reshape
func.func @returned_view_of_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = fxgraph.reshape %x shape [4] : tensor<4xf32> -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// … or from another result.
// CHECK-LABEL: func @returned_view_of_result
// CHECK: fxgraph.reshape
func.func @returned_view_of_result(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %n = fxgraph.neg %x : tensor<4xf32>
  %a = fxgraph.reshape %n shape [4] : tensor<4xf32> -> tensor<4xf32>
  return %n, %a : tensor<4xf32>, tensor<4xf32>
}

// A clone that is returned, also through a view.
// CHECK-LABEL: func @returned_clone
// CHECK: fxgraph.clone
func.func @returned_clone(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %a = fxgraph.clone %x : tensor<4xf32>
  %b = fxgraph.reshape %a shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  return %b : tensor<2x2xf32>
}

// An unknown op may write to its operands: they stay distinct from x.
// CHECK-LABEL: func @opaque_may_write
// CHECK: fxgraph.mul
// CHECK: fxgraph.opaque
func.func @opaque_may_write(%x: tensor<4xf32>) -> tensor<4xf32> {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %a = fxgraph.mul %x, %one : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %b = fxgraph.reshape %a shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %c = fxgraph.opaque "custom.scale_.default"(%b, %x) : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// Other dtypes, other devices.
// CHECK-LABEL: func @other_dtype_and_device
// CHECK-NEXT: fxgraph.view_dtype
// CHECK-NEXT: fxgraph.device_put
func.func @other_dtype_and_device(%x: tensor<3xf32>) -> (tensor<3xi32>, tensor<3xf32, #fxgraph.meta<device = "cuda:1">>) {
  %a = fxgraph.view_dtype %x : tensor<3xf32> to tensor<3xi32>
  %b = fxgraph.device_put %x : tensor<3xf32> to tensor<3xf32, #fxgraph.meta<device = "cuda:1">>
  %r = fxgraph.bitwise_not %a : tensor<3xi32>
  return %r, %b : tensor<3xi32>, tensor<3xf32, #fxgraph.meta<device = "cuda:1">>
}

// Of a constant, of a view of one, of what is returned through a view, of what an unknown op sees.
// CHECK-LABEL: func @clones_that_separate
// CHECK-COUNT-4: fxgraph.clone
func.func @clones_that_separate(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<f32>) {
  %k = fxgraph.constant dense<1.0> : tensor<4xf32>
  %a = fxgraph.clone %k : tensor<4xf32>
  %m = fxgraph.constant dense<2.0> : tensor<4xf32>
  %v = fxgraph.reshape %m shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %b = fxgraph.clone %v : tensor<2x2xf32>
  %n = fxgraph.abs %x : tensor<4xf32>
  %w = fxgraph.reshape %n shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %c = fxgraph.clone %n : tensor<4xf32>
  %p = fxgraph.exp %x : tensor<4xf32>
  %d = fxgraph.clone %p : tensor<4xf32>
  %o = fxgraph.opaque "custom.scale_.default"(%p) : (tensor<4xf32>) -> tensor<f32>
  return %a, %b, %c, %w, %d, %o : tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<4xf32>, tensor<f32>
}

// Of views of an argument, of what is returned itself, of what another view shows, of a part, of what is repeated.
// CHECK-LABEL: func @clones_of_views_that_separate
// CHECK-COUNT-5: fxgraph.clone
func.func @clones_of_views_that_separate(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x4xf32>) {
  %u = fxgraph.reshape %x shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %a = fxgraph.clone %u : tensor<2x2xf32>
  %m = fxgraph.neg %x : tensor<4xf32>
  %v = fxgraph.reshape %m shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %b = fxgraph.clone %v : tensor<2x2xf32>
  %n = fxgraph.abs %x : tensor<4xf32>
  %p = fxgraph.slice %n dim 0 from 0 to 2 : (tensor<4xf32>) -> tensor<2xf32>
  %w = fxgraph.reshape %n shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %c = fxgraph.clone %w : tensor<2x2xf32>
  %e = fxgraph.exp %x : tensor<4xf32>
  %q = fxgraph.slice %e dim 0 from 0 to 2 : (tensor<4xf32>) -> tensor<2xf32>
  %d = fxgraph.clone %q : tensor<2xf32>
  %s = fxgraph.sin %x : tensor<4xf32>
  %r = fxgraph.expand %s shape [2, 4] : tensor<4xf32> -> tensor<2x4xf32>
  %f = fxgraph.clone %r : tensor<2x4xf32>
  return %a, %m, %b, %p, %c, %d, %f : tensor<2x2xf32>, tensor<4xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x2xf32>, tensor<2xf32>, tensor<2x4xf32>
}

// Of a view that an unknown op may write through, and a copy that one may write to.
// CHECK-LABEL: func @clones_of_views_that_are_written
// CHECK-COUNT-2: fxgraph.clone
func.func @clones_of_views_that_are_written(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<f32>) {
  %m = fxgraph.neg %x : tensor<4xf32>
  %v = fxgraph.reshape %m shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %a = fxgraph.clone %v : tensor<2x2xf32>
  %p = fxgraph.opaque "custom.scale_.default"(%v) : (tensor<2x2xf32>) -> tensor<f32>
  %n = fxgraph.abs %x : tensor<4xf32>
  %w = fxgraph.reshape %n shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %b = fxgraph.clone %w : tensor<2x2xf32>
  %q = fxgraph.opaque "custom.scale_.default"(%b) : (tensor<2x2xf32>) -> tensor<f32>
  return %a, %b, %p, %q : tensor<2x2xf32>, tensor<2x2xf32>, tensor<f32>, tensor<f32>
}

// A copy of an argument that two results share: each would get a clone.
// CHECK-LABEL: func @copy_for_two_results
// CHECK-NEXT: fxgraph.cat
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: return
// REMARK-DAG: Remark="the copy separates several results of the graph"
func.func @copy_for_two_results(%x: tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %0 = fxgraph.cat %x dim 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1:2 = fxgraph.split %0 size 1 dim 0 : (tensor<2x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>)
  return %1#0, %1#1 : tensor<1x3xf32>, tensor<1x3xf32>
}

// An unknown op may write to the first copy before the second one is made.
// CHECK-LABEL: func @clone_of_a_written_clone
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %arg0
// CHECK-NEXT: fxgraph.opaque
// CHECK-NEXT: fxgraph.clone %[[A]]
func.func @clone_of_a_written_clone(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %a = fxgraph.clone %x : tensor<4xf32>
  %o = fxgraph.opaque "custom.scale_.default"(%a) : (tensor<4xf32>) -> tensor<f32>
  %b = fxgraph.clone %a : tensor<4xf32>
  return %a, %b, %o : tensor<4xf32>, tensor<4xf32>, tensor<f32>
}
