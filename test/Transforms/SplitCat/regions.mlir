// RUN: fx-opt %s --fxgraph-noop-remove --fxgraph-splitcat-mutate-cat --fxgraph-splitcat-split-cat-to-slices --fxgraph-splitcat-unbind-stack-to-slices --fxgraph-splitcat-sink-cat-after-pointwise | FileCheck %s

// Passes look at one block at a time.
// CHECK-LABEL: func @other_block
// CHECK: fxgraph.split
// CHECK: scf.if
// CHECK: fxgraph.cat
func.func @other_block(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %r = scf.if %c -> tensor<4xf32> {
    %j = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
    %n = fxgraph.neg %j : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @sink_other_block
// CHECK-NEXT: fxgraph.cat
// CHECK-NEXT: scf.if
func.func @sink_other_block(%c: i1, %x: tensor<2xf32>) -> tensor<4xf32> {
  %j = fxgraph.cat %x, %x dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %r = scf.if %c -> tensor<4xf32> {
    %t = fxgraph.tanh %j : tensor<4xf32>
    scf.yield %t : tensor<4xf32>
  } else {
    %f = fxgraph.full 0.0 : tensor<4xf32>
    scf.yield %f : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// Inside a region as elsewhere; what leaves it was fresh, and is no argument now.
// CHECK-LABEL: func @inside
// CHECK-SAME: %[[C:[a-z0-9]+]]: i1, %[[X:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-NEXT: scf.if
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: scf.yield %[[A]], %[[B]]
// CHECK-NEXT: else
// CHECK-NEXT: scf.yield %[[X]], %[[X]]
func.func @inside(%c: i1, %x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %r:2 = scf.if %c -> (tensor<2x2xf32>, tensor<2x2xf32>) {
    %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
    %p:2 = fxgraph.split %x size 1 dim 0 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
    %j = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
    scf.yield %s, %j : tensor<2x2xf32>, tensor<2x2xf32>
  } else {
    scf.yield %x, %x : tensor<2x2xf32>, tensor<2x2xf32>
  }
  return %r#0, %r#1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// The op with a region dies, and its yields with it.
// CHECK-LABEL: func @dead_region
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg
// CHECK-NEXT: return %[[N]]
func.func @dead_region(%c: i1, %x: tensor<4xf32>) -> tensor<4xf32> {
  %r = scf.if %c -> tensor<4xf32> {
    %n = fxgraph.neg %x : tensor<4xf32>
    scf.yield %n : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  %n = fxgraph.neg %x : tensor<4xf32>
  %s = fxgraph.slice_scatter %r, %n dim 0 from 0 to 4 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %s : tensor<4xf32>
}
