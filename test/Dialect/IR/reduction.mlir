// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of reductions, scans, softmax and sorting.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @mean(
// CHECK: fxgraph.mean %{{.+}} dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @mean(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %r = fxgraph.mean %x dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// CHECK-LABEL: func @amax(
// CHECK: fxgraph.amax %{{.+}} dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @amax(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %r = fxgraph.amax %x dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// CHECK-LABEL: func @amin(
// CHECK: fxgraph.amin %{{.+}} dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @amin(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %r = fxgraph.amin %x dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// CHECK-LABEL: func @logsumexp(
// CHECK: fxgraph.logsumexp %{{.+}} dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @logsumexp(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %r = fxgraph.logsumexp %x dims [1] keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// CHECK-LABEL: func @sum(
// CHECK: fxgraph.sum %{{.+}} dims [0, -1] keepdim true : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
func.func @sum(%x: tensor<2x3x4xf32>) -> tensor<1x3x1xf32> {
  %r = fxgraph.sum %x dims [0, -1] keepdim true : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  return %r : tensor<1x3x1xf32>
}

// CHECK-LABEL: func @sum_all(
// CHECK: fxgraph.sum %{{.+}} : (tensor<2x3xbf16>) -> tensor<bf16>
func.func @sum_all(%x: tensor<2x3xbf16>) -> tensor<bf16> {
  %r = fxgraph.sum %x : (tensor<2x3xbf16>) -> tensor<bf16>
  return %r : tensor<bf16>
}

