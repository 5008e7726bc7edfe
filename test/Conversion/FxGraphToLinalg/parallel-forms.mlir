// Sorting and writes at indices as loops of independent iterations: no loop over tensors, no call.
// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-to-linalg=parallel-forms | FileCheck %s

// Three rounds of merging, then the values; each round reads the positions of the one before it.
// CHECK-LABEL: func.func @sort
// CHECK-NOT: call
// CHECK: %[[FIRST:.*]] = linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]} outs(%{{.*}} : tensor<2x7xi64>)
// CHECK: scf.while
// CHECK: tensor.extract %arg0
// CHECK: %[[SECOND:.*]] = linalg.generic
// CHECK: tensor.extract %[[FIRST]]
// CHECK: %[[THIRD:.*]] = linalg.generic
// CHECK: tensor.extract %[[SECOND]]
// CHECK: linalg.generic {{.*}} ins(%[[THIRD]] : tensor<2x7xi64>)
// CHECK-NOT: linalg.generic
func.func @sort(%x: tensor<2x7xf32>) -> (tensor<2x7xf32>, tensor<2x7xi64>) {
  %0, %1 = fxgraph.sort %x dim 1 : (tensor<2x7xf32>) -> (tensor<2x7xf32>, tensor<2x7xi64>)
  return %0, %1 : tensor<2x7xf32>, tensor<2x7xi64>
}

// -----

// Runs of 4 keep 2 elements: 5 of 9, then 3, then the result.
// CHECK-LABEL: func.func @topk
// CHECK: outs(%{{.*}} : tensor<9xi64>)
// CHECK: outs(%{{.*}} : tensor<5xi64>)
// CHECK: outs(%{{.*}} : tensor<3xi64>)
// CHECK: outs(%{{.*}} : tensor<2xi64>)
// CHECK: ins(%{{.*}} : tensor<2xi64>) outs(%{{.*}} : tensor<2xf16>)
func.func @topk(%x: tensor<9xf16>) -> (tensor<2xf16>, tensor<2xi64>) {
  %0, %1 = fxgraph.topk %x k 2 dim 0 : (tensor<9xf16>) -> (tensor<2xf16>, tensor<2xi64>)
  return %0, %1 : tensor<2xf16>, tensor<2xi64>
}

// -----

// Few entries: each place compares itself with all, in their order. Indices are checked where they become places.
// CHECK-LABEL: func.func @few
// CHECK: %[[KEYS:.*]] = linalg.generic
// CHECK: cf.assert %[[INSIDE:.*]], "expected indices in [-4, 3] but got one outside"
// CHECK: arith.select %[[INSIDE]]
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK: scf.for {{.*}} iter_args
// CHECK: tensor.extract %[[KEYS]]
// CHECK: scf.if
// CHECK: tensor.extract %arg2
// CHECK-NOT: cf.assert
func.func @few(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<4xf32> {
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Many: sorted by their places, and where those of each place begin.
// CHECK-LABEL: func.func @many
// CHECK: cf.assert %{{.*}}, "expected indices in [0, 3] but got one outside"
// CHECK: %[[STARTS:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<5xi64>)
// CHECK: linalg.generic {{.*}} ins(%arg0 : tensor<4xf32>)
// CHECK: %[[FROM:.*]] = tensor.extract %[[STARTS]]
// CHECK: scf.for
func.func @many(%x: tensor<4xf32>, %i: tensor<33xi64>, %v: tensor<33xf32>) -> tensor<4xf32> {
  %0 = fxgraph.scatter_add %x, %i, %v dim 0 : (tensor<4xf32>, tensor<33xi64>, tensor<33xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Who knows the indices has no check.
// CHECK-LABEL: func.func @unsafe
// CHECK-NOT: cf.assert
func.func @unsafe(%x: tensor<4xf32>, %i: tensor<3xi64>, %v: tensor<3xf32>) -> tensor<4xf32> {
  %0 = fxgraph.unsafe_index_put %x[%i] dims [0], %v : (tensor<4xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @dynamic_sort(%x: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>) {
  // expected-error@+2 {{expected static extents in the parallel form but got 'tensor<?xf32>'}}
  // expected-error@+1 {{failed to legalize operation 'fxgraph.sort'}}
  %0, %1 = fxgraph.sort %x dim 0 : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xi64>)
  return %0, %1 : tensor<?xf32>, tensor<?xi64>
}

// -----

func.func @dynamic_scatter(%x: tensor<4xf32>, %i: tensor<?xi64>, %v: tensor<?xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected static extents in the parallel form but got 'tensor<?xi64>'}}
  // expected-error@+1 {{failed to legalize operation 'fxgraph.scatter'}}
  %0 = fxgraph.scatter %x, %i, %v dim 0 : (tensor<4xf32>, tensor<?xi64>, tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @nothing(%x: tensor<2x0xf32>, %i: tensor<2x3xi64>, %v: tensor<2x3xf32>) -> tensor<2x0xf32> {
  // expected-error@+2 {{expected no index into a tensor without elements but got 6}}
  // expected-error@+1 {{failed to legalize operation 'fxgraph.scatter'}}
  %0 = fxgraph.scatter %x, %i, %v dim 1 : (tensor<2x0xf32>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x0xf32>
  return %0 : tensor<2x0xf32>
}
