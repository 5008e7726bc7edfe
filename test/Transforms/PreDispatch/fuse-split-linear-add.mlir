// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-split-linear-add -o %t.twice
// RUN: diff %t.once %t.twice

// A tree in another order; all biases; any rank. What is added outside stays.
// CHECK-LABEL: func @tree
// CHECK: %[[S:.+]] = fxgraph.add %[[B0:.+]], %[[B1:.+]] : (tensor<6xf32>
// CHECK: %[[T:.+]] = fxgraph.add %[[S]], %{{.+}} : (tensor<6xf32>
// CHECK: %[[C:.+]] = fxgraph.cat %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} dim 1 : (tensor<6x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>, tensor<6x2xf32>) -> tensor<6x8xf32>
// CHECK: %[[L:.+]] = fxgraph.linear %{{.+}}, %[[C]], %[[T]] : (tensor<3x4x8xf32>
// CHECK-NEXT: fxgraph.add %[[L]], %{{.+}} : (tensor<3x4x6xf32>
// CHECK-NOT: fxgraph.linear
func.func @tree(%x: tensor<3x4x8xf32>, %w: tensor<6x2xf32>, %v: tensor<6x2xf32>, %b0: tensor<6xf32>, %b1: tensor<6xf32>, %b3: tensor<6xf32>, %r: tensor<3x4x6xf32>) -> tensor<3x4x6xf32> {
  %p:4 = fxgraph.chunk %x chunks 4 dim -1 : (tensor<3x4x8xf32>) -> (tensor<3x4x2xf32>, tensor<3x4x2xf32>, tensor<3x4x2xf32>, tensor<3x4x2xf32>)
  %0 = fxgraph.linear %p#0, %w, %b0 : (tensor<3x4x2xf32>, tensor<6x2xf32>, tensor<6xf32>) -> tensor<3x4x6xf32>
  %1 = fxgraph.linear %p#1, %v, %b1 : (tensor<3x4x2xf32>, tensor<6x2xf32>, tensor<6xf32>) -> tensor<3x4x6xf32>
  %2 = fxgraph.linear %p#2, %w : (tensor<3x4x2xf32>, tensor<6x2xf32>) -> tensor<3x4x6xf32>
  %3 = fxgraph.linear %p#3, %w, %b3 : (tensor<3x4x2xf32>, tensor<6x2xf32>, tensor<6xf32>) -> tensor<3x4x6xf32>
  %4 = fxgraph.add %2, %0 : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %5 = fxgraph.add %1, %3 : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %6 = fxgraph.add %5, %4 : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %7 = fxgraph.add %6, %r : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  return %7 : tensor<3x4x6xf32>
}

// Integers wrap in any order.
// CHECK-LABEL: func @integers
// CHECK: fxgraph.cat
// CHECK-NEXT: fxgraph.linear
// CHECK-NEXT: return
func.func @integers(%x: tensor<4x8xi32>, %v: tensor<6x3xi32>, %w: tensor<6x5xi32>) -> tensor<4x6xi32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [3, 5] dim 1 : (tensor<4x8xi32>) -> (tensor<4x3xi32>, tensor<4x5xi32>)
  %0 = fxgraph.linear %p#0, %v : (tensor<4x3xi32>, tensor<6x3xi32>) -> tensor<4x6xi32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x5xi32>, tensor<6x5xi32>) -> tensor<4x6xi32>
  %2 = fxgraph.add %1, %0 : (tensor<4x6xi32>, tensor<4x6xi32>) -> tensor<4x6xi32>
  return %2 : tensor<4x6xi32>
}

// A piece without extent, and rows that are not known.
// CHECK-LABEL: func @empty_piece
// CHECK: fxgraph.linear %{{.+}} : (tensor<?x5xf32>, tensor<6x5xf32>) -> tensor<?x6xf32>
// CHECK-NEXT: return
func.func @empty_piece(%x: tensor<?x5xf32>, %v: tensor<6x0xf32>, %w: tensor<6x5xf32>) -> tensor<?x6xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [0, 5] dim 1 : (tensor<?x5xf32>) -> (tensor<?x0xf32>, tensor<?x5xf32>)
  %0 = fxgraph.linear %p#0, %v : (tensor<?x0xf32>, tensor<6x0xf32>) -> tensor<?x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<?x5xf32>, tensor<6x5xf32>) -> tensor<?x6xf32>
  %2 = fxgraph.add %1, %0 : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x6xf32>
  return %2 : tensor<?x6xf32>
}
