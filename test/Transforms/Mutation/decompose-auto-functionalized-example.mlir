// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-auto-functionalized))' | FileCheck %s

// CHECK-LABEL: func.func @fill
// CHECK-NEXT: %[[COPY:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: %[[NEW:.+]] = fxgraph.opaque "mylib.fill.default"(%[[COPY]], %arg1) args {args = ["%0", "%1"], writes = array<i64: 0>}
// CHECK-NEXT: return %[[NEW]]
func.func @fill(%out: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %x) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
