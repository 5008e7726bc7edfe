// RUN: fx-opt %s --fxgraph-splitcat-split-cat-to-slices="threshold-to-cat=3" | FileCheck %s

// All pieces of %x in order, and three pieces of %y: neither split is needed for the cat.
func.func @slices(%a: tensor<2xf32>, %x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<9xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %q:6 = fxgraph.split %y size 1 dim 0 : (tensor<6xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c = fxgraph.cat %a, %p#0, %p#1, %q#2, %q#3, %q#4 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<9xf32>
  return %c : tensor<9xf32>
}

// CHECK-LABEL: func @slices
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[Y]] dim 0 from 2 to 5 :
// CHECK-NEXT: fxgraph.cat %[[A]], %[[X]], %[[S]] dim 0
