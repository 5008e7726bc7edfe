// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-scan-to-while-loop,fxgraph-mutation-decompose-map-to-while-loop))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-scan-to-while-loop,fxgraph-mutation-decompose-map-to-while-loop))' | diff %t.once -

// The values, also of no step at all.
// RUN: fx-run %s --entry=dynamic --inputs=seed:1 --dim=n=4,s0=3 -o %t.npz
// RUN: fx-run %t.once --entry=dynamic --inputs=seed:1 --dim=n=4,s0=3 --compare=%t.npz
// RUN: fx-run %s --entry=dynamic --inputs=seed:1 --dim=n=0,s0=3 -o %t.npz
// RUN: fx-run %t.once --entry=dynamic --inputs=seed:1 --dim=n=0,s0=3 --compare=%t.npz

// Loops in loops; integers and bools.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: fxgraph.{{map|scan}}
// CHECK-COUNT-2: fxgraph.while_loop
func.func @nested(%xs: tensor<2x3xi64>, %init: tensor<i64>) -> (tensor<2xi64>, tensor<2x3xi1>) {
  %0:2 = fxgraph.map (%xs) additional (%init) {
  ^bb0(%x: tensor<3xi64>, %c: tensor<i64>):
    %1:2 = fxgraph.scan (%c) over (%x) {
    ^bb0(%a: tensor<i64>, %e: tensor<i64>):
      %2 = fxgraph.add %a, %e : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %3 = fxgraph.lt %2, %a : (tensor<i64>, tensor<i64>) -> tensor<i1>
      fxgraph.yield %2, %3 : tensor<i64>, tensor<i1>
    } : (tensor<i64>, tensor<3xi64>) -> (tensor<i64>, tensor<3xi1>)
    fxgraph.yield %1#0, %1#1 : tensor<i64>, tensor<3xi1>
  } : (tensor<2x3xi64>, tensor<i64>) -> (tensor<2xi64>, tensor<2x3xi1>)
  return %0#0, %0#1 : tensor<2xi64>, tensor<2x3xi1>
}

// The number of steps, and extents that an operand has.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[N:.+]] = fxgraph.sym_size %arg1 dim 0
// CHECK: %[[S:.+]] = fxgraph.sym_size %arg0 dim 0
// CHECK: fxgraph.full 0.000000e+00 sizes %[[N]], %[[S]]
// CHECK: fxgraph.while_loop
!v = tensor<?xf32, #fxgraph.meta<dims = [s0]>>
!m = tensor<?x?xf32, #fxgraph.meta<dims = [n, s0]>>
func.func @dynamic(%init: !v, %xs: !m) -> (!v, !m) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: !v, %x: !v):
    %1 = fxgraph.add %c, %x : (!v, !v) -> !v
    fxgraph.yield %1, %1 : !v, !v
  } : (!v, !m) -> (!v, !m)
  return %0#0, %0#1 : !v, !m
}

// Nothing but carried values; slices that come back as they are.
// CHECK-LABEL: func.func @no_stack
// CHECK: fxgraph.while_loop(%{{.*}}, %arg0) additional(%arg1)
func.func @no_stack(%init: tensor<f32>, %xs: tensor<4xf32>) -> tensor<f32> {
  %0 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<f32>, %x: tensor<f32>):
    fxgraph.yield %x : tensor<f32>
  } : (tensor<f32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
