// RUN: fx-opt %s --fxgraph-postgrad-view-to-reshape | FileCheck %s

// CHECK-LABEL: func.func @flat
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %arg0 shape [-1]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @flat(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %v = fxgraph.view %x shape [-1] : tensor<2x3xf32> -> tensor<6xf32>
  %r = fxgraph.relu %v : tensor<6xf32>
  return %r : tensor<6xf32>
}
