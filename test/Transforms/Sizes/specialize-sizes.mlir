// RUN: fx-opt %s --split-input-file --fxgraph-specialize-sizes=sizes=n=6 | FileCheck %s
// RUN: fx-opt %s --split-input-file --fxgraph-specialize-sizes=sizes=n=6 --fxgraph-specialize-sizes=sizes= | FileCheck %s

// An argument that shares the symbol; one that does not stays as it is.
// CHECK-LABEL: func @arguments
// CHECK-SAME: (%{{.*}}: tensor<6xf32>, %{{.*}}: tensor<2x6x?xf32, #fxgraph.meta<dims = [m]>>) -> tensor<2x6x?xf32, #fxgraph.meta<dims = [m]>>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %{{.*}} : tensor<2x6x?xf32, #fxgraph.meta<dims = [m]>>
// CHECK-NEXT: return %[[R]]
func.func @arguments(%a: tensor<?xf32, #fxgraph.meta<dims = [n]>>, %b: tensor<2x?x?xf32, #fxgraph.meta<dims = [n, m]>>)
    -> tensor<2x?x?xf32, #fxgraph.meta<dims = [n, m]>> {
  %r = fxgraph.relu %b : tensor<2x?x?xf32, #fxgraph.meta<dims = [n, m]>>
  return %r : tensor<2x?x?xf32, #fxgraph.meta<dims = [n, m]>>
}

// -----

// What a size gives a symbol (e) has it everywhere.
// CHECK-LABEL: func @computed
// CHECK-SAME: -> (tensor<3x12xf32>, tensor<12xf32>)
// CHECK-NEXT: %[[F:.*]] = fxgraph.full 1.000000e+00 : tensor<12xf32>
// CHECK-NEXT: fxgraph.expand %[[F]] shape [3, 12] : tensor<12xf32> -> tensor<3x12xf32>
// CHECK-NEXT: fxgraph.opaque "mystery.op"(%[[F]]){{.*}} -> tensor<12xf32>
func.func @computed(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>)
    -> (tensor<3x?xf32, #fxgraph.meta<dims = [e]>>, tensor<?xf32, #fxgraph.meta<dims = [e]>>) {
  %c2 = arith.constant 2 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %e = arith.muli %n, %c2 : index
  %f = fxgraph.full 1.0 sizes %e : tensor<?xf32, #fxgraph.meta<dims = [e]>>
  %g = fxgraph.expand %f shape [3, %e] : tensor<?xf32, #fxgraph.meta<dims = [e]>> -> tensor<3x?xf32, #fxgraph.meta<dims = [e]>>
  %o = fxgraph.opaque "mystery.op"(%f) : (tensor<?xf32, #fxgraph.meta<dims = [e]>>) -> tensor<?xf32, #fxgraph.meta<dims = [e]>>
  return %g, %o : tensor<3x?xf32, #fxgraph.meta<dims = [e]>>, tensor<?xf32, #fxgraph.meta<dims = [e]>>
}

// -----

// Some sizes are known, one is not.
// CHECK-LABEL: func @some
// CHECK: %[[M:.*]] = fxgraph.sym_size
// CHECK-NEXT: fxgraph.full 1.000000e+00 sizes %[[M]] : tensor<6x?xf32>
// CHECK-NEXT: fxgraph.reshape %{{.*}} shape [%[[M]], 6]
func.func @some(%x: tensor<?x?xf32, #fxgraph.meta<dims = [n, m]>>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %n = fxgraph.sym_size %x dim 0 : tensor<?x?xf32, #fxgraph.meta<dims = [n, m]>>
  %m = fxgraph.sym_size %x dim 1 : tensor<?x?xf32, #fxgraph.meta<dims = [n, m]>>
  %f = fxgraph.full 1.0 sizes %n, %m : tensor<?x?xf32>
  %r = fxgraph.reshape %x shape [%m, %n] : tensor<?x?xf32, #fxgraph.meta<dims = [n, m]>> -> tensor<?x?xf32>
  return %f, %r : tensor<?x?xf32>, tensor<?x?xf32>
}

// -----

// Bodies of control flow.
// CHECK-LABEL: func @body
// CHECK: fxgraph.while_loop
// CHECK: fxgraph.relu %{{.*}} : tensor<6xf32>
func.func @body(%i: tensor<i64>, %x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>> {
  %r:2 = fxgraph.while_loop (%i, %x) cond {
  ^bb0(%j: tensor<i64>, %y: tensor<?xf32, #fxgraph.meta<dims = [n]>>):
    %zero = fxgraph.constant dense<0> : tensor<i64>
    %c = fxgraph.gt %j, %zero : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %c : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %y: tensor<?xf32, #fxgraph.meta<dims = [n]>>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %k = fxgraph.sub %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %z = fxgraph.relu %y : tensor<?xf32, #fxgraph.meta<dims = [n]>>
    fxgraph.yield %k, %z : tensor<i64>, tensor<?xf32, #fxgraph.meta<dims = [n]>>
  } : (tensor<i64>, tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> (tensor<i64>, tensor<?xf32, #fxgraph.meta<dims = [n]>>)
  return %r#1 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
}

// -----

// Regions of other dialects: what they yield is what the op gives.
// CHECK-LABEL: func @branches
// CHECK-SAME: -> tensor<6xf32>
// CHECK: scf.if %{{.*}} -> (tensor<6xf32>)
func.func @branches(%c: i1, %x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %r = scf.if %c -> tensor<?xf32> {
    %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
    %f = fxgraph.full 1.0 sizes %n : tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
    %f = fxgraph.full 2.0 sizes %n : tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
