// A tensor of which a part is written over and the rest ends in a place is read as it was, before and after.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=cpu --compare-target=ref | FileCheck %s
// CHECK-COUNT-6: equal, max abs 0, max rel 0

// By a result that comes behind the one in whose place the tensor was made.
func.func @in_a_result(%y: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %0 = fxgraph.full 0.0 : tensor<3x4xf32>
  %1 = fxgraph.select %0 dim 0 at 2 : (tensor<3x4xf32>) -> tensor<4xf32>
  %2 = fxgraph.add %1, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = fxgraph.select_scatter %0, %2 dim 0 at 2 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %3, %1 : tensor<3x4xf32>, tensor<4xf32>
}

// By an op behind the cat that the tensor ends in.
func.func @in_a_piece(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<8xf32>, tensor<2xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.slice %0 dim 0 from 1 to 3 step 1 : (tensor<4xf32>) -> tensor<2xf32>
  %2 = fxgraph.slice_scatter %0, %y dim 0 from 1 to 3 step 1 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  %3 = fxgraph.cat %2, %x dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %4 = fxgraph.neg %1 : tensor<2xf32>
  return %3, %4 : tensor<8xf32>, tensor<2xf32>
}

// By nobody: it is made where it ends.
func.func @before(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.slice %0 dim 0 from 1 to 3 step 1 : (tensor<4xf32>) -> tensor<2xf32>
  %2 = fxgraph.neg %1 : tensor<2xf32>
  %3 = fxgraph.slice_scatter %0, %2 dim 0 from 1 to 3 step 1 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %3, %2 : tensor<4xf32>, tensor<2xf32>
}
