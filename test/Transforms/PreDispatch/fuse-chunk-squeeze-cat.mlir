// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-squeeze-cat -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-chunk-squeeze-cat -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @stack_moves_the_dimension
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[X]] dims [0, 2, 1] : (tensor<4x2x5xf32>) -> tensor<4x5x2xf32>
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @stack_moves_the_dimension(%x: tensor<4x2x5xf32>) -> tensor<4x5x2xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 1 : (tensor<4x2x5xf32>) -> (tensor<4x1x5xf32>, tensor<4x1x5xf32>)
  %0 = fxgraph.squeeze %p#0 dims [-2] : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
  %1 = fxgraph.squeeze %p#1 dims [1] : (tensor<4x1x5xf32>) -> tensor<4x5xf32>
  %c = fxgraph.stack %0, %1 dim 2 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5x2xf32>
  %r = fxgraph.relu %c : tensor<4x5x2xf32>
  return %r : tensor<4x5x2xf32>
}

// A squeeze of all extents of 1.
// CHECK-LABEL: func @squeeze_all
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[X]] shape [10]
func.func @squeeze_all(%x: tensor<2x1x5xf32>) -> tensor<10xf32> {
  %p:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x1x5xf32>) -> (tensor<1x1x5xf32>, tensor<1x1x5xf32>)
  %0 = fxgraph.squeeze %p#0 : (tensor<1x1x5xf32>) -> tensor<5xf32>
  %1 = fxgraph.squeeze %p#1 : (tensor<1x1x5xf32>) -> tensor<5xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  %r = fxgraph.relu %c : tensor<10xf32>
  return %r : tensor<10xf32>
}
