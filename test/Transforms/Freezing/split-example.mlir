// RUN: fx-opt %s --fxgraph-freezing-split | FileCheck %s

// The weights are stacked once; the transpose is a view and stays.
func.func @main(%x: tensor<2x4x8xf32> {fxgraph.kind = "input", fxgraph.name = "x"},
                %a: tensor<8x8xf32> {fxgraph.kind = "parameter", fxgraph.name = "a"},
                %b: tensor<8x8xf32> {fxgraph.kind = "parameter", fxgraph.name = "b"}) -> tensor<2x4x8xf32> {
  %w = fxgraph.stack %a, %b dim 0 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<2x8x8xf32>
  %t = fxgraph.transpose %w dims 1, 2 : (tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  %y = fxgraph.bmm %x, %t : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  return %y : tensor<2x4x8xf32>
}

// CHECK-LABEL: func @main.prepare
// CHECK-SAME: %[[A:[^:]*]]: tensor<8x8xf32> {fxgraph.kind = "parameter", fxgraph.name = "a"}
// CHECK-SAME: %[[B:[^:]*]]: tensor<8x8xf32> {fxgraph.kind = "parameter", fxgraph.name = "b"}
// CHECK-NEXT: %[[W:.*]] = fxgraph.stack %[[A]], %[[B]] dim 0
// CHECK-NEXT: return %[[W]]

// CHECK-LABEL: func @main(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4x8xf32> {fxgraph.kind = "input", fxgraph.name = "x"}
// CHECK-SAME: %[[F:[^:]*]]: tensor<2x8x8xf32> {fxgraph.kind = "constant", fxgraph.name = "frozen0"}
// CHECK-NEXT: %[[T:.*]] = fxgraph.transpose %[[F]]
// CHECK-NEXT: %[[Y:.*]] = fxgraph.bmm %[[X]], %[[T]]
// CHECK-NEXT: return %[[Y]]
