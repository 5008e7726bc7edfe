// Long variances are one sweep over memory, whatever else is reduced of the same elements and in whatever order they lie: pieces are not
// cut again, and no total that others need too comes between. What the pieces gave is reduced by one launch.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=with_sums | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=across | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=reductions | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=with_logsumexp | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=columns_in_front | FileCheck %s --check-prefix=COLUMNS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=later | FileCheck %s --check-prefix=LATER
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short_dims chip=sm_80" | FileCheck %s --check-prefix=AGAIN
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=2e-5
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=3 --compare-target=ref --rtol=2e-5 --atol=2e-5
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: gpu.launch_func
// AGAIN-COUNT-3: gpu.launch_func

// Pieces of the last of which some elements are not there.
func.func @with_sums(%x: tensor<3x140017xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<3x140017xf32>) -> tensor<3xf32>
  %1 = fxgraph.var %x dims [1] correction 1.000000e+00 : (tensor<3x140017xf32>) -> tensor<3xf32>
  %2 = fxgraph.mean %x dims [1] : (tensor<3x140017xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// The converted elements of a transposed tensor lie as that does.
func.func @across(%x: tensor<5x140008xbf16>) -> (tensor<5xbf16>, tensor<5xbf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<5x140008xbf16>) -> tensor<140008x5xbf16>
  %1 = fxgraph.var %0 dims [0] correction 1.000000e+00 : (tensor<140008x5xbf16>) -> tensor<5xbf16>
  %2 = fxgraph.amax %0 dims [0] : (tensor<140008x5xbf16>) -> tensor<5xbf16>
  return %1, %2 : tensor<5xbf16>, tensor<5xbf16>
}

// Rows of few threads get as many as the others of their launch.
func.func @reductions(%x: tensor<386765xf16>) -> (tensor<f16>, tensor<f16>, tensor<f16>) {
  %0 = fxgraph.logsumexp %x dims [0] : (tensor<386765xf16>) -> tensor<f16>
  %1 = fxgraph.vector_norm %x ord 2.000000e+00 : (tensor<386765xf16>) -> tensor<f16>
  %2 = fxgraph.amin %x : (tensor<386765xf16>) -> tensor<f16>
  return %0, %1, %2 : tensor<f16>, tensor<f16>, tensor<f16>
}

// What is reduced beside a logsumexp is cut as that is, with what both are computed of, and its total is its own.
func.func @with_logsumexp(%x: tensor<36935x21xf32>) -> (tensor<21xf32>, tensor<21xf32>, tensor<21xf32>) {
  %0 = fxgraph.tanh %x : tensor<36935x21xf32>
  %1 = fxgraph.amax %0 dims [0] : (tensor<36935x21xf32>) -> tensor<21xf32>
  %2 = fxgraph.logsumexp %0 dims [0] : (tensor<36935x21xf32>) -> tensor<21xf32>
  %3 = fxgraph.mul %0, %0 : (tensor<36935x21xf32>, tensor<36935x21xf32>) -> tensor<36935x21xf32>
  %4 = fxgraph.sum %3 dims [0] : (tensor<36935x21xf32>) -> tensor<21xf32>
  return %1, %2, %4 : tensor<21xf32>, tensor<21xf32>, tensor<21xf32>
}

// Columns along the first of the other dimensions, rows along the last.
// COLUMNS-COUNT-2: gpu.launch_func
func.func @columns_in_front(%x: tensor<5x3999x2xbf16>) -> (tensor<2x5xbf16>, tensor<2x5xbf16>) {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<5x3999x2xbf16>) -> tensor<2x3999x5xbf16>
  %1 = fxgraph.logsumexp %0 dims [1] : (tensor<2x3999x5xbf16>) -> tensor<2x5xbf16>
  %2 = fxgraph.mean %0 dims [1] : (tensor<2x3999x5xbf16>) -> tensor<2x5xbf16>
  return %1, %2 : tensor<2x5xbf16>, tensor<2x5xbf16>
}

// A sweep whose results are needed later than another's is part of that one all the same.
// LATER: gpu.func @k0_sum_mul_sum
// LATER-COUNT-3: gpu.launch_func
// LATER-NOT: gpu.launch_func
func.func @later(%x: tensor<161112xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>) {
  %0 = fxgraph.sum %x : (tensor<161112xf32>) -> tensor<f32>
  %1 = fxgraph.neg %0 : tensor<f32>
  %2 = fxgraph.sigmoid %0 : tensor<f32>
  %3 = fxgraph.vector_norm %x ord 2.000000e+00 : (tensor<161112xf32>) -> tensor<f32>
  return %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>
}

// No dimension has as many pieces as are wanted: those are cut again.
func.func @short_dims(%x: tensor<12x12x12x12x12xf32>) -> tensor<f32> {
  %0 = fxgraph.sum %x : (tensor<12x12x12x12x12xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
