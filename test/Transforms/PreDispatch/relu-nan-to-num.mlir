// RUN: fx-opt %s --fxgraph-predispatch-relu-nan-to-num -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-relu-nan-to-num -o %t.twice
// RUN: diff %t.once %t.twice

// The number for -inf does not matter behind a relu.
// CHECK-LABEL: func @nan_to_num_of_relu
// CHECK: fxgraph.relu_nan_to_num %{{.+}} nan -2.000000e+00 posinf 3.000000e+00 : tensor<?xbf16>
// CHECK-NOT: fxgraph.relu
func.func @nan_to_num_of_relu(%x: tensor<?xbf16>) -> tensor<?xbf16> {
  %0 = fxgraph.relu %x : tensor<?xbf16>
  %1 = fxgraph.nan_to_num %0 nan -2.0 posinf 3.0 neginf 5.0 : tensor<?xbf16>
  return %1 : tensor<?xbf16>
}

// CHECK-LABEL: func @relu_of_nan_to_num
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} : tensor<4xf32>
// CHECK-NEXT: return
func.func @relu_of_nan_to_num(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.nan_to_num %x : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// The numbers go through the relu, too.
// CHECK-LABEL: func @relu_of_numbers
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} posinf 0.000000e+00 : tensor<4xf32>
func.func @relu_of_numbers(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.nan_to_num %x nan -2.0 posinf -3.0 neginf -1.0 : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -1e-9 in f16 is -0, which relu leaves alone.
// CHECK-LABEL: func @relu_of_rounded_numbers
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} nan -0.000000e+00 posinf 0.0999755859375 : tensor<4xf16>
func.func @relu_of_rounded_numbers(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fxgraph.nan_to_num %x nan -1.0e-9 posinf 0.0999755859375 neginf -1.0 : tensor<4xf16>
  %1 = fxgraph.relu %0 : tensor<4xf16>
  return %1 : tensor<4xf16>
}

// A NaN for NaN stays one.
// CHECK-LABEL: func @nan_for_nan
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} nan 0x7FF8000000000000
func.func @nan_for_nan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.nan_to_num %x nan 0x7FF8000000000000 neginf 0.0 : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
