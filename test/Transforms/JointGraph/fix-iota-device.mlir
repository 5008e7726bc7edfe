// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fix-iota-device))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fix-iota-device))' | diff %t.once -

// CHECK-LABEL: func.func @put
// CHECK-NEXT: %[[I:.+]] = fxgraph.arange from 1.000000e+00 step 2.000000e+00 : tensor<4xi64, #fxgraph.meta<device = "cuda:0">>
// CHECK-NEXT: fxgraph.opaque "aten.index_put.default"(%arg0, %[[I]], %arg1)
// CHECK-NEXT: fxgraph.opaque "aten.index.Tensor"(%{{.+}}, %[[I]])
func.func @put(%x: tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>, %v: tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">> {
  %0 = fxgraph.arange from 1.0 step 2.0 : tensor<4xi64, #fxgraph.meta<device = "cpu">>
  %1 = fxgraph.opaque "aten.index_put.default" (%x, %0, %v) args {args = ["%0", ["%1"], "%2"]} : (tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64, #fxgraph.meta<device = "cpu">>, tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>
  %2 = fxgraph.opaque "aten.index.Tensor" (%1, %0) args {args = ["%0", ["%1"]]} : (tensor<8x2xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64, #fxgraph.meta<device = "cpu">>) -> tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>
  return %2 : tensor<4x2xf32, #fxgraph.meta<device = "cuda:0">>
}

// CHECK-LABEL: func.func @symbol
// CHECK: fxgraph.arange size %{{.+}} from 0.000000e+00 : tensor<?xi64, #fxgraph.meta<dims = [s0], device = "cuda:0">>
func.func @symbol(%x: tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">>) -> tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">> {
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">>
  %0 = fxgraph.arange size %n from 0.0 : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.opaque "aten.index.Tensor" (%x, %0) args {args = ["%0", ["%1"]]} : (tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">>, tensor<?xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">>
  return %1 : tensor<?xf32, #fxgraph.meta<dims = [s0], device = "cuda:0">>
}
