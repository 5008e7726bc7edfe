// RUN: fx-opt %s --fxgraph-noop-remove > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-noop-remove | diff %t.once -

// Each function keeps one relu: what is returned is no argument, whatever goes.

// CHECK-LABEL: func @views
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu
// CHECK-NEXT: return %[[R]]
func.func @views(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = fxgraph.reshape %x shape [2, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %b = fxgraph.view %a shape [-1, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %c = fxgraph.expand %b shape [-1, 3] : tensor<2x3xf32> -> tensor<2x3xf32>
  %d = fxgraph.flatten %c dims 1 to -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = fxgraph.unflatten %d dim 0 sizes [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = fxgraph.squeeze %e : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %g = fxgraph.permute %f dims [0, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %h = fxgraph.transpose %g dims 1, -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %h : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @slices
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @slices(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %a = fxgraph.slice %x dim 0 from -4 to 4 : (tensor<4xf32>) -> tensor<4xf32>
  %b = fxgraph.slice %a dim -1 from 0 to 9223372036854775807 : (tensor<4xf32>) -> tensor<4xf32>
  %c = fxgraph.slice %b dim 0 from 0 to 99 : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.slice_scatter %y, %c dim 0 from 0 to 9223372036854775807 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %d : tensor<4xf32>
  return %r : tensor<4xf32>
}

// A step over one element, and a slice of nothing.
// CHECK-LABEL: func @slices_of_little
// CHECK-NOT: fxgraph.slice
func.func @slices_of_little(%x: tensor<1xf32>, %e: tensor<0xf32>) -> (tensor<1xf32>, tensor<0xf32>) {
  %a = fxgraph.slice %x dim 0 from 0 to 1 step 2 : (tensor<1xf32>) -> tensor<1xf32>
  %b = fxgraph.slice %e dim 0 from 3 to 1 : (tensor<0xf32>) -> tensor<0xf32>
  %r = fxgraph.relu %a : tensor<1xf32>
  %s = fxgraph.relu %b : tensor<0xf32>
  return %r, %s : tensor<1xf32>, tensor<0xf32>
}

// CHECK-LABEL: func @copies
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @copies(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = fxgraph.constant_pad_nd %x by [0, 0, 0, 0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = fxgraph.repeat %a by [1, 1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = fxgraph.cat %b dim -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = fxgraph.split_with_sizes %c sizes [2] dim 0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %e = fxgraph.convert_element_type %d : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %f = fxgraph.dropout %e p 5.000000e-01 training false : tensor<2x3xf32>
  %g = fxgraph.dropout %f p 0.000000e+00 training true : tensor<2x3xf32>
  %h = fxgraph.clone %g : tensor<2x3xf32>
  %i = fxgraph.roll %h by [0] dims [1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %i : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Wrapped numbers, typed scalars and full tensors; on both sides.
// CHECK-LABEL: func @arithmetic
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @arithmetic(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %ione = fxgraph.constant dense<1> : tensor<i64>
  %ones = fxgraph.full 1.0 : tensor<3xf32>
  %nzero = fxgraph.constant dense<-0.0> : tensor<f64>
  %zero = fxgraph.constant dense<0.0> : tensor<1x1xf32>
  %izero = fxgraph.constant dense<0> : tensor<i64>
  %a = fxgraph.mul %x, %one : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  %b = fxgraph.mul %ones, %a : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = fxgraph.div %b, %ione : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  %d = fxgraph.add %c, %nzero : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  %e = fxgraph.sub %d, %zero : (tensor<2x3xf32>, tensor<1x1xf32>) -> tensor<2x3xf32>
  %f = fxgraph.sub %e, %izero : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  %g = fxgraph.add %f, %izero alpha -2.0 : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  %h = fxgraph.pow %g, %ione : (tensor<2x3xf32>, tensor<i64>) -> tensor<2x3xf32>
  %i = fxgraph.neg %h : tensor<2x3xf32>
  %j = fxgraph.neg %i : tensor<2x3xf32>
  %r = fxgraph.relu %j : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @integers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3xi32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.abs %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @integers(%x: tensor<3xi32>) -> tensor<3xi32> {
  %one = fxgraph.constant dense<1> : tensor<i64>
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %a = fxgraph.add %x, %zero : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
  %b = fxgraph.add %zero, %a : (tensor<i64>, tensor<3xi32>) -> tensor<3xi32>
  %c = fxgraph.sub %b, %zero alpha 3.0 : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
  %d = fxgraph.div %c, %one rounding_mode "floor" : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
  %e = fxgraph.mul %d, %one : (tensor<3xi32>, tensor<i64>) -> tensor<3xi32>
  %f = fxgraph.floor %e : tensor<3xi32>
  %g = fxgraph.bitwise_not %f : tensor<3xi32>
  %h = fxgraph.bitwise_not %g : tensor<3xi32>
  %r = fxgraph.abs %h : tensor<3xi32>
  return %r : tensor<3xi32>
}

// Symbols are equal to themselves.
// CHECK-LABEL: func @symbols
// CHECK-NOT: fxgraph.reshape
// CHECK-NOT: fxgraph.slice
func.func @symbols(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %n: index) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
  %a = fxgraph.reshape %x shape [%n, 3] : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %b = fxgraph.slice %a dim 0 from 0 to 9223372036854775807 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.relu %b : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// A result that was fresh storage stays so; one that was a view may stay one.
// CHECK-LABEL: func @returned
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg %[[X]]
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[N]]
func.func @returned(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %a = fxgraph.div %x, %one : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %b = fxgraph.mul %x, %one : (tensor<3xf32>, tensor<f64>) -> tensor<3xf32>
  %n = fxgraph.neg %x : tensor<3xf32>
  %c = fxgraph.reshape %n shape [3] : tensor<3xf32> -> tensor<3xf32>
  return %a, %b, %c : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// contiguous of what lies in row-major order already.
// CHECK-LABEL: func @contiguous
// CHECK: fxgraph.linear
// CHECK-NEXT: fxgraph.view
// CHECK-NEXT: fxgraph.relu
func.func @contiguous(%x: tensor<2x3xf32>, %w: tensor<4x3xf32>) -> tensor<8xf32> {
  %a = fxgraph.linear %x, %w : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x4xf32>
  %b = fxgraph.contiguous %a : tensor<2x4xf32>
  %c = fxgraph.view %b shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  %r = fxgraph.relu %c : tensor<8xf32>
  return %r : tensor<8xf32>
}

// A view as the own dtype, a move to the own device.
// CHECK-LABEL: func @dtype_and_device
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @dtype_and_device(%x: tensor<3xf32>) -> tensor<3xf32> {
  %a = fxgraph.view_dtype %x : tensor<3xf32> to tensor<3xf32>
  %b = fxgraph.device_put %a : tensor<3xf32> to tensor<3xf32>
  %r = fxgraph.relu %b : tensor<3xf32>
  return %r : tensor<3xf32>
}

// What nobody else has may be returned itself (of two copies, one).
// CHECK-LABEL: func @clone_of_a_fresh_value
// CHECK-NEXT: %[[M:.*]] = fxgraph.mm
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[M]]
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg
// CHECK-NEXT: return %[[C]], %[[M]], %[[N]]
func.func @clone_of_a_fresh_value(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %m = fxgraph.mm %x, %x : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %a = fxgraph.clone %m : tensor<2x2xf32>
  %b = fxgraph.clone %m : tensor<2x2xf32>
  %n = fxgraph.neg %x : tensor<2x2xf32>
  %c = fxgraph.clone %n : tensor<2x2xf32>
  return %a, %b, %c : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// … also through views of all of it, whatever else reads it.
// CHECK-LABEL: func @clone_of_a_view_of_a_fresh_value
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg
// CHECK-NEXT: %[[T:.*]] = fxgraph.permute %[[N]]
// CHECK-NEXT: %[[V:.*]] = fxgraph.reshape %[[T]]
// CHECK-NEXT: %[[E:.*]] = fxgraph.exp %[[N]]
// CHECK-NEXT: %[[D:.*]] = fxgraph.detach %[[E]]
// CHECK-NEXT: %[[W:.*]] = fxgraph.unsqueeze %[[D]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.squeeze %[[W]]
// CHECK-NEXT: return %[[V]], %[[W]], %[[S]]
func.func @clone_of_a_view_of_a_fresh_value(%x: tensor<2x3xf32>) -> (tensor<6xf32>, tensor<1x2x3xf32>, tensor<2x3xf32>) {
  %n = fxgraph.neg %x : tensor<2x3xf32>
  %t = fxgraph.permute %n dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %v = fxgraph.reshape %t shape [6] : tensor<3x2xf32> -> tensor<6xf32>
  %a = fxgraph.clone %v : tensor<6xf32>
  %e = fxgraph.exp %n : tensor<2x3xf32>
  %d = fxgraph.detach %e : tensor<2x3xf32>
  %w = fxgraph.unsqueeze %d dim 0 : (tensor<2x3xf32>) -> tensor<1x2x3xf32>
  // Its two results share storage, as they did.
  %b = fxgraph.clone %w : tensor<1x2x3xf32>
  %s = fxgraph.squeeze %b dims [0] : (tensor<1x2x3xf32>) -> tensor<2x3xf32>
  return %a, %b, %s : tensor<6xf32>, tensor<1x2x3xf32>, tensor<2x3xf32>
}

// Two copies of one value: one goes, the other keeps the results apart.
// CHECK-LABEL: func @two_clones_of_one_view
// CHECK: fxgraph.clone
// CHECK-NOT: fxgraph.clone
// CHECK: return
func.func @two_clones_of_one_view(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %m = fxgraph.neg %x : tensor<4xf32>
  %v = fxgraph.reshape %m shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %a = fxgraph.clone %v : tensor<2x2xf32>
  %b = fxgraph.clone %v : tensor<2x2xf32>
  return %a, %b : tensor<2x2xf32>, tensor<2x2xf32>
}

// Two copies that both stay copy the same: none waits for the other.
// CHECK-LABEL: func @clone_of_a_clone
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[P]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[P]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @clone_of_a_clone(%x: tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>) {
  %p = fxgraph.permute %x dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %a = fxgraph.clone %p : tensor<3x2xf32>
  %b = fxgraph.clone %a : tensor<3x2xf32>
  return %a, %b : tensor<3x2xf32>, tensor<3x2xf32>
}

// The order of what is behind a view is known once the split is gone.
// CHECK-LABEL: func @contiguous_behind_a_split
// CHECK-NEXT: %[[L:.*]] = fxgraph.mm
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[L]]
// CHECK-NEXT: return %[[R]]
func.func @contiguous_behind_a_split(%x: tensor<1x2xf32>, %w: tensor<2x3xf32>) -> tensor<3x1xf32> {
  %m = fxgraph.mm %x, %w : (tensor<1x2xf32>, tensor<2x3xf32>) -> tensor<1x3xf32>
  %s = fxgraph.split_with_sizes %m sizes [1] dim 0 : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %r = fxgraph.reshape %s shape [3, 1] : tensor<1x3xf32> -> tensor<3x1xf32>
  %c = fxgraph.contiguous %r : tensor<3x1xf32>
  return %c : tensor<3x1xf32>
}

// The clone sets only a result without elements apart: it goes.
// CHECK-LABEL: func @clone_of_nothing
// CHECK-NOT: fxgraph.clone
// CHECK: return
func.func @clone_of_nothing(%x: tensor<4xf32>) -> (tensor<0xf32>, tensor<4xf32>) {
  %0 = fxgraph.clone %x : tensor<4xf32>
  %1 = fxgraph.slice %0 dim 0 from 4 to 4 : (tensor<4xf32>) -> tensor<0xf32>
  %2 = fxgraph.relu %0 : tensor<4xf32>
  return %1, %2 : tensor<0xf32>, tensor<4xf32>
}

// One element is enough to share.
// CHECK-LABEL: func @clone_of_one
// CHECK: fxgraph.clone
// CHECK: return
func.func @clone_of_one(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<4xf32>) {
  %0 = fxgraph.clone %x : tensor<4xf32>
  %1 = fxgraph.slice %0 dim 0 from 3 to 4 : (tensor<4xf32>) -> tensor<1xf32>
  %2 = fxgraph.relu %0 : tensor<4xf32>
  return %1, %2 : tensor<1xf32>, tensor<4xf32>
}
