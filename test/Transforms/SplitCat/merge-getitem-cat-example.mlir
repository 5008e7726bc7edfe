// RUN: fx-opt %s --fxgraph-splitcat-merge-getitem-cat | FileCheck %s

// The first two pieces are joined again.
func.func @rejoin(%x: tensor<4x300xf32>) -> (tensor<4x250xf32>, tensor<4x50xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [200, 50, 50] dim 1 : (tensor<4x300xf32>) -> (tensor<4x200xf32>, tensor<4x50xf32>, tensor<4x50xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<4x200xf32>, tensor<4x50xf32>) -> tensor<4x250xf32>
  %a = fxgraph.relu %c : tensor<4x250xf32>
  %b = fxgraph.relu %p#2 : tensor<4x50xf32>
  return %a, %b : tensor<4x250xf32>, tensor<4x50xf32>
}

// CHECK-LABEL: func @rejoin
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split_with_sizes %{{.*}} sizes [250, 50] dim 1
// CHECK-NEXT: fxgraph.relu %[[P]]#0
// CHECK-NEXT: fxgraph.relu %[[P]]#1
