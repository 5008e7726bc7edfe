// RUN: fx-opt %s --fxgraph-normalize | FileCheck %s --check-prefixes=CHECK,RESHAPE
// RUN: fx-opt %s --fxgraph-normalize="flatten-to-reshape=false" | FileCheck %s --check-prefixes=CHECK,FLATTEN

// CHECK-LABEL: func @flatten
// RESHAPE: fxgraph.reshape {{.*}} shape [6]
// FLATTEN: fxgraph.flatten {{.*}} dims 0 to 1
func.func @flatten(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %a = fxgraph.flatten %x dims 0 to -1 : (tensor<2x3xf32>) -> tensor<6xf32>
  return %a : tensor<6xf32>
}
