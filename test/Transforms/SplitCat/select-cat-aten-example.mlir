// RUN: fx-opt %s --fxgraph-splitcat-select-cat-aten | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %arg0 shape [2, 12]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @rows(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %0 = fxgraph.select %x dim 1 at 0 : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.select %x dim 1 at 1 : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %2 = fxgraph.select %x dim 1 at 2 : (tensor<2x3x4xf32>) -> tensor<2x4xf32>
  %c = fxgraph.cat %0, %1, %2 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x12xf32>
  %r = fxgraph.relu %c : tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}
