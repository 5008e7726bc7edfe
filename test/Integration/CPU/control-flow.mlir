// Control flow compiled for the CPU gives what the interpreter gives.

// DEFINE: %{check} = fx-run %s --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-6
// RUN: %{check} --entry=products
// RUN: %{check} --entry=swapped
// RUN: %{check} --entry=pieces
// RUN: %{check} --entry=updates
// RUN: %{check} --entry=draws
// RUN: %{check} --entry=sorted
// RUN: %{check} --entry=branches
// RUN: %{check} --entry=dynamic --dim=n=4,s0=3
// RUN: %{check} --entry=dynamic --dim=n=0,s0=3
// RUN: %{check} --entry=dynamic --dim=n=1,s0=1
// RUN: %{check} --entry=bools
// RUN: %{check} --entry=written
// RUN: not fx-run %s --entry=out_of_range --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s
// RUN: not fx-run %s --entry=out_of_range --inputs=seed:1 --target=ref 2>&1 | FileCheck %s
// CHECK: error: {{.*}}index

// Products, large enough for threads, with a sum carried along.
func.func @products(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<3x64xf32>) {
  %xs = fxgraph.arange from 0.0 : tensor<3xf32>
  %0:2 = fxgraph.scan (%x) over (%xs) additional (%w) {
  ^bb0(%c: tensor<64x64xf32>, %s: tensor<f32>, %b: tensor<64x64xf32>):
    %1 = fxgraph.mm %c, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = fxgraph.tanh %1 : tensor<64x64xf32>
    %3 = fxgraph.add %2, %s : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
    %4 = fxgraph.sum %3 dims [0] : (tensor<64x64xf32>) -> tensor<64xf32>
    fxgraph.yield %3, %4 : tensor<64x64xf32>, tensor<64xf32>
  } : (tensor<64x64xf32>, tensor<3xf32>, tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<3x64xf32>)
  return %0#0, %0#1 : tensor<64x64xf32>, tensor<3x64xf32>
}

