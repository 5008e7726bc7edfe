// RUN: fx-opt %s --fxgraph-splitcat-sink-cat-after-pointwise | FileCheck %s

// tanh moves to where its operands are computed.
func.func @sink(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> tensor<8xf32> {
  %c = fxgraph.cat %x, %y dim 1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %v = fxgraph.view %c shape [8] : tensor<2x4xf32> -> tensor<8xf32>
  %t = fxgraph.tanh %v : tensor<8xf32>
  return %t : tensor<8xf32>
}

// CHECK-LABEL: func @sink
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[Y:[a-z0-9]+]]: tensor<2x1xf32>
// CHECK-NEXT: %[[A:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.tanh %[[Y]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[B]] dim 1
// CHECK-NEXT: %[[V:.*]] = fxgraph.view %[[C]] shape [8]
// CHECK-NEXT: return %[[V]]
