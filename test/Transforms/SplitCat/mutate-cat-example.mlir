// RUN: fx-opt %s --fxgraph-splitcat-mutate-cat | FileCheck %s

// The last two pieces, of which one is needed alone too.
func.func @some(%x: tensor<7x2xf32>) -> (tensor<5x2xf32>, tensor<1x2xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7x2xf32>) -> (tensor<2x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>)
  %c = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %a = fxgraph.relu %c : tensor<5x2xf32>
  %b = fxgraph.relu %p#1 : tensor<1x2xf32>
  return %a, %b : tensor<5x2xf32>, tensor<1x2xf32>
}

// CHECK-LABEL: func @some
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7x2xf32>
// CHECK-NEXT: %[[P:.*]]:3 = fxgraph.split_with_sizes %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 2 to 7
// CHECK-NEXT: fxgraph.relu %[[S]]
// CHECK-NEXT: fxgraph.relu %[[P]]#1