// The next values are the old ones, turned round; one stays.
func.func @swapped(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>, %z: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %i = fxgraph.constant dense<0> : tensor<i64>
  %0:4 = fxgraph.while_loop (%i, %x, %y, %z) cond {
  ^bb0(%j: tensor<i64>, %a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>):
    %n = fxgraph.constant dense<3> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %a: tensor<2x2xf32>, %b: tensor<2x2xf32>, %c: tensor<2x2xf32>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %1 = fxgraph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = fxgraph.transpose %b dims 0, 1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
    fxgraph.yield %1, %2, %a, %c : tensor<i64>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
  } : (tensor<i64>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> (tensor<i64>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  return %0#1, %0#2, %0#3 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

// Joins and cuts inside.
func.func @pieces(%xs: tensor<5x4xf32>) -> tensor<5x6xf32> {
  %0 = fxgraph.map (%xs) {
  ^bb0(%x: tensor<4xf32>):
    %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    %1 = fxgraph.neg %p#0 : tensor<2xf32>
    %2 = fxgraph.cat %p#1, %1, %p#0 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
    %3 = fxgraph.exp %2 : tensor<6xf32>
    %4 = fxgraph.softmax %3 dim 0 : (tensor<6xf32>) -> tensor<6xf32>
    fxgraph.yield %4 : tensor<6xf32>
  } : (tensor<5x4xf32>) -> tensor<5x6xf32>
  return %0 : tensor<5x6xf32>
}

// Loops over elements inside of a loop of the graph.
func.func @updates(%x: tensor<4xf32>, %vs: tensor<6x2xf32>) -> tensor<4xf32> {
  %i = fxgraph.constant dense<[3, -3]> : tensor<2xi64>
  %0 = fxgraph.scan (%x) over (%vs) additional (%i) {
  ^bb0(%c: tensor<4xf32>, %v: tensor<2xf32>, %j: tensor<2xi64>):
    %1 = fxgraph.index_put %c[%j] dims [0], %v accumulate true : (tensor<4xf32>, tensor<2xi64>, tensor<2xf32>) -> tensor<4xf32>
    %2 = fxgraph.cumsum %1 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
    %3 = fxgraph.sub %2, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %3 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<6x2xf32>, tensor<2xi64>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The draws are in one order.
func.func @draws(%xs: tensor<4x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>) {
  %0 = fxgraph.map (%xs) {
  ^bb0(%x: tensor<3xf32>):
    %1 = fxgraph.rand : tensor<3xf32>
    %2 = fxgraph.add %x, %1 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %2 : tensor<3xf32>
  } : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.rand : tensor<3xf32>
  return %0, %3 : tensor<4x3xf32>, tensor<3xf32>
}

// A call of the runtime that may fail.
func.func @sorted(%xs: tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi64>) {
  %0:2 = fxgraph.map (%xs) {
  ^bb0(%x: tensor<9xf32>):
    %1:2 = fxgraph.sort %x dim 0 : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
    fxgraph.yield %1#0, %1#1 : tensor<9xf32>, tensor<9xi64>
  } : (tensor<4x9xf32>) -> (tensor<4x9xf32>, tensor<4x9xi64>)
  return %0#0, %0#1 : tensor<4x9xf32>, tensor<4x9xi64>
}

// A branch in a loop, and what both give is used again.
func.func @branches(%xs: tensor<6x3xf32>, %init: tensor<3xf32>) -> (tensor<3xf32>, tensor<6xi1>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %zero = fxgraph.constant dense<0.0> : tensor<f32>
    %s = fxgraph.sum %x dims [0] : (tensor<3xf32>) -> tensor<f32>
    %p = fxgraph.gt %s, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %1 = fxgraph.cond %p (%c, %x) then {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      %2 = fxgraph.mul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
      fxgraph.yield %2 : tensor<3xf32>
    } else {
    ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
      fxgraph.yield %a : tensor<3xf32>
    } : (tensor<i1>, tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %3 = fxgraph.add %1, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %3, %p : tensor<3xf32>, tensor<i1>
  } : (tensor<3xf32>, tensor<6x3xf32>) -> (tensor<3xf32>, tensor<6xi1>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<6xi1>
}

// Extents that vary: of what is carried, of what is stacked, of what a step needs.
#M = #fxgraph.meta<dims = [n, s0]>
#V = #fxgraph.meta<dims = [s0]>
func.func @dynamic(%init: tensor<?xf32, #V>, %xs: tensor<?x?xf32, #M>) -> (tensor<?xf32, #V>, tensor<?x?xf32, #M>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<?xf32, #V>, %x: tensor<?xf32, #V>):
    %1 = fxgraph.cat %c, %x dim 0 : (tensor<?xf32, #V>, tensor<?xf32, #V>) -> tensor<?xf32>
    %2 = fxgraph.exp %1 : tensor<?xf32>
    %3 = fxgraph.sum %2 dims [0] : (tensor<?xf32>) -> tensor<f32>
    %4 = fxgraph.div %x, %3 : (tensor<?xf32, #V>, tensor<f32>) -> tensor<?xf32, #V>
    fxgraph.yield %4, %c : tensor<?xf32, #V>, tensor<?xf32, #V>
  } : (tensor<?xf32, #V>, tensor<?x?xf32, #M>) -> (tensor<?xf32, #V>, tensor<?x?xf32, #M>)
  return %0#0, %0#1 : tensor<?xf32, #V>, tensor<?x?xf32, #M>
}

// Types that are stored as others.
func.func @bools(%xs: tensor<4x3xi1>, %u: tensor<3xui8>, %h: tensor<3xbf16>) -> (tensor<3xui8>, tensor<3xbf16>, tensor<4x3xi1>) {
  %0:3 = fxgraph.scan (%u, %h) over (%xs) {
  ^bb0(%a: tensor<3xui8>, %b: tensor<3xbf16>, %x: tensor<3xi1>):
    %1 = fxgraph.convert_element_type %x : (tensor<3xi1>) -> tensor<3xui8>
    %2 = fxgraph.add %a, %1 : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
    %3 = fxgraph.add %b, %b : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
    %4 = fxgraph.logical_not %x : (tensor<3xi1>) -> tensor<3xi1>
    fxgraph.yield %2, %3, %4 : tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>
  } : (tensor<3xui8>, tensor<3xbf16>, tensor<4x3xi1>) -> (tensor<3xui8>, tensor<3xbf16>, tensor<4x3xi1>)
  return %0#0, %0#1, %0#2 : tensor<3xui8>, tensor<3xbf16>, tensor<4x3xi1>
}

// An argument is written with what a loop gives.
func.func @written(%x: tensor<3xf32>, %xs: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.scan (%x) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %y: tensor<3xf32>):
    %1 = fxgraph.sub %c, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } : (tensor<3xf32>, tensor<4x3xf32>) -> tensor<3xf32>
  fxgraph.copy_ %0 into %x : tensor<3xf32>, tensor<3xf32>
  %2 = fxgraph.neg %x : tensor<3xf32>
  return %2 : tensor<3xf32>
}

func.func @out_of_range(%x: tensor<3xf32>) -> tensor<5xf32> {
  %is = fxgraph.arange from 0.0 : tensor<5xi64>
  %0 = fxgraph.map (%is) additional (%x) {
  ^bb0(%i: tensor<i64>, %y: tensor<3xf32>):
    %1 = fxgraph.index %y[%i] dims [0] : (tensor<3xf32>, tensor<i64>) -> tensor<f32>
    fxgraph.yield %1 : tensor<f32>
  } : (tensor<5xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
