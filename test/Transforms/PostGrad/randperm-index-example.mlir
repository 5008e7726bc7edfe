// RUN: fx-opt %s --fxgraph-postgrad-randperm-index | FileCheck %s

// CHECK-LABEL: func.func @some_rows
// CHECK: %[[P:.+]] = fxgraph.slice
// CHECK-NEXT: fxgraph.unsafe_index %arg0[%[[P]]] dims [0]
func.func @some_rows(%x: tensor<8x4xf32>) -> tensor<3x4xf32> {
  %p = fxgraph.randperm : tensor<8xi64>
  %i = fxgraph.slice %p dim 0 from 0 to 3 : (tensor<8xi64>) -> tensor<3xi64>
  %r = fxgraph.index %x[%i] dims [0] : (tensor<8x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}
