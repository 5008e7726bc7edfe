// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2},fxgraph-group-batch-sigmoid))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: stack

func.func @other_dtype(%a: tensor<3xf32>, %b: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf16>) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.tanh %a : tensor<3xf32>
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.tanh %b : tensor<3xf16>
  return %0, %1 : tensor<3xf32>, tensor<3xf16>
}

// -----

func.func @chain(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.tanh %a : tensor<3xf32>
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.tanh %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

func.func @too_few(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  // expected-remark@below {{expected 5 or more alike but got 4}}
  %0 = fxgraph.sigmoid %a : tensor<3xf32>
  // expected-remark@below {{expected 5 or more alike but got 4}}
  %1 = fxgraph.sigmoid %a : tensor<3xf32>
  // expected-remark@below {{expected 5 or more alike but got 4}}
  %2 = fxgraph.sigmoid %a : tensor<3xf32>
  // expected-remark@below {{expected 5 or more alike but got 4}}
  %3 = fxgraph.sigmoid %a : tensor<3xf32>
  return %0, %1, %2, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// -----

func.func @unknown_extent(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = fxgraph.tanh %a : tensor<?xf32>
  // expected-remark@below {{expected extents that are known to be equal}}
  %1 = fxgraph.tanh %b : tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

!a = tensor<3xf32, #fxgraph.meta<device = "cuda:0">>
!b = tensor<3xf32, #fxgraph.meta<device = "cuda:1">>

func.func @other_device(%a: !a, %b: !b) -> (!a, !b) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.tanh %a : !a
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.tanh %b : !b
  return %0, %1 : !a, !b
}

// -----

!s = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
!t = tensor<?xf32, #fxgraph.meta<dims = [s1]>>

func.func @other_symbol(%a: !s, %b: !t) -> (!s, !t) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.tanh %a : !s
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.tanh %b : !t
  return %0, %1 : !s, !t
}
