// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.cat

func.func @reductions(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a0s = fxgraph.all_reduce %a op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %b0s = fxgraph.all_reduce %b op "min" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @groups(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a0s = fxgraph.all_reduce %a op "sum" group "tp" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %b0s = fxgraph.all_reduce %b op "sum" group "dp" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @depends(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %a op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.neg %1 : tensor<4xf32>
  // expected-remark@below {{it depends on a collective of the bucket}}
  %3 = fxgraph.all_reduce %2 op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %4 = fxgraph.wait_tensor %3 : (tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// -----

// A start that nobody waits for is no member.
func.func @without_a_wait(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.all_reduce %a op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0s = fxgraph.all_reduce %b op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %b0 : tensor<4xf32>, tensor<4xf32>
}
