// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-triton-kernel-wrapper))' | FileCheck %s

// CHECK-LABEL: func.func @launch
// CHECK-NEXT: %[[COPY:.+]] = fxgraph.clone %arg1
// CHECK-NEXT: %[[NEW:.+]] = fxgraph.opaque "higher_order.triton_kernel_wrapper_mutation"(%arg0, %[[COPY]]) args {args = [], kwargs = {{{.*}}}, writes = array<i64: 1>}
// CHECK-NEXT: return %[[NEW]]
func.func @launch(%x: tensor<8xf32>, %out: tensor<8xf32>) -> tensor<8xf32> {
  %0 = fxgraph.auto_functionalized "higher_order.triton_kernel_wrapper_mutation" (%x, %out) mutated [1] args {args = [], kwargs = {kernel_idx = 0 : i64, constant_args_idx = 0 : i64, grid = [[1, 1, 1]], kwargs = {x_ptr = "%0", out_ptr = "%1"}}} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
