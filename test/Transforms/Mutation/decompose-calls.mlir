// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-auto-functionalized))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-auto-functionalized))' > %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-auto-functionalized))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-reinplace,fxgraph-mutation-decompose-auto-functionalized))' | FileCheck %s --check-prefix=REINPLACED

// Only what is in only_clone is copied; results of the call come first.
// CHECK-LABEL: func.func @some
// CHECK: %[[COPY:.+]] = fxgraph.clone %arg1
// CHECK-NOT: fxgraph.clone
// CHECK: %[[R:.+]]:3 = fxgraph.opaque "mylib.both.default"(%{{.*}}, %[[COPY]], %arg2) args {args = ["%0", "%1", "%2"], strides = ["any", unit, unit], writes = array<i64: 0, 1>}
// CHECK: return %[[R]]#0, %[[R]]#2
func.func @some(%x: tensor<3xf32>, %y: tensor<3xf32>, %n: index) -> (tensor<f32>, tensor<3xf32>) {
  %0 = fxgraph.relu %x : tensor<3xf32>
  %1:3 = fxgraph.auto_functionalized "mylib.both.default" (%0, %y, %n) mutated [0, 1] only_clone [1] args {args = ["%0", "%1", "%2"], strides = ["any", unit, unit]} : (tensor<3xf32>, tensor<3xf32>, index) -> (tensor<f32>, tensor<3xf32>, tensor<3xf32>)
  return %1#0, %1#2 : tensor<f32>, tensor<3xf32>
}

// What reinplace found decides: the first operand is dead afterwards, the second is read again.
// REINPLACED-LABEL: func.func @found
// REINPLACED: %[[DEAD:.+]] = fxgraph.relu
// REINPLACED: %[[READ:.+]] = fxgraph.neg
// REINPLACED: %[[COPY:.+]] = fxgraph.clone %[[READ]]
// REINPLACED: fxgraph.opaque "mylib.both.default"(%[[DEAD]], %[[COPY]])
func.func @found(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = fxgraph.relu %x : tensor<3xf32>
  %1 = fxgraph.neg %x : tensor<3xf32>
  %2:2 = fxgraph.auto_functionalized "mylib.both.default" (%0, %1) mutated [0, 1] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %3 = fxgraph.exp %1 : tensor<3xf32>
  return %2#0, %2#1, %3 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// One tensor twice: a copy each. In the body of a branch too.
// CHECK-LABEL: func.func @twice
// CHECK: then {
// CHECK-COUNT-2: fxgraph.clone
// CHECK: fxgraph.opaque "mylib.both.default"
// CHECK: } else {
func.func @twice(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1:2 = fxgraph.auto_functionalized "mylib.both.default" (%a, %a) mutated [0, 1] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
    fxgraph.yield %1#1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// The launch of a Triton kernel is another pass's.
// CHECK-LABEL: func.func @launch
// CHECK: fxgraph.auto_functionalized "higher_order.triton_kernel_wrapper_mutation"
func.func @launch(%x: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.auto_functionalized "higher_order.triton_kernel_wrapper_mutation" (%x, %out) mutated [1] args {args = [], kwargs = {kernel_idx = 0 : i64, kwargs = {x_ptr = "%0", out_ptr = "%1"}}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
