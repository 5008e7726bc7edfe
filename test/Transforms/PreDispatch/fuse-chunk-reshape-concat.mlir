// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-concat -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-chunk-reshape-concat -o %t.twice
// RUN: diff %t.once %t.twice

// k stays where it is: one reshape.
// CHECK-LABEL: func @nothing_moves
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %[[X]] shape [24]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @nothing_moves(%x: tensor<6x4xf32>) -> tensor<24xf32> {
  %p:2 = fxgraph.split %x size 3 dim -2 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.view %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.view %p#1 shape [-1] : tensor<3x4xf32> -> tensor<12xf32>
  %c = fxgraph.cat %0, %1 dim -1 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  %r = fxgraph.relu %c : tensor<24xf32>
  return %r : tensor<24xf32>
}

// k moves from behind A = 4 to the front: [4, 3, 2] -> [3, 4, 2].
// CHECK-LABEL: func @to_the_front
// CHECK: fxgraph.reshape %{{.+}} shape [4, 3, 2]
// CHECK-NEXT: fxgraph.permute %{{.+}} dims [1, 0, 2]
// CHECK-NEXT: fxgraph.reshape %{{.+}} shape [24]
func.func @to_the_front(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.flatten %p#0 dims 0 to -1 : (tensor<4x2xf32>) -> tensor<8xf32>
  %1 = fxgraph.flatten %p#1 dims 0 to -1 : (tensor<4x2xf32>) -> tensor<8xf32>
  %2 = fxgraph.flatten %p#2 dims 0 to -1 : (tensor<4x2xf32>) -> tensor<8xf32>
  %c = fxgraph.cat %0, %1, %2 dim 0 : (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) -> tensor<24xf32>
  return %c : tensor<24xf32>
}

// CHECK-LABEL: func @stack
// CHECK-NOT: fxgraph.stack
// CHECK: fxgraph.permute
// CHECK-NOT: fxgraph.stack
func.func @stack(%x: tensor<4x6xi64>) -> tensor<8x3xi64> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (tensor<4x6xi64>) -> (tensor<4x2xi64>, tensor<4x2xi64>, tensor<4x2xi64>)
  %0 = fxgraph.reshape %p#0 shape [8] : tensor<4x2xi64> -> tensor<8xi64>
  %1 = fxgraph.reshape %p#1 shape [8] : tensor<4x2xi64> -> tensor<8xi64>
  %2 = fxgraph.reshape %p#2 shape [8] : tensor<4x2xi64> -> tensor<8xi64>
  %c = fxgraph.stack %0, %1, %2 dim -1 : (tensor<8xi64>, tensor<8xi64>, tensor<8xi64>) -> tensor<8x3xi64>
  return %c : tensor<8x3xi64>
}

// The cat was fresh storage: a result may not become the argument.
// CHECK-LABEL: func @returned
// CHECK: %[[R:.+]] = fxgraph.reshape
// CHECK: %[[C:.+]] = fxgraph.clone %[[R]]
// CHECK: return %[[C]]
func.func @returned(%x: tensor<6x4xf32>) -> tensor<24xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  return %c : tensor<24xf32>
}

// A write to the argument between does not matter: values are what was read.
// CHECK-LABEL: func @write_between
// CHECK: fxgraph.copy_
// CHECK-NEXT: fxgraph.reshape
func.func @write_between(%x: tensor<6x4xf32>) -> tensor<24xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %n = fxgraph.neg %x : tensor<6x4xf32>
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  fxgraph.copy_ %n into %x : tensor<6x4xf32>, tensor<6x4xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  %r = fxgraph.relu %c : tensor<24xf32>
  return %r : tensor<24xf32>
}

// CHECK-LABEL: func @empty
// CHECK-NOT: fxgraph.permute
// CHECK: fxgraph.reshape %{{.+}} shape [14, 0]
func.func @empty(%x: tensor<4x6x0xf32>) -> tensor<14x0xf32> {
  %p:2 = fxgraph.split %x size 3 dim 1 : (tensor<4x6x0xf32>) -> (tensor<4x3x0xf32>, tensor<4x3x0xf32>)
  %0 = fxgraph.reshape %p#0 shape [7, 0] : tensor<4x3x0xf32> -> tensor<7x0xf32>
  %1 = fxgraph.reshape %p#1 shape [7, 0] : tensor<4x3x0xf32> -> tensor<7x0xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<7x0xf32>, tensor<7x0xf32>) -> tensor<14x0xf32>
  return %c : tensor<14x0xf32>
}