// CHECK-LABEL: func @sum_no_dims(
// CHECK: fxgraph.sum %{{.+}} dims [] : (tensor<2x3xf32>) -> tensor<f32>
func.func @sum_no_dims(%x: tensor<2x3xf32>) -> tensor<f32> {
  %r = fxgraph.sum %x dims [] : (tensor<2x3xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @sum_bool(
// CHECK: fxgraph.sum %{{.+}} dims [0] : (tensor<2x?xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
func.func @sum_bool(%x: tensor<2x?xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.sum %x dims [0] : (tensor<2x?xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @sum_empty(
// CHECK: fxgraph.sum %{{.+}} dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
func.func @sum_empty(%x: tensor<0x3xf32>) -> tensor<3xf32> {
  %r = fxgraph.sum %x dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func @sum_scalar(
// CHECK: fxgraph.sum %{{.+}} dims [-1] : (tensor<f32>) -> tensor<f32>
func.func @sum_scalar(%x: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.sum %x dims [-1] : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @prod(
// CHECK: fxgraph.prod %{{.+}} dims [0] : (tensor<2x3xi32>) -> tensor<3xi64>
func.func @prod(%x: tensor<2x3xi32>) -> tensor<3xi64> {
  %r = fxgraph.prod %x dims [0] : (tensor<2x3xi32>) -> tensor<3xi64>
  return %r : tensor<3xi64>
}

// CHECK-LABEL: func @amax_other_dim_empty(
// CHECK: fxgraph.amax %{{.+}} dims [1] : (tensor<0x3xf32>) -> tensor<0xf32>
func.func @amax_other_dim_empty(%x: tensor<0x3xf32>) -> tensor<0xf32> {
  %r = fxgraph.amax %x dims [1] : (tensor<0x3xf32>) -> tensor<0xf32>
  return %r : tensor<0xf32>
}

// CHECK-LABEL: func @any(
// CHECK: fxgraph.any %{{.+}} dims [0] : (tensor<2x3xf32>) -> tensor<3xi1>
func.func @any(%x: tensor<2x3xf32>) -> tensor<3xi1> {
  %r = fxgraph.any %x dims [0] : (tensor<2x3xf32>) -> tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: func @all(
// CHECK: fxgraph.all %{{.+}} : (tensor<2x3xui8>) -> tensor<ui8>
func.func @all(%x: tensor<2x3xui8>) -> tensor<ui8> {
  %r = fxgraph.all %x : (tensor<2x3xui8>) -> tensor<ui8>
  return %r : tensor<ui8>
}

// CHECK-LABEL: func @var(
// CHECK: fxgraph.var %{{.+}} dims [1] correction 0.000000e+00 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
func.func @var(%x: tensor<2x3xf32>) -> tensor<2x1xf32> {
  %r = fxgraph.var %x dims [1] correction 0.000000e+00 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xf32>
  return %r : tensor<2x1xf32>
}

// CHECK-LABEL: func @vector_norm(
// CHECK: fxgraph.vector_norm %{{.+}} ord 0x7FF0000000000000 dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
func.func @vector_norm(%x: tensor<2x3xf32>) -> tensor<2xf32> {
  %r = fxgraph.vector_norm %x ord 0x7FF0000000000000 dims [1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @argmax(
// CHECK: fxgraph.argmax %{{.+}} dim -1 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xi64>
func.func @argmax(%x: tensor<2x3xf32>) -> tensor<2x1xi64> {
  %r = fxgraph.argmax %x dim -1 keepdim true : (tensor<2x3xf32>) -> tensor<2x1xi64>
  return %r : tensor<2x1xi64>
}

// CHECK-LABEL: func @argmax_flat(
// CHECK: fxgraph.argmax %{{.+}} : (tensor<2x3xf32>) -> tensor<i64>
func.func @argmax_flat(%x: tensor<2x3xf32>) -> tensor<i64> {
  %r = fxgraph.argmax %x : (tensor<2x3xf32>) -> tensor<i64>
  return %r : tensor<i64>
}

// CHECK-LABEL: func @argmin(
// CHECK: fxgraph.argmin %{{.+}} dim 0 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
func.func @argmin(%x: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.argmin %x dim 0 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @max_dim(
// CHECK: fxgraph.max_dim %{{.+}} dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
func.func @max_dim(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>) {
  %r:2 = fxgraph.max_dim %x dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return %r#0, %r#1 : tensor<2xf32>, tensor<2xi64>
}

// CHECK-LABEL: func @min_dim(
// CHECK: fxgraph.min_dim %{{.+}} dim 1 keepdim true : (tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x1xi64>)
func.func @min_dim(%x: tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x1xi64>) {
  %r:2 = fxgraph.min_dim %x dim 1 keepdim true : (tensor<2x3xi32>) -> (tensor<2x1xi32>, tensor<2x1xi64>)
  return %r#0, %r#1 : tensor<2x1xi32>, tensor<2x1xi64>
}

// CHECK-LABEL: func @softmax(
// CHECK: fxgraph.softmax %{{.+}} dim -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.softmax %x dim -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @softmax_scalar(
// CHECK: fxgraph.softmax %{{.+}} dim 0 : (tensor<f32>) -> tensor<f32>
func.func @softmax_scalar(%x: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.softmax %x dim 0 : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @log_softmax(
// CHECK: fxgraph.log_softmax %{{.+}} dim 1 : (tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>
func.func @log_softmax(%x: tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.log_softmax %x dim 1 : (tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @cumsum(
// CHECK: fxgraph.cumsum %{{.+}} dim 1 : (tensor<2x3xi8>) -> tensor<2x3xi64>
func.func @cumsum(%x: tensor<2x3xi8>) -> tensor<2x3xi64> {
  %r = fxgraph.cumsum %x dim 1 : (tensor<2x3xi8>) -> tensor<2x3xi64>
  return %r : tensor<2x3xi64>
}

// CHECK-LABEL: func @cumprod(
// CHECK: fxgraph.cumprod %{{.+}} dim 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
func.func @cumprod(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.cumprod %x dim 1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @topk(
// CHECK: fxgraph.topk %{{.+}} k 2 dim 1 : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
func.func @topk(%x: tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
  %r:2 = fxgraph.topk %x k 2 dim 1 : (tensor<2x5xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>)
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xi64>
}

// CHECK-LABEL: func @topk_smallest(
// CHECK: fxgraph.topk %{{.+}} k 1 dim -1 largest false sorted false : (tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
func.func @topk_smallest(%x: tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>) {
  %r:2 = fxgraph.topk %x k 1 dim -1 largest false sorted false : (tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  return %r#0, %r#1 : tensor<2x1xf32>, tensor<2x1xi64>
}

// CHECK-LABEL: func @topk_dynamic(
// CHECK: fxgraph.topk %{{.+}} k 3 dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>)
func.func @topk_dynamic(%x: tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>) {
  %r:2 = fxgraph.topk %x k 3 dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xi64>
}

// CHECK-LABEL: func @sort(
// CHECK: fxgraph.sort %{{.+}} dim -1 descending true : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
func.func @sort(%x: tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>) {
  %r:2 = fxgraph.sort %x dim -1 descending true : (tensor<2x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xi64>)
  return %r#0, %r#1 : tensor<2x5xf32>, tensor<2x5xi64>
}

// CHECK-LABEL: func.func @prepare_softmax_online
// CHECK: fxgraph.prepare_softmax_online %{{.*}} dim -1 : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
func.func @prepare_softmax_online(%x: tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %0:2 = fxgraph.prepare_softmax_online %x dim -1 : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %0#0, %0#1 : tensor<2x1xf32>, tensor<2x1xf32>
}
