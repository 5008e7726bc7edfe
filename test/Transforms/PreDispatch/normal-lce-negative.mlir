// RUN: fx-opt %s --fxgraph-predispatch-normal-lce --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// Not joined: a simple compression, which is the other pass's. Inductor's function of this name would take it:
// it calls the helper of the simple one.
// CHECK-LABEL: func @simple_form
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @simple_form(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @more_outputs_than_features
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @more_outputs_than_features(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<7x6xf32>, %b: tensor<7xf32>) -> tensor<2x4x7xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  // expected-remark @below {{the linear does not compress: a permutation would move more behind it than before it}}
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<7x6xf32>, tensor<7xf32>) -> tensor<2x4x7xf32>
  return %1 : tensor<2x4x7xf32>
}

// CHECK-LABEL: func @joined_rows
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @joined_rows(%y: tensor<1x6x4xf32>, %z: tensor<1x6x4xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %x = fxgraph.cat %y, %z dim 0 : (tensor<1x6x4xf32>, tensor<1x6x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @cat_of_one
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @cat_of_one(%y: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %x = fxgraph.cat %y dim 1 : (tensor<2x6x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @other_permutation
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @other_permutation(%y: tensor<4x2x4xf32>, %z: tensor<4x2x4xf32>, %w: tensor<3x4xf32>) -> tensor<4x3x4xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<4x2x4xf32>, tensor<4x2x4xf32>) -> tensor<4x4x4xf32>
  // expected-remark @below {{the permutation is not the exchange of the last two dimensions}}
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = fxgraph.linear %0, %w : (tensor<4x4x4xf32>, tensor<3x4xf32>) -> tensor<4x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<4x4x3xf32>) -> tensor<4x3x4xf32>
  return %2 : tensor<4x3x4xf32>
}

// CHECK-LABEL: func @bias_of_one_value
// CHECK-NOT: fxgraph.lce
// CHECK: return
func.func @bias_of_one_value(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>, %b: tensor<1xf32>) -> tensor<2x3x4xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  // expected-remark @below {{the bias of the linear has not one value for each output}}
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<1xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
