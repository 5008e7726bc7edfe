// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-algebra-gumbel-max))' | FileCheck %s

// CHECK-LABEL: func.func @sample
// CHECK-SAME: (%[[L:.+]]: tensor<4x8xf32>)
// CHECK-NEXT: %[[E:.+]] = fxgraph.exponential : tensor<4x8xf32>
// CHECK-NEXT: %[[G:.+]] = fxgraph.log %[[E]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.sub %[[L]], %[[G]]
// CHECK-NEXT: %[[I:.+]] = fxgraph.argmax %[[S]] dim -1 keepdim true
// CHECK-NEXT: return %[[I]]
func.func @sample(%l: tensor<4x8xf32>) -> tensor<4x1xi64> {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i : tensor<4x1xi64>
}
