// RUN: fx-opt %s --fxgraph-splitcat-split-cat | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: fx-opt %s --fxgraph-splitcat-split-cat="allow-other-users=true" > %t.once
// RUN: FileCheck %s --check-prefixes=CHECK,LOOSE --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-split-cat="allow-other-users=true" | diff %t.once -

// A residual connection takes a piece of what a stack takes altogether.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split_with_sizes %[[X]]
// STRICT-NEXT: fxgraph.stack
// LOOSE-NEXT: %[[U:.*]] = fxgraph.reshape %[[X]] shape [2, 2, 2]
// LOOSE-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [1, 0, 2]
// LOOSE-NEXT: fxgraph.relu %[[M]]
// CHECK: fxgraph.tanh %[[P]]#1
func.func @residual(%x: tensor<2x4xf32>) -> (tensor<2x2x2xf32>, tensor<2x2xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  %r = fxgraph.relu %s : tensor<2x2x2xf32>
  %t = fxgraph.tanh %p#1 : tensor<2x2xf32>
  return %r, %t : tensor<2x2x2xf32>, tensor<2x2xf32>
}

// Runs that overlap are slices of the input; the split has no users left.
// CHECK-LABEL: func @overlapping
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32>
// STRICT: fxgraph.split_with_sizes
// LOOSE-NEXT: %[[A:.*]] = fxgraph.slice %[[X]] dim 0 from 0 to 4 :
// LOOSE-NEXT: %[[B:.*]] = fxgraph.slice %[[X]] dim 0 from 2 to 6 :
// LOOSE-NEXT: %[[C:.*]] = fxgraph.reshape %[[A]] shape [2, 2]
// LOOSE-NEXT: fxgraph.relu %[[C]]
// LOOSE-NEXT: fxgraph.relu %[[B]]
func.func @overlapping(%x: tensor<6xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %r = fxgraph.relu %s : tensor<2x2xf32>
  %t = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %u = fxgraph.relu %t : tensor<4xf32>
  return %r, %u : tensor<2x2xf32>, tensor<4xf32>
}
