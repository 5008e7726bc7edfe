// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-tanh{min-fuse-set-size=2},fxgraph-group-batch-aten-sigmoid{min-fuse-set-size=2},fxgraph-group-batch-aten-relu{min-fuse-set-size=2},fxgraph-group-batch-aten-add{min-fuse-set-size=2},fxgraph-group-batch-aten-sub{min-fuse-set-size=2},fxgraph-group-batch-aten-mul{min-fuse-set-size=2},fxgraph-group-batch-aten-div{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: stack

!x = tensor<3xf32>

// Another alpha, another rounding: another op.
func.func @parameters(%a: !x, %b: !x) -> (!x, !x, !x, !x) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.sub %a, %b : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.sub %a, %b alpha 2.0 : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.div %a, %b rounding_mode "trunc" : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %3 = fxgraph.div %a, %b rounding_mode "floor" : (!x, !x) -> !x
  return %0, %1, %2, %3 : !x, !x, !x, !x
}

// -----

!x = tensor<3xf32>
!y = tensor<1xf32>

// What broadcasts, a number among them.
func.func @broadcast(%a: !x, %b: !y) -> (!x, !x, !x, !x) {
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  // expected-remark@below {{expected operands of one type}}
  %0 = fxgraph.add %a, %b : (!x, !y) -> !x
  // expected-remark@below {{expected operands of one type}}
  %1 = fxgraph.add %b, %a : (!y, !x) -> !x
  // expected-remark@below {{expected operands of one type}}
  %2 = fxgraph.mul %a, %two : (!x, tensor<f64>) -> !x
  // expected-remark@below {{expected operands of one type}}
  %3 = fxgraph.mul %a, %two : (!x, tensor<f64>) -> !x
  return %0, %1, %2, %3 : !x, !x, !x, !x
}

// -----

// A number of another type, which a stack of numbers would promote to.
func.func @numbers(%a: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  // expected-remark@below {{expected operands of one type}}
  %0 = fxgraph.mul %a, %two : (tensor<f32>, tensor<f64>) -> tensor<f32>
  // expected-remark@below {{expected operands of one type}}
  %1 = fxgraph.mul %a, %two : (tensor<f32>, tensor<f64>) -> tensor<f32>
  return %0, %1 : tensor<f32>, tensor<f32>
}

// -----

!x = tensor<3xf32>
!h = tensor<3xf16>
!y = tensor<4xf32>

// Inductor compares shapes alone and promotes f16 to f32.
func.func @other_types(%a: !x, %h: !h, %y: !y) -> (!x, !h, !y, !x, !h) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.tanh %a : !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.tanh %h : !h
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.tanh %y : !y
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %3 = fxgraph.mul %a, %a : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %4 = fxgraph.mul %h, %h : (!h, !h) -> !h
  return %0, %1, %2, %3, %4 : !x, !h, !y, !x, !h
}

// -----

!a = tensor<3xf32, #fxgraph.meta<device = "cuda:0">>
!b = tensor<3xf32, #fxgraph.meta<device = "cuda:1">>

func.func @other_device(%a: !a, %b: !b) -> (!a, !b, !a, !b) {
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %0 = fxgraph.sigmoid %a : !a
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.sigmoid %b : !b
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.add %a, %a : (!a, !a) -> !a
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %3 = fxgraph.add %b, %b : (!b, !b) -> !b
  return %0, %1, %2, %3 : !a, !b, !a, !b
}

// -----

!u = tensor<?xf32>
!s = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
!t = tensor<?xf32, #fxgraph.meta<dims = [s1]>>

func.func @not_known(%a: !u, %s: !s, %t: !t) -> (!u, !s, !t) {
  // expected-remark@below {{expected extents that are known to be equal}}
  %0 = fxgraph.relu %a : !u
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %1 = fxgraph.relu %s : !s
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.relu %t : !t
  // expected-remark@below {{expected extents that are known to be equal}}
  %3 = fxgraph.add %a, %a : (!u, !u) -> !u
  return %3, %1, %2 : !u, !s, !t
}

// -----

!x = tensor<3xf32>

// One feeds the other.
func.func @dependent(%a: !x) -> (!x, !x) {
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %0 = fxgraph.tanh %a : !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %1 = fxgraph.tanh %0 : !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %2 = fxgraph.mul %a, %a : (!x, !x) -> !x
  // expected-remark@below {{expected 2 or more independent ones among the 2 alike}}
  %3 = fxgraph.mul %a, %2 : (!x, !x) -> !x
  return %1, %3 : !x, !x
}
