// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-getitem-squeeze-cat -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-split-getitem-squeeze-cat -o %t.twice
// RUN: diff %t.once %t.twice

// Two runs of one split, in another order, and a piece alone.
// CHECK-LABEL: func @two_runs
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK: %[[P:.+]]:5 = fxgraph.split
// CHECK: %[[A:.+]] = fxgraph.squeeze %[[P]]#2
// CHECK: %[[S:.+]] = fxgraph.slice %[[X]] dim 1 from 3 to 5
// CHECK: %[[SP:.+]] = fxgraph.permute %[[S]] dims [1, 0]
// CHECK: %[[S0:.+]] = fxgraph.reshape %[[SP]] shape [8]
// CHECK: %[[T:.+]] = fxgraph.slice %[[X]] dim 1 from 0 to 2
// CHECK: %[[TP:.+]] = fxgraph.permute %[[T]] dims [1, 0]
// CHECK: %[[T0:.+]] = fxgraph.reshape %[[TP]] shape [8]
// CHECK: fxgraph.cat %[[S0]], %[[A]], %[[T0]] dim 0
func.func @two_runs(%x: tensor<4x5xf32>) -> tensor<20xf32> {
  %p:5 = fxgraph.split %x size 1 dim -1 : (tensor<4x5xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>)
  %0 = fxgraph.squeeze %p#0 dims [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %1 = fxgraph.squeeze %p#1 dims [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %2 = fxgraph.squeeze %p#2 dims [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %3 = fxgraph.squeeze %p#3 dims [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %4 = fxgraph.squeeze %p#4 dims [1] : (tensor<4x1xf32>) -> tensor<4xf32>
  %c = fxgraph.cat %3, %4, %2, %0, %1 dim 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<20xf32>
  return %c : tensor<20xf32>
}

// A stack of a run.
// CHECK-LABEL: func @stack
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %[[X]] dim 0 from 1 to 3
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[S]] dims [1, 0]
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @stack(%x: tensor<4x5xf32>) -> tensor<5x2xf32> {
  %q:4 = fxgraph.split %x size 1 dim 0 : (tensor<4x5xf32>) -> (tensor<1x5xf32>, tensor<1x5xf32>, tensor<1x5xf32>, tensor<1x5xf32>)
  %1 = fxgraph.squeeze %q#1 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %2 = fxgraph.squeeze %q#2 dims [0] : (tensor<1x5xf32>) -> tensor<5xf32>
  %c = fxgraph.stack %1, %2 dim 1 : (tensor<5xf32>, tensor<5xf32>) -> tensor<5x2xf32>
  %r = fxgraph.relu %c : tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}
