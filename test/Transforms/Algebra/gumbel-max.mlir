// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-algebra-gumbel-max))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-algebra-gumbel-max,fxgraph-algebra-gumbel-max))' | FileCheck %s

!l = tensor<?x3x8xf32, #fxgraph.meta<dims = [s0]>>
!i = tensor<?x3x1xi64, #fxgraph.meta<dims = [s0]>>

// Positive dimensions, a symbol, a draw between the softmax and the quotient.
// CHECK-LABEL: func.func @symbol
// CHECK-NOT: fxgraph.softmax
// CHECK: fxgraph.rand
// CHECK: %[[E:.+]] = fxgraph.exponential
// CHECK: fxgraph.log %[[E]]
// CHECK: fxgraph.sub %arg0,
// CHECK: fxgraph.argmax {{.*}} dim 2 keepdim true
func.func @symbol(%l: !l, %n: index) -> (!i, tensor<3xf32>) {
  %p = fxgraph.softmax %l dim 2 : (!l) -> !l
  %r = fxgraph.rand : tensor<3xf32>
  %e = fxgraph.exponential sizes %n : !l
  %q = fxgraph.div %p, %e : (!l, !l) -> !l
  %i = fxgraph.argmax %q dim 2 keepdim true : (!l) -> !i
  return %i, %r : !i, tensor<3xf32>
}
