// RUN: fx-opt %s --fxgraph-predispatch-fuse-lce -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-lce -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --fxgraph-predispatch-fuse-lce=numerics=reassociate | FileCheck %s
// RUN: fx-opt %s --fxgraph-predispatch-fuse-lce=numerics=exact | FileCheck %s --check-prefix=EXACT
// EXACT-COUNT-5: fxgraph.lce

// What a group replaces is the input of the next.
// CHECK-LABEL: func @chain
// CHECK: fxgraph.matmul
// CHECK: %[[S:.+]]:2 = fxgraph.split_with_sizes
// CHECK: fxgraph.matmul %{{.+}}, %[[S]]#0
// CHECK: fxgraph.split_with_sizes
// CHECK-NOT: fxgraph.{{lce|linear}}
func.func @chain(%x: tensor<2x6x4xf32>, %w: tensor<6x6xf32>) -> (tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>) {
  %0 = fxgraph.lce %x, %w : (tensor<2x6x4xf32>, tensor<6x6xf32>) -> tensor<2x6x4xf32>
  %1 = fxgraph.lce %x, %w : (tensor<2x6x4xf32>, tensor<6x6xf32>) -> tensor<2x6x4xf32>
  %2 = fxgraph.lce %0, %w : (tensor<2x6x4xf32>, tensor<6x6xf32>) -> tensor<2x6x4xf32>
  %p = fxgraph.permute %0 dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %l = fxgraph.linear %p, %w : (tensor<2x4x6xf32>, tensor<6x6xf32>) -> tensor<2x4x6xf32>
  %3 = fxgraph.permute %l dims [0, 2, 1] : (tensor<2x4x6xf32>) -> tensor<2x6x4xf32>
  %4 = fxgraph.neg %1 : tensor<2x6x4xf32>
  %5 = fxgraph.neg %2 : tensor<2x6x4xf32>
  %6 = fxgraph.neg %3 : tensor<2x6x4xf32>
  return %4, %5, %6 : tensor<2x6x4xf32>, tensor<2x6x4xf32>, tensor<2x6x4xf32>
}

// With and without bias are two groups; one weight twice; an unknown batch.
// CHECK-LABEL: func @groups
// CHECK: %[[W:.+]] = fxgraph.cat %[[V:.+]], %[[V]] dim 0
// CHECK-NEXT: %[[P:.+]] = fxgraph.matmul %[[W]], %{{.+}} : (tensor<6x6xf32>, tensor<?x6x4xf32>) -> tensor<?x6x4xf32>
// CHECK-NEXT: %[[S:.+]]:2 = fxgraph.split_with_sizes %[[P]] sizes [3, 3] dim 1
// CHECK: fxgraph.lce
// CHECK-NOT: fxgraph.lce
func.func @groups(%x: tensor<?x6x4xf32>, %v: tensor<3x6xf32>, %b: tensor<3xf32>) -> (tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3x4xf32>) {
  %0 = fxgraph.lce %x, %v : (tensor<?x6x4xf32>, tensor<3x6xf32>) -> tensor<?x3x4xf32>
  %1 = fxgraph.lce %x, %v, %b : (tensor<?x6x4xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<?x3x4xf32>
  %2 = fxgraph.lce %x, %v : (tensor<?x6x4xf32>, tensor<3x6xf32>) -> tensor<?x3x4xf32>
  %3 = fxgraph.neg %0 : tensor<?x3x4xf32>
  %4 = fxgraph.neg %1 : tensor<?x3x4xf32>
  %5 = fxgraph.neg %2 : tensor<?x3x4xf32>
  return %3, %4, %5 : tensor<?x3x4xf32>, tensor<?x3x4xf32>, tensor<?x3x4xf32>
}
