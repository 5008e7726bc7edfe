// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights{numerics=exact}))' | FileCheck %s
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights{default-device=gpu}))' 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=NUMERICS

// DEVICE: gpu
// NUMERICS: expected numerics to be exact, reassociate or relaxed but got fast

// CHECK-NOT: _pointwise

!x = tensor<4x4xf32>

// REMARK-DAG: remark: [Missed] onednn-pack-linear | Category:fxgraph-onednn-pack-weights | Remark="the weight may change between runs"
// An input, and a parameter that is written.
func.func @weight_changes(%x: !x, %w: !x, %p: !x {fxgraph.kind = "parameter"}) -> (!x, !x) {
  %0 = fxgraph.mm %x, %w : (!x, !x) -> !x
  %1 = fxgraph.mm %x, %p : (!x, !x) -> !x
  fxgraph.copy_ %x into %p : !x, !x
  return %0, %1 : !x, !x
}

// REMARK-DAG: Remark="the product is not on the CPU"
!cuda = tensor<4x4xf32, #fxgraph.meta<device = "cuda:0">>
func.func @device(%x: !cuda, %w: !cuda {fxgraph.kind = "parameter"}) -> !cuda {
  %0 = fxgraph.mm %x, %w : (!cuda, !cuda) -> !cuda
  return %0 : !cuda
}

// REMARK-DAG: Remark="expected f32, bf16 or f16"
func.func @dtypes(%x: tensor<4x4xf64>, %w: tensor<4x4xf64> {fxgraph.kind = "parameter"}, %i: tensor<4x4xi32>, %j: tensor<4x4xi32> {fxgraph.kind = "parameter"}) -> (tensor<4x4xf64>, tensor<4x4xi32>) {
  %0 = fxgraph.mm %x, %w : (tensor<4x4xf64>, tensor<4x4xf64>) -> tensor<4x4xf64>
  %1 = fxgraph.mm %i, %j : (tensor<4x4xi32>, tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0, %1 : tensor<4x4xf64>, tensor<4x4xi32>
}

// REMARK-DAG: Remark="alpha is not 1, or beta neither 0 nor 1"
// REMARK-DAG: Remark="the bias has not one value for each output"
// REMARK-DAG: Remark="the weight is no matrix"
func.func @parameters(%x: !x, %w: !x {fxgraph.kind = "parameter"}, %b: tensor<4xf32>, %one: tensor<1xf32>, %v: tensor<4xf32> {fxgraph.kind = "parameter"}) -> (!x, !x, !x, !x, tensor<4xf32>) {
  %0 = fxgraph.addmm %b, %x, %w beta 0.5 : (tensor<4xf32>, !x, !x) -> !x
  %1 = fxgraph.addmm %b, %x, %w alpha 2.0 : (tensor<4xf32>, !x, !x) -> !x
  %2 = fxgraph.addmm %one, %x, %w : (tensor<1xf32>, !x, !x) -> !x
  %3 = fxgraph.addmm %x, %x, %w : (!x, !x, !x) -> !x
  %4 = fxgraph.linear %x, %v : (!x, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4 : !x, !x, !x, !x, tensor<4xf32>
}

// REMARK-DAG: remark: [Missed] onednn-pack-convolution | Category:fxgraph-onednn-pack-weights | Remark="expected a batch of images or volumes"
func.func @convolution_ranks(%x: tensor<3x8x8xf32>, %w: tensor<4x3x3x3xf32> {fxgraph.kind = "parameter"}, %y: tensor<1x3x8xf32>, %v: tensor<4x3x3xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x6x6xf32>, tensor<1x4x6xf32>) {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<4x6x6xf32>
  %1 = fxgraph.convolution %y, %v stride [1] padding [0] dilation [1] output_padding [0] : (tensor<1x3x8xf32>, tensor<4x3x3xf32>) -> tensor<1x4x6xf32>
  return %0, %1 : tensor<4x6x6xf32>, tensor<1x4x6xf32>
}

// REMARK-DAG: Remark="the transposed convolution is depthwise"
// REMARK-DAG: Remark="the output padding is not below the stride"
// REMARK-DAG: Remark="the input of the transposed convolution has unknown extents"
func.func @transposed(%x: tensor<1x4x8x8xf32>, %w: tensor<4x1x3x3xf32> {fxgraph.kind = "parameter"}, %s: tensor<?x4x8x8xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<1x4x10x10xf32>, tensor<1x1x13x13xf32>, tensor<?x1x10x10xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] transposed true output_padding [0, 0] groups 4 : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x4x10x10xf32>
  %1 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [2, 2] transposed true output_padding [1, 1] : (tensor<1x4x8x8xf32>, tensor<4x1x3x3xf32>) -> tensor<1x1x13x13xf32>
  %2 = fxgraph.convolution %s, %w stride [1, 1] padding [0, 0] dilation [1, 1] transposed true output_padding [0, 0] : (tensor<?x4x8x8xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x1x3x3xf32>) -> tensor<?x1x10x10xf32, #fxgraph.meta<dims = [s0]>>
  return %0, %1, %2 : tensor<1x4x10x10xf32>, tensor<1x1x13x13xf32>, tensor<?x1x10x10xf32, #fxgraph.meta<dims = [s0]>>
}
