// Two ops that are no group, of each kind of pointwise op.
// RUN: sed -e 's/"op"/"fxgraph.tanh"/' -e 's/ATTRIBUTES//' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.relu"/' -e 's/ATTRIBUTES//' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-relu{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.sigmoid"/' -e 's/ATTRIBUTES//' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-sigmoid{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.detach"/' -e 's/ATTRIBUTES//' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-detach{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.nan_to_num"/' -e 's/ATTRIBUTES/<{nan = 0.5 : f64}>/' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-nan-to-num{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.clamp"/' -e 's/ATTRIBUTES/<{min = -1.0 : f64}>/' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-clamp{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack
// RUN: sed -e 's/"op"/"fxgraph.dropout"/' -e 's/ATTRIBUTES/<{p = 0.25 : f64, training = false}>/' %s | fx-opt --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-dropout{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --implicit-check-not=fxgraph.stack

// CHECK-LABEL: func.func @other_dtype
func.func @other_dtype(%a: tensor<3xf32>, %b: tensor<3xf16>) -> (tensor<3xf32>, tensor<3xf16>) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = "op"(%a) ATTRIBUTES : (tensor<3xf32>) -> tensor<3xf32>
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = "op"(%b) ATTRIBUTES : (tensor<3xf16>) -> tensor<3xf16>
  return %0, %1 : tensor<3xf32>, tensor<3xf16>
}

// -----

// CHECK-LABEL: func.func @other_shape
func.func @other_shape(%a: tensor<3x1xf32>, %b: tensor<1x3xf32>) -> (tensor<3x1xf32>, tensor<1x3xf32>) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = "op"(%a) ATTRIBUTES : (tensor<3x1xf32>) -> tensor<3x1xf32>
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = "op"(%b) ATTRIBUTES : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<3x1xf32>, tensor<1x3xf32>
}

// -----

!a = tensor<3xf32, #fxgraph.meta<device = "cuda:0">>
!b = tensor<3xf32, #fxgraph.meta<device = "cuda:1">>

// CHECK-LABEL: func.func @other_device
func.func @other_device(%a: !a, %b: !b) -> (!a, !b) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = "op"(%a) ATTRIBUTES : (!a) -> !a
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = "op"(%b) ATTRIBUTES : (!b) -> !b
  return %0, %1 : !a, !b
}

// -----

!s = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
!t = tensor<?xf32, #fxgraph.meta<dims = [s1]>>

// CHECK-LABEL: func.func @other_symbol
func.func @other_symbol(%a: !s, %b: !t) -> (!s, !t) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = "op"(%a) ATTRIBUTES : (!s) -> !s
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = "op"(%b) ATTRIBUTES : (!t) -> !t
  return %0, %1 : !s, !t
}

// -----

// Two unknown extents of one type may differ when run.
// CHECK-LABEL: func.func @unknown_extent
func.func @unknown_extent(%a: tensor<?xf32>, %b: tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = "op"(%a) ATTRIBUTES : (tensor<?xf32>) -> tensor<?xf32>
  // expected-remark@below {{expected extents that are known to be equal}}
  %1 = "op"(%b) ATTRIBUTES : (tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}

// -----

// One needs the other, through an op between.
// CHECK-LABEL: func.func @dependent
func.func @dependent(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = "op"(%a) ATTRIBUTES : (tensor<3xf32>) -> tensor<3xf32>
  %n = fxgraph.neg %0 : tensor<3xf32>
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = "op"(%n) ATTRIBUTES : (tensor<3xf32>) -> tensor<3xf32>
  %r = fxgraph.neg %1 : tensor<3xf32>
  return %r : tensor<3xf32>
}
