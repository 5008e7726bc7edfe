// RUN: fx-opt %s --fxgraph-splitcat-remove-split-with-size-one | FileCheck %s

// A size that the extent does not exceed.
func.func @whole(%x: tensor<2x32xf32>) -> tensor<2x32xf32> {
  %p = fxgraph.split %x size 64 dim 1 : (tensor<2x32xf32>) -> tensor<2x32xf32>
  %r = fxgraph.relu %p : tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

// CHECK-LABEL: func @whole
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu
// CHECK-NEXT: return %[[R]]
