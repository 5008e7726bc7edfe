// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of indexing by tensors.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @index(
// CHECK: fxgraph.index %{{.+}}[%{{.+}}, %{{.+}}] dims [0, 1] : (tensor<4x5x6xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<2x3x6xf32>
func.func @index(%x: tensor<4x5x6xf32>, %i: tensor<2x1xi64>, %j: tensor<3xi64>) -> tensor<2x3x6xf32> {
  %r = fxgraph.index %x[%i, %j] dims [0, 1] : (tensor<4x5x6xf32>, tensor<2x1xi64>, tensor<3xi64>) -> tensor<2x3x6xf32>
  return %r : tensor<2x3x6xf32>
}

// CHECK-LABEL: func @index_apart(
// CHECK: fxgraph.index %{{.+}}[%{{.+}}, %{{.+}}] dims [0, 2] : (tensor<4x5x6xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x5xf32>
func.func @index_apart(%x: tensor<4x5x6xf32>, %i: tensor<2xi64>, %j: tensor<2xi32>) -> tensor<2x5xf32> {
  %r = fxgraph.index %x[%i, %j] dims [0, 2] : (tensor<4x5x6xf32>, tensor<2xi64>, tensor<2xi32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// CHECK-LABEL: func @index_middle(
// CHECK: fxgraph.index %{{.+}}[%{{.+}}] dims [1] : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
func.func @index_middle(%x: tensor<4x5x6xf32>, %i: tensor<2x3xi64>) -> tensor<4x2x3x6xf32> {
  %r = fxgraph.index %x[%i] dims [1] : (tensor<4x5x6xf32>, tensor<2x3xi64>) -> tensor<4x2x3x6xf32>
  return %r : tensor<4x2x3x6xf32>
}

// CHECK-LABEL: func @index_scalar(
// CHECK: fxgraph.index %{{.+}}[%{{.+}}] dims [0] : (tensor<4x5xf32>, tensor<i64>) -> tensor<5xf32>
func.func @index_scalar(%x: tensor<4x5xf32>, %i: tensor<i64>) -> tensor<5xf32> {
  %r = fxgraph.index %x[%i] dims [0] : (tensor<4x5xf32>, tensor<i64>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: func @index_symbol(
// CHECK: fxgraph.index %{{.+}}[%{{.+}}] dims [0] : (tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
func.func @index_symbol(%x: tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, %i: tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>> {
  %r = fxgraph.index %x[%i] dims [0] : (tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
  return %r : tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
}

// CHECK-LABEL: func @index_put(
// CHECK: fxgraph.index_put %{{.+}}[%{{.+}}] dims [0], %{{.+}} : (tensor<4x5xf32>, tensor<2xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
func.func @index_put(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %v: tensor<2x5xf32>) -> tensor<4x5xf32> {
  %r = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4x5xf32>, tensor<2xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @index_put_accumulate(
// CHECK: fxgraph.index_put %{{.+}}[%{{.+}}, %{{.+}}] dims [0, 1], %{{.+}} accumulate true : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<4x5xf32>
func.func @index_put_accumulate(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %j: tensor<2xi64>, %v: tensor<f32>) -> tensor<4x5xf32> {
  %r = fxgraph.index_put %x[%i, %j] dims [0, 1], %v accumulate true : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @index_select(
// CHECK: fxgraph.index_select %{{.+}}, %{{.+}} dim 1 : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
func.func @index_select(%x: tensor<4x5xf32>, %i: tensor<3xi32>) -> tensor<4x3xf32> {
  %r = fxgraph.index_select %x, %i dim 1 : (tensor<4x5xf32>, tensor<3xi32>) -> tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}

// CHECK-LABEL: func @index_select_scalar_index(
// CHECK: fxgraph.index_select %{{.+}}, %{{.+}} dim 0 : (tensor<4x5xf32>, tensor<i64>) -> tensor<1x5xf32>
func.func @index_select_scalar_index(%x: tensor<4x5xf32>, %i: tensor<i64>) -> tensor<1x5xf32> {
  %r = fxgraph.index_select %x, %i dim 0 : (tensor<4x5xf32>, tensor<i64>) -> tensor<1x5xf32>
  return %r : tensor<1x5xf32>
}

// CHECK-LABEL: func @gather(
// CHECK: fxgraph.gather %{{.+}}, %{{.+}} dim 0 : (tensor<4x5xf32>, tensor<9x2xi64>) -> tensor<9x2xf32>
func.func @gather(%x: tensor<4x5xf32>, %i: tensor<9x2xi64>) -> tensor<9x2xf32> {
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<9x2xi64>) -> tensor<9x2xf32>
  return %r : tensor<9x2xf32>
}

// CHECK-LABEL: func @gather_empty(
// CHECK: fxgraph.gather %{{.+}}, %{{.+}} dim 0 : (tensor<4x5xf32>, tensor<0xi64>) -> tensor<0xf32>
func.func @gather_empty(%x: tensor<4x5xf32>, %i: tensor<0xi64>) -> tensor<0xf32> {
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<0xi64>) -> tensor<0xf32>
  return %r : tensor<0xf32>
}

// CHECK-LABEL: func @scatter(
// CHECK: fxgraph.scatter %{{.+}}, %{{.+}}, %{{.+}} dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
func.func @scatter(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<3x6xf32>) -> tensor<4x5xf32> {
  %r = fxgraph.scatter %x, %i, %s dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @scatter_add(
// CHECK: fxgraph.scatter_add %{{.+}}, %{{.+}}, %{{.+}} dim -1 : (tensor<4x5xf32>, tensor<4x9xi64>, tensor<4x9xf32>) -> tensor<4x5xf32>
func.func @scatter_add(%x: tensor<4x5xf32>, %i: tensor<4x9xi64>, %s: tensor<4x9xf32>) -> tensor<4x5xf32> {
  %r = fxgraph.scatter_add %x, %i, %s dim -1 : (tensor<4x5xf32>, tensor<4x9xi64>, tensor<4x9xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @scatter_reduce(
// CHECK: fxgraph.scatter_reduce %{{.+}}, %{{.+}}, %{{.+}} dim 0 reduce "amax" : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
// CHECK: fxgraph.scatter_reduce %{{.+}}, %{{.+}}, %{{.+}} dim 0 reduce "mean" include_self false : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
func.func @scatter_reduce(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<3x6xf32>) -> tensor<4x5xf32> {
  %a = fxgraph.scatter_reduce %x, %i, %s dim 0 reduce "amax" : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
  %r = fxgraph.scatter_reduce %a, %i, %s dim 0 reduce "mean" include_self false : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<3x6xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @embedding(
// CHECK: fxgraph.embedding %{{.+}}, %{{.+}} : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
func.func @embedding(%w: tensor<10x4xf32>, %i: tensor<2x3xi64>) -> tensor<2x3x4xf32> {
  %r = fxgraph.embedding %w, %i : (tensor<10x4xf32>, tensor<2x3xi64>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @embedding_symbol(
// CHECK: fxgraph.embedding %{{.+}}, %{{.+}} : (tensor<10x4xbf16>, tensor<?xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
func.func @embedding_symbol(%w: tensor<10x4xbf16>, %i: tensor<?xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.embedding %w, %i : (tensor<10x4xbf16>, tensor<?xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func.func @unsafe_index
// CHECK: fxgraph.unsafe_index %{{.*}}[%{{.*}}] dims [0]
func.func @unsafe_index(%x: tensor<4x3xf32>, %i: tensor<2xi64>) -> tensor<2x3xf32> {
  %0 = fxgraph.unsafe_index %x[%i] dims [0] : (tensor<4x3xf32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// CHECK-LABEL: func.func @unsafe_index_put
// CHECK: fxgraph.unsafe_index_put %{{.*}}[%{{.*}}] dims [0], %{{.*}}
func.func @unsafe_index_put(%x: tensor<4x3xf32>, %i: tensor<2xi64>, %v: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.unsafe_index_put %x[%i] dims [0], %v : (tensor<4x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}
