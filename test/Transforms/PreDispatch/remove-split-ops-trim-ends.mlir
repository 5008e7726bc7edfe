// RUN: fx-opt %s --fxgraph-predispatch-remove-split-ops=trim-ends=true -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --fxgraph-predispatch-remove-split-ops=trim-ends=true -o %t.twice
// RUN: diff %t.once %t.twice

// A piece in the middle stays where it is, used or not.
// CHECK-LABEL: func @split
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %{{.+}} dim 0 from 1 to 7
// CHECK-NEXT: fxgraph.split_with_sizes %[[S]] sizes [1, 3, 2] dim 0
func.func @split(%x: tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<2x4xf32>) {
  %p:5 = fxgraph.split_with_sizes %x sizes [1, 1, 3, 2, 1] dim -2 : (tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<3x4xf32>, tensor<2x4xf32>, tensor<1x4xf32>)
  %n = fxgraph.neg %p#1 : tensor<1x4xf32>
  %m = fxgraph.neg %p#3 : tensor<2x4xf32>
  return %n, %m : tensor<1x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @unbind
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %{{.+}} dim 1 from 0 to 2
// CHECK-NEXT: fxgraph.unbind %[[S]] dim 1
func.func @unbind(%x: tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %p:4 = fxgraph.unbind %x dim 1 : (tensor<8x4xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
  %n = fxgraph.neg %p#0 : tensor<8xf32>
  %m = fxgraph.neg %p#1 : tensor<8xf32>
  return %n, %m : tensor<8xf32>, tensor<8xf32>
}

// What is left is rejoined as a whole.
// CHECK-LABEL: func @rejoined
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %{{.+}} dim 0 from 1 to 4
// CHECK-NEXT: fxgraph.neg %[[S]]
func.func @rejoined(%x: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %p:4 = fxgraph.split_with_sizes %x sizes [1, 1, 2, 4] dim 0 : (tensor<8x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>)
  %c = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<1x4xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  %n = fxgraph.neg %c : tensor<3x4xf32>
  return %n : tensor<3x4xf32>
}
