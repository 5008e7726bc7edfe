// RUN: fx-opt %s --fxgraph-splitcat-move-reshape-out-of-split-stack="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-move-reshape-out-of-split-stack="threshold-to-cat=2" | diff %t.once -

// The leading extents stay together: one reshape is all.
// CHECK-LABEL: func @view
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x6xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [2, 2, 3, 2, 1]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @view(%x: tensor<4x6xf32>) -> tensor<2x2x3x2x1xf32> {
  %p:3 = fxgraph.split %x size 2 dim 1 : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %a = fxgraph.reshape %p#0 shape [2, 2, 2, 1] : tensor<4x2xf32> -> tensor<2x2x2x1xf32>
  %b = fxgraph.reshape %p#1 shape [2, 2, 2, 1] : tensor<4x2xf32> -> tensor<2x2x2x1xf32>
  %c = fxgraph.reshape %p#2 shape [2, 2, 2, 1] : tensor<4x2xf32> -> tensor<2x2x2x1xf32>
  %s = fxgraph.stack %a, %b, %c dim -3 : (tensor<2x2x2x1xf32>, tensor<2x2x2x1xf32>, tensor<2x2x2x1xf32>) -> tensor<2x2x3x2x1xf32>
  %r = fxgraph.relu %s : tensor<2x2x3x2x1xf32>
  return %r : tensor<2x2x3x2x1xf32>
}

// Split along the first dimension, stacked along another: the pieces are moved.
// CHECK-LABEL: func @no_leading
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %{{.*}} shape [2, 4, 3] : tensor<4x6xf32> -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[R]] dims [1, 0, 2]
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @no_leading(%x: tensor<4x6xf32>) -> tensor<4x2x3xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>)
  %a = fxgraph.reshape %p#0 shape [4, 3] : tensor<2x6xf32> -> tensor<4x3xf32>
  %b = fxgraph.reshape %p#1 shape [4, 3] : tensor<2x6xf32> -> tensor<4x3xf32>
  %s = fxgraph.stack %a, %b dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x2x3xf32>
  %r = fxgraph.relu %s : tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// The leading extents mix with the others. Inductor has this wrong.
// CHECK-LABEL: func @mixed
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<12x10xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [12, 5, 2]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[R]] dims [1, 0, 2]
// CHECK-NEXT: %[[T:.*]] = fxgraph.reshape %[[P]] shape [5, 8, 3]
// CHECK-NEXT: fxgraph.relu %[[T]]
func.func @mixed(%x: tensor<12x10xf32>) -> tensor<5x8x3xf32> {
  %p:5 = fxgraph.split %x size 2 dim 1 : (tensor<12x10xf32>) -> (tensor<12x2xf32>, tensor<12x2xf32>, tensor<12x2xf32>, tensor<12x2xf32>, tensor<12x2xf32>)
  %a = fxgraph.reshape %p#0 shape [8, 3] : tensor<12x2xf32> -> tensor<8x3xf32>
  %b = fxgraph.reshape %p#1 shape [8, 3] : tensor<12x2xf32> -> tensor<8x3xf32>
  %c = fxgraph.reshape %p#2 shape [8, 3] : tensor<12x2xf32> -> tensor<8x3xf32>
  %d = fxgraph.reshape %p#3 shape [8, 3] : tensor<12x2xf32> -> tensor<8x3xf32>
  %e = fxgraph.reshape %p#4 shape [8, 3] : tensor<12x2xf32> -> tensor<8x3xf32>
  %s = fxgraph.stack %a, %b, %c, %d, %e dim 0 : (tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<5x8x3xf32>
  %r = fxgraph.relu %s : tensor<5x8x3xf32>
  return %r : tensor<5x8x3xf32>
}

// Other spellings of reshape, pieces of an unbind, a run; the reshape with another
// user stays.
// CHECK-LABEL: func @spellings
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x2x2xf32>
// CHECK-NEXT: %[[U:.*]]:3 = fxgraph.unbind %[[X]]
// CHECK-NEXT: %[[F:.*]] = fxgraph.flatten %[[U]]#2
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 3
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[S]] shape [2, 4]
// CHECK-NEXT: %[[N:.*]] = fxgraph.neg %[[F]]
// CHECK-NEXT: fxgraph.add %[[R]], %[[N]]
func.func @spellings(%x: tensor<3x2x2xf32>) -> tensor<2x4xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3x2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %a = fxgraph.view %u#1 shape [4] : tensor<2x2xf32> -> tensor<4xf32>
  %b = fxgraph.flatten %u#2 dims 0 to 1 : (tensor<2x2xf32>) -> tensor<4xf32>
  %s = fxgraph.stack %a, %b dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %n = fxgraph.neg %b : tensor<4xf32>
  %r = fxgraph.add %s, %n : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// What is returned is no view of the argument.
// CHECK-LABEL: func @returned
// CHECK: %[[R:.*]] = fxgraph.reshape %{{.*}} shape [2, 6]
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[R]]
// CHECK-NEXT: return %[[C]]
func.func @returned(%x: tensor<4x3xf32>) -> tensor<2x6xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %a = fxgraph.reshape %p#0 shape [6] : tensor<2x3xf32> -> tensor<6xf32>
  %b = fxgraph.reshape %p#1 shape [6] : tensor<2x3xf32> -> tensor<6xf32>
  %s = fxgraph.stack %a, %b dim 0 : (tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return %s : tensor<2x6xf32>
}
