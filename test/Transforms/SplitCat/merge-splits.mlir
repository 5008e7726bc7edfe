// RUN: fx-opt %s --fxgraph-splitcat-merge-splits | FileCheck %s
// RUN: fx-opt %s --fxgraph-splitcat-merge-splits > %t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-merge-splits | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-merge-splits --remarks-filter="fxgraph.*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT-COUNT-9: [Passed] merge-splits
// COUNT-NOT: [Passed] merge-splits

// CHECK-LABEL: func @multi_split_with_sizes
// CHECK-SAME: (%[[X:.*]]: tensor<2x32xf32>)
// CHECK-NEXT: %[[P:.*]]:4 = fxgraph.split_with_sizes %[[X]] sizes [10, 6, 4, 12] dim 1
// CHECK-NEXT: return %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3
func.func @multi_split_with_sizes(%x: tensor<2x32xf32>) -> (tensor<2x10xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x12xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [10, 10, 12] dim 1 : (tensor<2x32xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x12xf32>)
  %q:2 = fxgraph.split_with_sizes %p#1 sizes [6, 4] dim 1 : (tensor<2x10xf32>) -> (tensor<2x6xf32>, tensor<2x4xf32>)
  return %p#0, %q#0, %q#1, %p#2 : tensor<2x10xf32>, tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x12xf32>
}

// Two inner splits, one with a negative dim, a zero section, and an unused piece.
// CHECK-LABEL: func @two_inner
// CHECK-NEXT: %[[P:.*]]:6 = fxgraph.split_with_sizes %{{.*}} sizes [1, 0, 1, 1, 2, 3] dim 0
// CHECK-NEXT: return %[[P]]#1, %[[P]]#0, %[[P]]#2, %[[P]]#4, %[[P]]#5
func.func @two_inner(%x: tensor<8x2xf32>) -> (tensor<0x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 6] dim -2 : (tensor<8x2xf32>) -> (tensor<2x2xf32>, tensor<6x2xf32>)
  %q:3 = fxgraph.split_with_sizes %p#0 sizes [1, 0, 1] dim -2 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<0x2xf32>, tensor<1x2xf32>)
  %r:3 = fxgraph.split_with_sizes %p#1 sizes [1, 2, 3] dim 0 : (tensor<6x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>)
  return %q#1, %q#0, %q#2, %r#1, %r#2 : tensor<0x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>
}

// A tree three levels deep becomes one split; each inner split counts.
// CHECK-LABEL: func @nested
// CHECK-NEXT: %[[P:.*]]:5 = fxgraph.split_with_sizes %{{.*}} sizes [1, 1, 2, 4, 8] dim 0
// CHECK-NEXT: return %[[P]]#0, %[[P]]#1, %[[P]]#2, %[[P]]#3, %[[P]]#4
func.func @nested(%x: tensor<16xi32>) -> (tensor<1xi32>, tensor<1xi32>, tensor<2xi32>, tensor<4xi32>, tensor<8xi32>) {
  %a:2 = fxgraph.split %x size 8 dim 0 : (tensor<16xi32>) -> (tensor<8xi32>, tensor<8xi32>)
  %b:2 = fxgraph.split %a#0 size 4 dim 0 : (tensor<8xi32>) -> (tensor<4xi32>, tensor<4xi32>)
  %c:2 = fxgraph.chunk %b#0 chunks 2 dim 0 : (tensor<4xi32>) -> (tensor<2xi32>, tensor<2xi32>)
  %d:2 = fxgraph.split_with_sizes %c#0 sizes [1, 1] dim -1 : (tensor<2xi32>) -> (tensor<1xi32>, tensor<1xi32>)
  return %d#0, %d#1, %c#1, %b#1, %a#1 : tensor<1xi32>, tensor<1xi32>, tensor<2xi32>, tensor<4xi32>, tensor<8xi32>
}

// Only some users of the pieces are splits; uneven sections.
// CHECK-LABEL: func @some_users_not_splits
// CHECK-NEXT: %[[P:.*]]:6 = fxgraph.split_with_sizes %{{.*}} sizes [4, 3, 1, 3, 1, 2] dim 1
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[P]]#0
// CHECK-NEXT: return %[[R]], %[[P]]#1, %[[P]]#2, %[[P]]#3, %[[P]]#4, %[[P]]#5
func.func @some_users_not_splits(%x: tensor<2x14xbf16>) -> (tensor<2x4xbf16>, tensor<2x3xbf16>, tensor<2x1xbf16>, tensor<2x3xbf16>, tensor<2x1xbf16>, tensor<2x2xbf16>) {
  %p:4 = fxgraph.split %x size 4 dim 1 : (tensor<2x14xbf16>) -> (tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x4xbf16>, tensor<2x2xbf16>)
  %r = fxgraph.relu %p#0 : tensor<2x4xbf16>
  %q:2 = fxgraph.split %p#1 size 3 dim 1 : (tensor<2x4xbf16>) -> (tensor<2x3xbf16>, tensor<2x1xbf16>)
  %s:2 = fxgraph.split %p#2 size 3 dim 1 : (tensor<2x4xbf16>) -> (tensor<2x3xbf16>, tensor<2x1xbf16>)
  return %r, %q#0, %q#1, %s#0, %s#1, %p#3 : tensor<2x4xbf16>, tensor<2x3xbf16>, tensor<2x1xbf16>, tensor<2x3xbf16>, tensor<2x1xbf16>, tensor<2x2xbf16>
}

// Dynamic and symbolic extents elsewhere do not matter; in the split dimension
// the sections say everything.
// CHECK-LABEL: func @dynamic_dims
// CHECK: %[[P:.*]]:3 = fxgraph.split_with_sizes %{{.*}} sizes [2, 1, 3] dim 1
// CHECK-NEXT: return %[[P]]#0, %[[P]]#1, %[[P]]#2
func.func @dynamic_dims(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>)
    -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [3, 3] dim 1 : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>)
      -> (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>)
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [2, 1] dim 1 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>)
      -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>)
  return %q#0, %q#1, %p#1 : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}
