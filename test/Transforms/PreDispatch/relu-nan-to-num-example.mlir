// RUN: fx-opt %s --fxgraph-predispatch-relu-nan-to-num | FileCheck %s

// CHECK-LABEL: func @clean
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x8xf32>
// CHECK-NEXT: %[[R:.+]] = fxgraph.relu_nan_to_num %[[X]] posinf 1.000000e+03 : tensor<4x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @clean(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  %1 = fxgraph.nan_to_num %0 posinf 1000.0 : tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
