// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-scan-to-while-loop))' | FileCheck %s

// CHECK-LABEL: func.func @running_sum
// CHECK: %[[YS:.+]] = fxgraph.full 0.000000e+00 : tensor<5x3xf32>
// CHECK: %[[W:.+]]:3 = fxgraph.while_loop(%{{.*}}, %arg0, %[[YS]]) additional(%arg1) cond {
// CHECK: fxgraph.lt
// CHECK: } do {
// CHECK: ^bb0(%[[I:.+]]: tensor<i64>, %[[C:.+]]: tensor<3xf32>, %[[B:.+]]: tensor<5x3xf32>, %[[XS:.+]]: tensor<5x3xf32>):
// CHECK: %[[X:.+]] = fxgraph.index %[[XS]][%[[I]]] dims [0]
// CHECK: %[[N:.+]] = fxgraph.add %[[C]], %[[X]]
// CHECK: %[[J:.+]] = fxgraph.add %[[I]],
// CHECK: %[[P:.+]] = fxgraph.index_put %[[B]][%[[I]]] dims [0], %[[N]]
// CHECK: fxgraph.yield %[[J]], %[[N]], %[[P]]
// CHECK: return %[[W]]#1, %[[W]]#2
func.func @running_sum(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.add %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<5x3xf32>
}
