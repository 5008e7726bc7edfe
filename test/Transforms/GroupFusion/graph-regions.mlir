// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2}))' | FileCheck %s

!x = tensor<3xf32>

// In the body of a loop as in the graph; ops of two bodies are no set, and a loop that takes a
// member's result is a path from it.
// CHECK-LABEL: func.func @loop
// CHECK: fxgraph.tanh %arg0 : tensor<3xf32>
// CHECK: fxgraph.while_loop
// CHECK: } do {
// CHECK: fxgraph.stack
// CHECK: fxgraph.tanh {{.*}} : tensor<2x3xf32>
// CHECK: fxgraph.unbind
// CHECK: fxgraph.yield
// CHECK: fxgraph.tanh %{{.*}} : tensor<3xf32>
func.func @loop(%a: !x, %b: !x) -> !x {
  %0 = fxgraph.tanh %a : !x
  %1 = fxgraph.while_loop (%0) additional (%b) cond {
  ^bb0(%c: !x, %d: !x):
    %2 = fxgraph.tanh %c : !x
    %3 = fxgraph.sum %2 dims [0] : (!x) -> tensor<f32>
    %4 = fxgraph.constant dense<0.5> : tensor<f32>
    %5 = fxgraph.gt %3, %4 : (tensor<f32>, tensor<f32>) -> tensor<i1>
    fxgraph.yield %5 : tensor<i1>
  } do {
  ^bb0(%c: !x, %d: !x):
    %2 = fxgraph.tanh %c : !x
    %3 = fxgraph.tanh %d : !x
    %4 = fxgraph.mul %2, %3 : (!x, !x) -> !x
    fxgraph.yield %4 : !x
  } : (!x, !x) -> !x
  %6 = fxgraph.tanh %1 : !x
  return %6 : !x
}
