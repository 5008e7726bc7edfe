// On request, every relu of floats gives 0 for NaN; infinity stays.
// RUN: fx-opt %s --fxgraph-predispatch-relu-nan-to-num=mode=stabilize | FileCheck %s
// RUN: not fx-opt %s --fxgraph-predispatch-relu-nan-to-num=mode=hide 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: expected mode to be merge or stabilize but got hide

// CHECK-LABEL: func @relu_alone
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} posinf 0x7FF0000000000000 : tensor<4xf32>
func.func @relu_alone(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What loses nothing comes first.
// CHECK-LABEL: func @merged
// CHECK-NEXT: fxgraph.relu_nan_to_num %{{[a-z0-9]+}} : tensor<4xf32>
// CHECK-NEXT: return
func.func @merged(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.nan_to_num %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func @integers
// CHECK-NEXT: fxgraph.relu %
func.func @integers(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = fxgraph.relu %x : tensor<4xi32>
  return %0 : tensor<4xi32>
}
