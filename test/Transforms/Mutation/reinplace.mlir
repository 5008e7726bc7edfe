// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-reinplace))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-mutation-reinplace))' | diff %t.once -

// Every op that gives a changed copy of its operand 0.
// CHECK-LABEL: func.func @family
// CHECK: fxgraph.unsafe_index_put {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.scatter {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.scatter_add {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.scatter_reduce {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.slice_scatter {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.select_scatter {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.all_reduce {{.*}}fxgraph.inplace = array<i64: 0>
func.func @family(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.unsafe_index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.scatter %1, %i, %v dim 0 : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %3 = fxgraph.scatter_add %2, %i, %v dim 0 : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %4 = fxgraph.scatter_reduce %3, %i, %v dim 0 reduce "amax" : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %5 = fxgraph.slice_scatter %4, %v dim 0 from 0 to 2 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  %6 = fxgraph.select_scatter %5, %s dim 0 at 1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %7 = fxgraph.all_reduce %6 op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %8 = fxgraph.wait_tensor %7 : (tensor<4xf32>) -> tensor<4xf32>
  return %8 : tensor<4xf32>
}

// An argument that copy_ gives its last value; a chain on it.
// CHECK-LABEL: func.func @argument
// CHECK: fxgraph.index_put %arg0{{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.index_put %{{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.copy_
func.func @argument(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) {
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.index_put %0[%i] dims [0], %v accumulate true : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  fxgraph.copy_ %1 into %x : tensor<4xf32>, tensor<4xf32>
  return
}

