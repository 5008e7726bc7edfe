// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter{mode=multi-dtype}))' 2>&1 | FileCheck %s --check-prefix=MODE
// MODE: error: expected mode to be default or fsdp but got multi-dtype

// CHECK-NOT: fxgraph.cat

func.func @reductions(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a0s = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2xf32>) -> tensor<2xf32>
  %b0s = fxgraph.reduce_scatter_tensor %b op "avg" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2xf32>) -> tensor<2xf32>
  return %a0, %b0 : tensor<2xf32>, tensor<2xf32>
}

// -----

func.func @dtypes(%a: tensor<4xf32>, %b: tensor<4xbf16>) -> (tensor<2xf32>, tensor<2xbf16>) {
  %a0s = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2xf32>) -> tensor<2xf32>
  %b0s = fxgraph.reduce_scatter_tensor %b op "sum" group "g" of 2 : (tensor<4xbf16>) -> tensor<2xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2xbf16>) -> tensor<2xbf16>
  return %a0, %b0 : tensor<2xf32>, tensor<2xbf16>
}

// -----

func.func @depends(%a: tensor<4xf32>) -> tensor<1xf32> {
  %0 = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark@below {{it depends on a collective of the bucket}}
  %2 = fxgraph.reduce_scatter_tensor %1 op "sum" group "g" of 2 : (tensor<2xf32>) -> tensor<1xf32>
  %3 = fxgraph.wait_tensor %2 : (tensor<1xf32>) -> tensor<1xf32>
  return %3 : tensor<1xf32>
}

// -----

func.func @dynamic(%a: tensor<?xf32>, %b: tensor<4xf32>) -> (tensor<?xf32>, tensor<2xf32>) {
  // expected-remark@below {{an extent is not known}}
  %0 = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<?xf32>) -> tensor<?xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<?xf32>) -> tensor<?xf32>
  %b0s = fxgraph.reduce_scatter_tensor %b op "sum" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %b0 : tensor<?xf32>, tensor<2xf32>
}
