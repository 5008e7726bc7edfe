// RUN: fx-opt %s --fxgraph-predispatch-remove-split-ops -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-remove-split-ops -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @no_piece_used
// CHECK-NOT: fxgraph.split
func.func @no_piece_used(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %q:2 = fxgraph.split %p#1 size 2 dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %n = fxgraph.neg %x : tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}

// CHECK-LABEL: func @one_section
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: fxgraph.neg %[[X]]
func.func @one_section(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %p = fxgraph.split %x size 9 dim 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = fxgraph.neg %p : tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}

// Another user of a piece keeps that one.
// CHECK-LABEL: func @rejoined
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %[[X]] dim 0 from 4 to 8
// CHECK-NEXT: fxgraph.neg %[[X]]
// CHECK-NEXT: fxgraph.neg %[[S]]
func.func @rejoined(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<4x4xf32>) {
  %p:2 = fxgraph.split %x size 4 dim -2 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  %n = fxgraph.neg %c : tensor<8x4xf32>
  %m = fxgraph.neg %p#1 : tensor<4x4xf32>
  return %n, %m : tensor<8x4xf32>, tensor<4x4xf32>
}

// The cat was fresh storage.
// CHECK-LABEL: func @rejoined_and_returned
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @rejoined_and_returned(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// CHECK-LABEL: func @one_row
// CHECK-NEXT: fxgraph.select %{{.+}} dim 1 at 2 : (tensor<8x4xf32>) -> tensor<8xf32>
func.func @one_row(%x: tensor<8x4xf32>) -> tensor<8xf32> {
  %p:4 = fxgraph.unbind %x dim -1 : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %n = fxgraph.neg %p#2 : tensor<8xf32>
  return %n : tensor<8xf32>
}

// A piece of a piece.
// CHECK-LABEL: func @nested
// CHECK-NEXT: %[[A:.+]] = fxgraph.slice %{{.+}} dim 0 from 4 to 8
// CHECK-NEXT: %[[B:.+]] = fxgraph.slice %[[A]] dim 1 from 0 to 1 : (tensor<4x?xf32>) -> tensor<4x1xf32>
func.func @nested(%x: tensor<8x?xf32>) -> tensor<4x1xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x?xf32>) -> (tensor<4x?xf32>, tensor<4x?xf32>)
  %q:2 = fxgraph.split_with_sizes %p#1 sizes [1, 3] dim 1 : (tensor<4x?xf32>) -> (tensor<4x1xf32>, tensor<4x3xf32>)
  %n = fxgraph.neg %q#0 : tensor<4x1xf32>
  return %n : tensor<4x1xf32>
}

// The clone that keeps the result apart sets the split of one section free.
// CHECK-LABEL: func @kept_until_cloned
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @kept_until_cloned(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = fxgraph.split_with_sizes %x sizes [2] dim 1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1:2 = fxgraph.split_with_sizes %0 sizes [1, 1] dim 1 : (tensor<4x2xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  %2 = fxgraph.cat %1#0, %1#1 dim -1 : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
