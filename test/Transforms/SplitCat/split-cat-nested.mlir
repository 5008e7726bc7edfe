// Cats of neighbouring pieces that are nested in each other are one run: the split gets
// coarser once, not once a level.

// RUN: fx-opt %s --split-input-file --fxgraph-splitcat-split-cat --remarks-filter='fxgraph.*' --remark-format=emitRemark 2> %t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: fx-opt %s --split-input-file --fxgraph-splitcat-split-cat -o %t.once
// RUN: fx-opt %t.once --split-input-file --fxgraph-splitcat-split-cat | diff - %t.once

!p = tensor<2x1xf32>

// REMARK: 4 pieces in 1 run(s)
// CHECK-LABEL: func @all
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT: fxgraph.tanh %[[X]]
// CHECK-NEXT: return
func.func @all(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %p:4 = fxgraph.split %x size 1 dim 1 : (tensor<2x4xf32>) -> (!p, !p, !p, !p)
  %0 = fxgraph.cat %p#1, %p#2 dim 1 : (!p, !p) -> tensor<2x2xf32>
  %1 = fxgraph.cat %p#0, %0 dim 1 : (!p, tensor<2x2xf32>) -> tensor<2x3xf32>
  %2 = fxgraph.cat %1, %p#3 dim 1 : (tensor<2x3xf32>, !p) -> tensor<2x4xf32>
  %3 = fxgraph.tanh %2 : tensor<2x4xf32>
  return %3 : tensor<2x4xf32>
}

// -----

!p = tensor<2x1xf32>

// REMARK-NOT: 1 run(s)
// REMARK: 4 pieces in 2 run(s)
// CHECK-LABEL: func @some
// CHECK-SAME: %[[X:.*]]: tensor<2x4xf32>
// CHECK-NEXT: %[[S:.*]]:2 = fxgraph.split_with_sizes %[[X]] sizes [3, 1] dim 1
// CHECK-NEXT: fxgraph.tanh %[[S]]#0
// CHECK-NEXT: fxgraph.tanh %[[S]]#1
// CHECK-NEXT: return
func.func @some(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>, !p) {
  %p:4 = fxgraph.split %x size 1 dim 1 : (tensor<2x4xf32>) -> (!p, !p, !p, !p)
  %0 = fxgraph.cat %p#0, %p#1 dim 1 : (!p, !p) -> tensor<2x2xf32>
  %1 = fxgraph.cat %0, %p#2 dim 1 : (tensor<2x2xf32>, !p) -> tensor<2x3xf32>
  %2 = fxgraph.tanh %1 : tensor<2x3xf32>
  %3 = fxgraph.tanh %p#3 : !p
  return %2, %3 : tensor<2x3xf32>, !p
}

// -----

!p = tensor<2x1xf32>

// The inner cat has another user: it is a run of its own, and the outer one overlaps it.
// CHECK-LABEL: func @other_user
// CHECK: %[[S:.*]]:2 = fxgraph.split_with_sizes %{{.*}} sizes [2, 1] dim 1
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[S]]#0, %[[S]]#1 dim 1
// CHECK: fxgraph.tanh %[[S]]#0
func.func @other_user(%x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %p:3 = fxgraph.split %x size 1 dim 1 : (tensor<2x3xf32>) -> (!p, !p, !p)
  %0 = fxgraph.cat %p#0, %p#1 dim 1 : (!p, !p) -> tensor<2x2xf32>
  %1 = fxgraph.cat %0, %p#2 dim 1 : (tensor<2x2xf32>, !p) -> tensor<2x3xf32>
  %2 = fxgraph.tanh %1 : tensor<2x3xf32>
  %3 = fxgraph.tanh %0 : tensor<2x2xf32>
  return %2, %3 : tensor<2x3xf32>, tensor<2x2xf32>
}

// -----

!p = tensor<2x1xf32>

// The outer cat does not go on where the inner one ends.
// CHECK-LABEL: func @order
// CHECK: %[[S:.*]]:2 = fxgraph.split_with_sizes %{{.*}} sizes [1, 2] dim 1
// CHECK-NEXT: fxgraph.cat %[[S]]#1, %[[S]]#0 dim 1
func.func @order(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p:3 = fxgraph.split %x size 1 dim 1 : (tensor<2x3xf32>) -> (!p, !p, !p)
  %0 = fxgraph.cat %p#1, %p#2 dim 1 : (!p, !p) -> tensor<2x2xf32>
  %1 = fxgraph.cat %0, %p#0 dim 1 : (tensor<2x2xf32>, !p) -> tensor<2x3xf32>
  %2 = fxgraph.tanh %1 : tensor<2x3xf32>
  return %2 : tensor<2x3xf32>
}

// -----

// Along another dimension nothing is one run.
// CHECK-LABEL: func @other_dim
// CHECK-COUNT-2: fxgraph.cat
func.func @other_dim(%x: tensor<2x3xf32>) -> tensor<6x1xf32> {
  %p:3 = fxgraph.split %x size 1 dim 1 : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  %0 = fxgraph.cat %p#2, %p#1 dim 0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<4x1xf32>
  %1 = fxgraph.cat %0, %p#0 dim 0 : (tensor<4x1xf32>, tensor<2x1xf32>) -> tensor<6x1xf32>
  %2 = fxgraph.tanh %1 : tensor<6x1xf32>
  return %2 : tensor<6x1xf32>
}
