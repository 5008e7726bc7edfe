// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fix-iota-device))' | FileCheck %s

// CHECK-LABEL: func.func @pick
// CHECK-NEXT: %[[I:.+]] = fxgraph.arange from 0.000000e+00 : tensor<4xi64, #fxgraph.meta<device = "cuda:0">>
// CHECK-NEXT: fxgraph.opaque "aten.index.Tensor"(%arg0, %[[I]])
func.func @pick(%x: tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">> {
  %0 = fxgraph.arange from 0.0 : tensor<4xi64>
  %1 = fxgraph.opaque "aten.index.Tensor" (%x, %0) args {args = ["%0", ["%1"]]} : (tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64>) -> tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>
  return %1 : tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>
}
