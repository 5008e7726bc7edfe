// RUN: fx-opt %s --fxgraph-apply-patterns=%S/Inputs/rules.pdll | FileCheck %s

// CHECK-LABEL: func @rules
func.func @rules(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = fxgraph.relu %arg0
  // CHECK-NEXT: return %[[R]]
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  %2 = fxgraph.exp %1 : tensor<4xf32>
  %3 = fxgraph.log %2 : tensor<4xf32>
  return %3 : tensor<4xf32>
}
