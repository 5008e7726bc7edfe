// A cross entropy reads one element of each row of a log softmax: the others are not written.
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-6
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=rows | FileCheck %s --check-prefix=ROWS
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=infinite | FileCheck %s --check-prefix=INFINITE
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=stays | FileCheck %s --check-prefix=STAYS

// ROWS-LABEL: func.func @rows
// ROWS-NOT: fxgraph.log_softmax
// ROWS: return
func.func @rows(%x: tensor<5x33xf32>, %i: tensor<5x1xi64>, %y: tensor<3x24x5xf64>, %j: tensor<3x2x5xi64>, %z: tensor<17x4xf32>, %k: tensor<1x4xi64>)
    -> (tensor<5x1xf32>, tensor<3x2x5xf64>, tensor<1x4xf32>) {
  %n = fxgraph.constant dense<3> : tensor<i64>
  %i0 = fxgraph.remainder %i, %n : (tensor<5x1xi64>, tensor<i64>) -> tensor<5x1xi64>
  %j0 = fxgraph.remainder %j, %n : (tensor<3x2x5xi64>, tensor<i64>) -> tensor<3x2x5xi64>
  %k0 = fxgraph.remainder %k, %n : (tensor<1x4xi64>, tensor<i64>) -> tensor<1x4xi64>
  %0 = fxgraph.log_softmax %x dim 1 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %1 = fxgraph.gather %0, %i0 dim -1 : (tensor<5x33xf32>, tensor<5x1xi64>) -> tensor<5x1xf32>
  %2 = fxgraph.log_softmax %y dim -2 : (tensor<3x24x5xf64>) -> tensor<3x24x5xf64>
  %3 = fxgraph.gather %2, %j0 dim 1 : (tensor<3x24x5xf64>, tensor<3x2x5xi64>) -> tensor<3x2x5xf64>
  %4 = fxgraph.log_softmax %z dim 0 : (tensor<17x4xf32>) -> tensor<17x4xf32>
  %5 = fxgraph.gather %4, %k0 dim 0 : (tensor<17x4xf32>, tensor<1x4xi64>) -> tensor<1x4xf32>
  return %1, %3, %5 : tensor<5x1xf32>, tensor<3x2x5xf64>, tensor<1x4xf32>
}

// Rows with infinities and NaN are NaN, or minus infinity, as they were.
// INFINITE-LABEL: func.func @infinite
// INFINITE-NOT: fxgraph.log_softmax
// INFINITE: return
func.func @infinite(%x: tensor<4x16xf32>) -> tensor<4x2xf32> {
  %special = fxgraph.constant dense<[[0x7F800000], [0xFF800000], [0x7FC00000], [1.0]]> : tensor<4x1xf32>
  %i = fxgraph.constant dense<[[0, 5], [0, 5], [0, 5], [0, 5]]> : tensor<4x2xi64>
  %rest = fxgraph.slice %x dim 1 from 1 to 16 : (tensor<4x16xf32>) -> tensor<4x15xf32>
  %0 = fxgraph.cat %special, %rest dim 1 : (tensor<4x1xf32>, tensor<4x15xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.log_softmax %0 dim 1 : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = fxgraph.gather %1, %i dim 1 : (tensor<4x16xf32>, tensor<4x2xi64>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Not along another dimension, of many elements, of fewer rows, or where others read it too.
// STAYS-LABEL: func.func @stays
// STAYS-COUNT-4: fxgraph.log_softmax
func.func @stays(%x: tensor<8x16xf32>) -> (tensor<1x16xf32>, tensor<8x3xf32>, tensor<7x1xf32>, tensor<8x1xf32>, tensor<8x16xf32>) {
  %i = fxgraph.constant dense<2> : tensor<1x16xi64>
  %j = fxgraph.constant dense<1> : tensor<8x3xi64>
  %k = fxgraph.constant dense<1> : tensor<7x1xi64>
  %l = fxgraph.constant dense<1> : tensor<8x1xi64>
  %0 = fxgraph.log_softmax %x dim 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = fxgraph.gather %0, %i dim 0 : (tensor<8x16xf32>, tensor<1x16xi64>) -> tensor<1x16xf32>
  %x1 = fxgraph.neg %x : tensor<8x16xf32>
  %2 = fxgraph.log_softmax %x1 dim 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = fxgraph.gather %2, %j dim 1 : (tensor<8x16xf32>, tensor<8x3xi64>) -> tensor<8x3xf32>
  %x2 = fxgraph.abs %x : tensor<8x16xf32>
  %4 = fxgraph.log_softmax %x2 dim 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %5 = fxgraph.gather %4, %k dim 1 : (tensor<8x16xf32>, tensor<7x1xi64>) -> tensor<7x1xf32>
  %x3 = fxgraph.relu %x : tensor<8x16xf32>
  %6 = fxgraph.log_softmax %x3 dim 1 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %7 = fxgraph.gather %6, %l dim 1 : (tensor<8x16xf32>, tensor<8x1xi64>) -> tensor<8x1xf32>
  return %1, %3, %5, %7, %6 : tensor<1x16xf32>, tensor<8x3xf32>, tensor<7x1xf32>, tensor<8x1xf32>, tensor<8x16xf32>
}
