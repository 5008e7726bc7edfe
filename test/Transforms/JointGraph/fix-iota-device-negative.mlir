// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-fix-iota-device))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.arange {{.*}}cuda:0

func.func @other_user(%x: tensor<8xf32, #fxgraph.meta<device = "cuda:0">>) -> (tensor<4xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64>) {
  // expected-remark@below {{a user does not index a tensor of another device}}
  %0 = fxgraph.arange from 0.0 : tensor<4xi64>
  %1 = fxgraph.opaque "aten.index.Tensor" (%x, %0) : (tensor<8xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
  return %1, %0 : tensor<4xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64>
}

// -----

func.func @two_devices(%x: tensor<8xf32, #fxgraph.meta<device = "cuda:0">>, %y: tensor<8xf32, #fxgraph.meta<device = "cuda:1">>) -> (tensor<4xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-remark@below {{the users are not known to be on one device}}
  %0 = fxgraph.arange from 0.0 : tensor<4xi64>
  %1 = fxgraph.opaque "aten.index.Tensor" (%x, %0) : (tensor<8xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
  %2 = fxgraph.opaque "aten.index.Tensor" (%y, %0) : (tensor<8xf32, #fxgraph.meta<device = "cuda:1">>, tensor<4xi64>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
  return %1, %2 : tensor<4xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
}

// -----

// What is indexed, not what indexes.
func.func @indexed_itself(%i: tensor<4xi64, #fxgraph.meta<device = "cuda:0">>) -> tensor<4xi64, #fxgraph.meta<device = "cuda:0">> {
  // expected-remark@below {{a user does not index a tensor of another device}}
  %0 = fxgraph.arange from 0.0 : tensor<4xi64>
  %1 = fxgraph.opaque "aten.index.Tensor" (%0, %i) : (tensor<4xi64>, tensor<4xi64, #fxgraph.meta<device = "cuda:0">>) -> tensor<4xi64, #fxgraph.meta<device = "cuda:0">>
  return %1 : tensor<4xi64, #fxgraph.meta<device = "cuda:0">>
}

// -----

func.func @not_on_the_cpu(%x: tensor<8xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:0">> {
  // expected-remark@below {{the indices are not on the CPU}}
  %0 = fxgraph.arange from 0.0 : tensor<4xi64, #fxgraph.meta<device = "cuda:1">>
  %1 = fxgraph.opaque "aten.index.Tensor" (%x, %0) : (tensor<8xf32, #fxgraph.meta<device = "cuda:0">>, tensor<4xi64, #fxgraph.meta<device = "cuda:1">>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
  return %1 : tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
}

// -----

func.func @own_device(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = fxgraph.arange from 0.0 : tensor<4xi64>
  %1 = fxgraph.index %x[%0] dims [0] : (tensor<8xf32>, tensor<4xi64>) -> tensor<4xf32>
  // expected-remark@-2 {{a user does not index a tensor of another device}}
  return %1 : tensor<4xf32>
}
