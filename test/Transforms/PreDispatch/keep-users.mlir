// With keep-users, pieces and views stay for those who use them as well.
// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-concat=keep-users=true | FileCheck %s

// CHECK-LABEL: func @piece_and_view
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK: %[[P:.+]]:2 = fxgraph.split %[[X]]
// CHECK: %[[V:.+]] = fxgraph.reshape %[[P]]#1 shape [12]
// CHECK: %[[R:.+]] = fxgraph.reshape %[[X]] shape [24]
// CHECK: fxgraph.relu %[[R]]
// CHECK: fxgraph.neg %[[P]]#0
// CHECK: fxgraph.neg %[[V]]
func.func @piece_and_view(%x: tensor<6x4xf32>) -> (tensor<24xf32>, tensor<3x4xf32>, tensor<12xf32>) {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<12xf32>) -> tensor<24xf32>
  %r = fxgraph.relu %c : tensor<24xf32>
  %n = fxgraph.neg %p#0 : tensor<3x4xf32>
  %m = fxgraph.neg %1 : tensor<12xf32>
  return %r, %n, %m : tensor<24xf32>, tensor<3x4xf32>, tensor<12xf32>
}
