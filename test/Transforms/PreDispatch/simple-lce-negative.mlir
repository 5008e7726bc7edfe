// RUN: fx-opt %s --fxgraph-predispatch-simple-lce --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @rank_4
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @rank_4(%x: tensor<1x2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<1x2x3x4xf32> {
  %0 = fxgraph.permute %x dims [0, 1, 3, 2] : (tensor<1x2x6x4xf32>) -> tensor<1x2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<1x2x4x6xf32>, tensor<3x6xf32>) -> tensor<1x2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 1, 3, 2] : (tensor<1x2x4x3xf32>) -> tensor<1x2x3x4xf32>
  return %2 : tensor<1x2x3x4xf32>
}

// CHECK-LABEL: func @other_permutation_before
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @other_permutation_before(%x: tensor<6x2x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  // expected-remark @below {{the permutation is not the exchange of the last two dimensions}}
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<6x2x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @other_permutation_after
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @other_permutation_after(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<3x2x4xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  // expected-remark @below {{the permutation is not the exchange of the last two dimensions}}
  %2 = fxgraph.permute %1 dims [2, 0, 1] : (tensor<2x4x3xf32>) -> tensor<3x2x4xf32>
  return %2 : tensor<3x2x4xf32>
}

// CHECK-LABEL: func @linear_is_used
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @linear_is_used(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x3xf32>) {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  // expected-remark @below {{the linear has other users}}
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %3 = fxgraph.neg %1 : tensor<2x4x3xf32>
  return %2, %3 : tensor<2x3x4xf32>, tensor<2x4x3xf32>
}

// CHECK-LABEL: func @bias_of_one_value
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @bias_of_one_value(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>, %b: tensor<1xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  // expected-remark @below {{the bias of the linear has not one value for each output}}
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @no_permutation_before
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @no_permutation_before(%x: tensor<2x4x6xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %1 = fxgraph.linear %x, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
