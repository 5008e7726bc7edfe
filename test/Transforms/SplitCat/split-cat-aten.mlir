// RUN: fx-opt %s --fxgraph-splitcat-split-cat-aten="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-split-cat-aten="threshold-to-cat=2" | diff %t.once -

!x = tensor<2x6xf32>
!p = tensor<2x2xf32>

// Interleaved splits: each run at its place. (Inductor: A[0:2], B's pieces, A's, then B[0:2]
// once more.)
// CHECK-LABEL: func.func @interleaved
// CHECK-NEXT: %[[A:.+]]:3 = fxgraph.split_with_sizes %arg0
// CHECK-NEXT: %[[A01:.+]] = fxgraph.slice %arg0 dim 1 from 0 to 4
// CHECK-NEXT: %[[R:.+]] = fxgraph.cat %[[A01]], %arg1, %[[A]]#2, %[[A]]#0 dim 1
// CHECK-NEXT: return %[[R]]
func.func @interleaved(%x: !x, %y: !x) -> tensor<2x14xf32> {
  %a:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (!x) -> (!p, !p, !p)
  %b:3 = fxgraph.split_with_sizes %y sizes [2, 2, 2] dim 1 : (!x) -> (!p, !p, !p)
  %r = fxgraph.cat %a#0, %a#1, %b#0, %b#1, %b#2, %a#2, %a#0 dim 1 : (!p, !p, !p, !p, !p, !p, !p) -> tensor<2x14xf32>
  return %r : tensor<2x14xf32>
}

// A repeated piece is no neighbour of itself.
// CHECK-LABEL: func.func @repeated
// CHECK: fxgraph.cat %{{.+}}#1, %{{.+}}#1 dim -1
func.func @repeated(%x: !x) -> tensor<2x4xf32> {
  %a:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (!x) -> (!p, !p, !p)
  %r = fxgraph.cat %a#1, %a#1 dim -1 : (!p, !p) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// Unequal sections, counted from the end; all of them, which are returned by themselves.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: return %[[C]]
func.func @whole(%x: !x) -> !x {
  %a:3 = fxgraph.split_with_sizes %x sizes [1, 0, 5] dim -1 : (!x) -> (tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x5xf32>)
  %r = fxgraph.cat %a#0, %a#1, %a#2 dim 1 : (tensor<2x1xf32>, tensor<2x0xf32>, tensor<2x5xf32>) -> !x
  return %r : !x
}

// Sections of one split along the dimension, of another across it: the first alone.
// CHECK-LABEL: func.func @other_dimension
// CHECK: %[[P:.+]]:3 = fxgraph.split_with_sizes %arg1
// CHECK: fxgraph.cat %arg0, %[[P]]#0, %[[P]]#1 dim 1
func.func @other_dimension(%x: !x, %y: tensor<6x2xf32>) -> tensor<2x10xf32> {
  %a:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (!x) -> (!p, !p, !p)
  %b:3 = fxgraph.split_with_sizes %y sizes [2, 2, 2] dim 0 : (tensor<6x2xf32>) -> (!p, !p, !p)
  %r = fxgraph.cat %a#0, %a#1, %a#2, %b#0, %b#1 dim 1 : (!p, !p, !p, !p, !p) -> tensor<2x10xf32>
  return %r : tensor<2x10xf32>
}
