// RUN: fx-opt %s --fxgraph-splitcat-move-view-after-cat-aten > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-move-view-after-cat-aten | diff %t.once -

// A reshaped piece has another user: both stay for it.
// CHECK-LABEL: func.func @other_user
// CHECK: fxgraph.split_with_sizes
// CHECK: %[[V:.+]] = fxgraph.view
// CHECK: %[[P:.+]] = fxgraph.permute %arg0 dims [1, 0, 2]
// CHECK: %[[R:.+]] = fxgraph.reshape %[[P]] shape [4, 10]
// CHECK: %[[C:.+]] = fxgraph.clone %[[R]]
// CHECK: return %[[C]]
func.func @other_user(%x: tensor<2x4x5xf32>) -> (tensor<4x10xf32>, tensor<4x5xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x4x5xf32>) -> (tensor<1x4x5xf32>, tensor<1x4x5xf32>)
  %v0 = fxgraph.view %p#0 shape [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  %v1 = fxgraph.view %p#1 shape [4, 5] : tensor<1x4x5xf32> -> tensor<4x5xf32>
  %c = fxgraph.cat %v0, %v1 dim 1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x10xf32>
  %n = fxgraph.neg %v0 : tensor<4x5xf32>
  return %c, %n : tensor<4x10xf32>, tensor<4x5xf32>
}

// Pieces of two rows; Inductor's exchange of dimensions is wrong for them.
// CHECK-LABEL: func.func @two_rows
// CHECK-NOT: fxgraph.cat
// CHECK: return
func.func @two_rows(%x: tensor<4x3xf32>) -> tensor<3x4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %v0 = fxgraph.reshape %p#0 shape [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  %v1 = fxgraph.reshape %p#1 shape [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  %c = fxgraph.cat %v0, %v1 dim 1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %c : tensor<3x4xf32>
}

// The dimension goes two places further, where an exchange would move the one between.
// CHECK-LABEL: func.func @far
// CHECK-NOT: fxgraph.cat
// CHECK: return
func.func @far(%x: tensor<2x3x4x5xf32>) -> tensor<3x4x10xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x3x4x5xf32>) -> (tensor<1x3x4x5xf32>, tensor<1x3x4x5xf32>)
  %v0 = fxgraph.reshape %p#0 shape [3, 4, 5] : tensor<1x3x4x5xf32> -> tensor<3x4x5xf32>
  %v1 = fxgraph.reshape %p#1 shape [3, 4, 5] : tensor<1x3x4x5xf32> -> tensor<3x4x5xf32>
  %c = fxgraph.cat %v0, %v1 dim -1 : (tensor<3x4x5xf32>, tensor<3x4x5xf32>) -> tensor<3x4x10xf32>
  return %c : tensor<3x4x10xf32>
}
