// RUN: fx-opt %s --fxgraph-postgrad-randperm-index > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-randperm-index | diff %t.once -

// Rows are added to: what is there is taken, summed and put.
// CHECK-LABEL: func.func @add
// CHECK: %[[P:.+]] = fxgraph.slice
// CHECK-NEXT: %[[X:.+]] = fxgraph.unsafe_index %arg0[%[[P]]] dims [0]
// CHECK-NEXT: %[[S:.+]] = fxgraph.add %[[X]], %arg1
// CHECK-NEXT: %[[R:.+]] = fxgraph.unsafe_index_put %arg0[%[[P]]] dims [0], %[[S]]
// CHECK-NEXT: return %[[R]], %[[P]]
func.func @add(%x: tensor<6x4xf32>, %y: tensor<3x4xf32>) -> (tensor<6x4xf32>, tensor<3xi64>) {
  %p = fxgraph.randperm : tensor<6xi64>
  %i = fxgraph.slice %p dim 0 from 1 to 6 step 2 : (tensor<6xi64>) -> tensor<3xi64>
  %r = fxgraph.index_put %x[%i] dims [0], %y accumulate true : (tensor<6x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  return %r, %i : tensor<6x4xf32>, tensor<3xi64>
}

// Another dimension, all of the permutation, values that broadcast; a symbol.
// CHECK-LABEL: func.func @others
// CHECK-NOT: {{fxgraph.index(_put)? }}
// CHECK: return
func.func @others(%x: tensor<2x5xi64>, %v: tensor<i64>, %s: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %n: index) -> (tensor<2x5xi64>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  %p = fxgraph.randperm : tensor<5xi64>
  %r = fxgraph.index_put %x[%p] dims [1], %v accumulate true : (tensor<2x5xi64>, tensor<5xi64>, tensor<i64>) -> tensor<2x5xi64>
  %q = fxgraph.randperm sizes %n : tensor<?xi64, #fxgraph.meta<dims = [s0]>>
  %t = fxgraph.index %s[%q] dims [0] : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  return %r, %t : tensor<2x5xi64>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>
}
