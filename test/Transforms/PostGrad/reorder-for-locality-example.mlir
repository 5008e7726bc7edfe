// RUN: fx-opt %s --fxgraph-postgrad-reorder-for-locality | FileCheck %s

// CHECK-LABEL: func.func @late_use
// CHECK-NEXT: %[[T:.+]] = fxgraph.tanh %arg0
// CHECK-NEXT: %[[S:.+]] = fxgraph.sin %[[T]]
// CHECK-NEXT: %[[E:.+]] = fxgraph.exp %arg0
// CHECK-NEXT: %[[R:.+]] = fxgraph.add %[[S]], %[[E]]
// CHECK-NEXT: return %[[R]]
func.func @late_use(%x: tensor<4xf32>) -> tensor<4xf32> {
  %e = fxgraph.exp %x : tensor<4xf32>
  %t = fxgraph.tanh %x : tensor<4xf32>
  %s = fxgraph.sin %t : tensor<4xf32>
  %r = fxgraph.add %s, %e : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
