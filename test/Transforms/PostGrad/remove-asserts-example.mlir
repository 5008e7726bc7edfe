// RUN: fx-opt %s --fxgraph-postgrad-remove-asserts | FileCheck %s

// CHECK-LABEL: func.func @asserted
// CHECK-NEXT: fxgraph.relu %arg0
// CHECK-NEXT: return
func.func @asserted(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  fxgraph.assert_tensor_metadata %x is f32 : tensor<2x3xf32>
  fxgraph.assert_tensor_metadata %x is tensor<2x3xf32> : tensor<2x3xf32>
  %r = fxgraph.relu %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
