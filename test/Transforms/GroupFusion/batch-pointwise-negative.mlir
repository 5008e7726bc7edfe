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
