// RUN: fx-opt %s --fxgraph-splitcat-merge-getitem-cat > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-merge-getitem-cat | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-merge-getitem-cat --remarks-filter="fxgraph.*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=COUNT

// COUNT-COUNT-8: [Passed] merge-getitem-cat
// COUNT-NOT: [Passed] merge-getitem-cat

// Two runs of one split, beside pieces with other users and a zero section. The
// cats were fresh storage, the pieces are views of the argument: hence the clones.
// CHECK-LABEL: func @two_runs
// CHECK-NEXT: %[[P:.*]]:5 = fxgraph.split_with_sizes %{{.*}} sizes [3, 0, 3, 4, 9] dim 1
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[P]]#2
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[P]]#0
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[P]]#4
// CHECK-NEXT: return %[[A]], %[[R]], %[[B]], %[[P]]#3
func.func @two_runs(%x: tensor<2x19xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x9xf32>, tensor<2x4xf32>) {
  %p:7 = fxgraph.split_with_sizes %x sizes [1, 2, 0, 3, 4, 0, 9] dim 1
      : (tensor<2x19xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x0xf32>, tensor<2x3xf32>, tensor<2x4xf32>, tensor<2x0xf32>, tensor<2x9xf32>)
  %a = fxgraph.cat %p#0, %p#1 dim -1 : (tensor<2x1xf32>, tensor<2x2xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %p#3 : tensor<2x3xf32>
  %b = fxgraph.cat %p#5, %p#6 dim 1 : (tensor<2x0xf32>, tensor<2x9xf32>) -> tensor<2x9xf32>
  return %a, %r, %b, %p#4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x9xf32>, tensor<2x4xf32>
}

// Cats of cats are seen in one go. All pieces: nothing is left, and the result
// is no argument.
// CHECK-LABEL: func @nested
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<10xi32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @nested(%x: tensor<10xi32>) -> tensor<10xi32> {
  %p:4 = fxgraph.split_with_sizes %x sizes [1, 2, 3, 4] dim 0 : (tensor<10xi32>) -> (tensor<1xi32>, tensor<2xi32>, tensor<3xi32>, tensor<4xi32>)
  %a = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<2xi32>, tensor<3xi32>) -> tensor<5xi32>
  %b = fxgraph.cat %a, %p#3 dim 0 : (tensor<5xi32>, tensor<4xi32>) -> tensor<9xi32>
  %c = fxgraph.cat %p#0, %b dim 0 : (tensor<1xi32>, tensor<9xi32>) -> tensor<10xi32>
  return %c : tensor<10xi32>
}

// The inner cat has users of its own: it stays a piece.
// CHECK-LABEL: func @inner_cat_shared
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split_with_sizes %{{.*}} sizes [3, 3] dim 0
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[P]]#0, %[[P]]#1 dim 0
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[P]]#0
// CHECK-NEXT: return %[[A]], %[[C]]
func.func @inner_cat_shared(%x: tensor<6xf32>) -> (tensor<3xf32>, tensor<6xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 2, 3] dim 0 : (tensor<6xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<3xf32>)
  %a = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  %b = fxgraph.cat %a, %p#2 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %a, %b : tensor<3xf32>, tensor<6xf32>
}

// One piece alone, and chunks.
// CHECK-LABEL: func @single_and_chunk
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split_with_sizes %{{.*}} sizes [4, 6] dim 0
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg %[[P]]#0
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[P]]#1
// CHECK-NEXT: return %[[N]], %[[B]]
func.func @single_and_chunk(%x: tensor<10xf32>) -> (tensor<4xf32>, tensor<6xf32>) {
  %p:3 = fxgraph.chunk %x chunks 3 dim 0 : (tensor<10xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<2xf32>)
  %a = fxgraph.cat %p#0 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  %n = fxgraph.neg %a : tensor<4xf32>
  %b = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %n, %b : tensor<4xf32>, tensor<6xf32>
}