// What an unknown op gives is memory of its own where its schema says so, and it keeps nothing of what it has read.
// CHECK-LABEL: func.func @unknown
// CHECK: fxgraph.index_put {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.index_put {{.*}}fxgraph.inplace = array<i64: 0>
func.func @unknown(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.opaque "mylib.f.default" (%x) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  %2 = fxgraph.relu %x : tensor<4xf32>
  %3 = fxgraph.opaque "mylib.f.default" (%2) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %4 = fxgraph.index_put %2[%i] dims [0], %v : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Sizes, and views whose results nobody reads later, are no readers.
// CHECK-LABEL: func.func @metadata
// CHECK: fxgraph.index_put {{.*}}fxgraph.inplace = array<i64: 0>
!d = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
func.func @metadata(%x: !d, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (!d, index, index) {
  %0 = fxgraph.relu %x : !d
  %1 = fxgraph.index_put %0[%i] dims [0], %v : (!d, tensor<2xi64>, tensor<2xf32>) -> !d
  %2 = fxgraph.sym_size %0 dim 0 : !d
  %3 = fxgraph.unsqueeze %0 dim 0 : (!d) -> tensor<1x?xf32, #fxgraph.meta<dims = [s0]>>
  %4 = fxgraph.sym_size %3 dim 1 : tensor<1x?xf32, #fxgraph.meta<dims = [s0]>>
  return %1, %2, %4 : !d, index, index
}

// Parts of one tensor that do not overlap: pieces of a split, slices, an element and a slice.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-3: fxgraph.index_put {{.*}}fxgraph.inplace = array<i64: 0>
func.func @parts(%x: tensor<2x8xf32>, %i: tensor<2xi64>, %v: tensor<f32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<1x8xf32>) {
  %0 = fxgraph.relu %x : tensor<2x8xf32>
  %p:2 = fxgraph.split %0 size 4 dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1 = fxgraph.index_put %p#0[%i] dims [1], %v : (tensor<2x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<2x4xf32>
  %2 = fxgraph.index_put %p#1[%i] dims [1], %v : (tensor<2x4xf32>, tensor<2xi64>, tensor<f32>) -> tensor<2x4xf32>
  %3 = fxgraph.exp %x : tensor<2x8xf32>
  %4 = fxgraph.select %3 dim 0 at -2 : (tensor<2x8xf32>) -> tensor<8xf32>
  %5 = fxgraph.slice %3 dim 0 from -1 to 9223372036854775807 : (tensor<2x8xf32>) -> tensor<1x8xf32>
  %6 = fxgraph.index_put %4[%i] dims [0], %v : (tensor<8xf32>, tensor<2xi64>, tensor<f32>) -> tensor<8xf32>
  %7 = fxgraph.neg %5 : tensor<1x8xf32>
  return %1, %2, %6, %7 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<8xf32>, tensor<1x8xf32>
}

// What is computed for a view is put back where it lies, through two views.
// CHECK-LABEL: func.func @view_scatters
// CHECK: fxgraph.index_put {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.select_scatter {{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.slice_scatter {{.*}}fxgraph.inplace = array<i64: 0>
func.func @view_scatters(%x: tensor<4x8xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  %1 = fxgraph.slice %0 dim 0 from 1 to 3 : (tensor<4x8xf32>) -> tensor<2x8xf32>
  %2 = fxgraph.select %1 dim 0 at 0 : (tensor<2x8xf32>) -> tensor<8xf32>
  %3 = fxgraph.index_put %2[%i] dims [0], %v : (tensor<8xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<8xf32>
  %4 = fxgraph.select_scatter %1, %3 dim 0 at 0 : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %5 = fxgraph.slice_scatter %0, %4 dim 0 from 1 to 3 : (tensor<4x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %5 : tensor<4x8xf32>
}

// Two mutated operands; of two that are one tensor the second is copied.
// CHECK-LABEL: func.func @calls
// CHECK: "mylib.both.default"{{.*}} mutated [0, 1] only_clone []
// CHECK: "mylib.both.default"{{.*}} mutated [0, 1] only_clone [1]
// CHECK: "mylib.sum_both.default"{{.*}} mutated [0, 1] only_clone []
func.func @calls(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.neg %x : tensor<4xf32>
  %2 = fxgraph.exp %x : tensor<4xf32>
  %3:2 = fxgraph.auto_functionalized "mylib.both.default" (%0, %1) mutated [0, 1] args {args = ["%0", "%1"]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %4:2 = fxgraph.auto_functionalized "mylib.both.default" (%2, %2) mutated [0, 1] args {args = ["%0", "%1"]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %5 = fxgraph.neg %x : tensor<4xf32>
  %6 = fxgraph.exp %x : tensor<4xf32>
  %7:3 = fxgraph.auto_functionalized "mylib.sum_both.default" (%5, %6) mutated [0, 1] args {args = ["%0", "%1"]} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>, tensor<4xf32>)
  return %3#0, %3#1, %4#0, %4#1, %7#0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>
}

// CHECK-LABEL: func.func @list
// CHECK: fxgraph.all_reduce_coalesced({{.*}}fxgraph.inplace = array<i64: 0, 1>
func.func @list(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.neg %x : tensor<4xf32>
  %2:2 = fxgraph.all_reduce_coalesced (%0, %1) op "sum" group "g" : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %2#0, %2#1 : tensor<4xf32>, tensor<4xf32>
}

// In the body of a loop: what the body makes, not what it is given.
// CHECK-LABEL: func.func @body
// CHECK: fxgraph.index_put %{{.*}}fxgraph.inplace = array<i64: 0>
// CHECK: fxgraph.index_put
// CHECK-NOT: fxgraph.inplace
// CHECK: fxgraph.yield
func.func @body(%x: tensor<3x4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>) {
  %0:2 = fxgraph.map (%x) additional (%i, %v) {
  ^bb0(%row: tensor<4xf32>, %j: tensor<2xi64>, %w: tensor<2xf32>):
    %1 = fxgraph.relu %row : tensor<4xf32>
    %2 = fxgraph.index_put %1[%j] dims [0], %w : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    %3 = fxgraph.index_put %row[%j] dims [0], %w : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    fxgraph.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<3x4xf32>, tensor<2xi64>, tensor<2xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x4xf32>
}

// A mark from before that holds no more goes.
// CHECK-LABEL: func.func @stale
// CHECK-NOT: fxgraph.inplace
// CHECK: return
func.func @stale(%x: tensor<4xf32>, %i: tensor<2xi64>, %v: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.index_put %0[%i] dims [0], %v {fxgraph.inplace = array<i64: 0>} : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
