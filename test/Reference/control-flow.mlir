// Ops with regions on the interpreter: branches, loops, slices; and what goes wrong.

// RUN: fx-run %s --entry=branch --inputs=seed:1 --print | FileCheck %s --check-prefix=BRANCH
// BRANCH: out0: tensor<2xf32> [1, 1]
// BRANCH: out1: tensor<2xf32> [2, 2]
func.func @branch() -> (tensor<2xf32>, tensor<2xf32>) {
  %yes = fxgraph.constant dense<true> : tensor<i1>
  %no = fxgraph.constant dense<false> : tensor<i1>
  %ones = fxgraph.full 1.0 : tensor<2xf32>
  %0 = fxgraph.cond %yes (%ones) then {
  ^bb0(%x: tensor<2xf32>):
    fxgraph.yield %x : tensor<2xf32>
  } else {
  ^bb0(%x: tensor<2xf32>):
    %2 = fxgraph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    fxgraph.yield %2 : tensor<2xf32>
  } : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  %1 = fxgraph.cond %no (%ones) then {
  ^bb0(%x: tensor<2xf32>):
    fxgraph.yield %x : tensor<2xf32>
  } else {
  ^bb0(%x: tensor<2xf32>):
    %2 = fxgraph.add %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    fxgraph.yield %2 : tensor<2xf32>
  } : (tensor<i1>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// The branch that is not taken may fail.
// RUN: fx-run %s --entry=untaken --inputs=seed:1 --print | FileCheck %s --check-prefix=UNTAKEN
// UNTAKEN: out0: tensor<i64> 7
func.func @untaken() -> tensor<i64> {
  %no = fxgraph.constant dense<false> : tensor<i1>
  %seven = fxgraph.constant dense<7> : tensor<i64>
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %0 = fxgraph.cond %no (%seven, %zero) then {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    %1 = fxgraph.div %a, %b rounding_mode "trunc" : (tensor<i64>, tensor<i64>) -> tensor<i64>
    fxgraph.yield %1 : tensor<i64>
  } else {
  ^bb0(%a: tensor<i64>, %b: tensor<i64>):
    fxgraph.yield %a : tensor<i64>
  } : (tensor<i1>, tensor<i64>, tensor<i64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// A loop in a loop: 3 * (1 + 2 + 3); one whose condition never holds gives what it was given.
// RUN: fx-run %s --entry=nested --inputs=seed:1 --print | FileCheck %s --check-prefix=NESTED
// NESTED: out0: tensor<i64> 18
// NESTED: out1: tensor<i64> 5
func.func @nested() -> (tensor<i64>, tensor<i64>) {
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %three = fxgraph.constant dense<3> : tensor<i64>
  %five = fxgraph.constant dense<5> : tensor<i64>
  %0:2 = fxgraph.while_loop (%zero, %zero) additional (%three) cond {
  ^bb0(%i: tensor<i64>, %sum: tensor<i64>, %n: tensor<i64>):
    %1 = fxgraph.lt %i, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %sum: tensor<i64>, %n: tensor<i64>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %next = fxgraph.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2:2 = fxgraph.while_loop (%n, %sum) additional (%next) cond {
    ^bb0(%j: tensor<i64>, %s: tensor<i64>, %k: tensor<i64>):
      %zero_ = fxgraph.constant dense<0> : tensor<i64>
      %3 = fxgraph.gt %j, %zero_ : (tensor<i64>, tensor<i64>) -> tensor<i1>
      fxgraph.yield %3 : tensor<i1>
    } do {
    ^bb0(%j: tensor<i64>, %s: tensor<i64>, %k: tensor<i64>):
      %minus = fxgraph.constant dense<-1> : tensor<i64>
      %4 = fxgraph.add %j, %minus : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %5 = fxgraph.add %s, %k : (tensor<i64>, tensor<i64>) -> tensor<i64>
      fxgraph.yield %4, %5 : tensor<i64>, tensor<i64>
    } : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
    fxgraph.yield %next, %2#1 : tensor<i64>, tensor<i64>
  } : (tensor<i64>, tensor<i64>, tensor<i64>) -> (tensor<i64>, tensor<i64>)
  %6 = fxgraph.while_loop (%five) cond {
  ^bb0(%i: tensor<i64>):
    %no = fxgraph.constant dense<false> : tensor<i1>
    fxgraph.yield %no : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    fxgraph.yield %one : tensor<i64>
  } : (tensor<i64>) -> tensor<i64>
  return %0#1, %6 : tensor<i64>, tensor<i64>
}

// RUN: fx-run %s --entry=slices --inputs=seed:1 --print | FileCheck %s --check-prefix=SLICES
// SLICES: out0: tensor<3x2xi64> {{\[}}[0, 1], [4, 9], [16, 25]]
// SLICES: out1: tensor<2xi64> [6, 9]
// SLICES: out2: tensor<3x2xi64> {{\[}}[0, 0], [0, 1], [2, 4]]
func.func @slices() -> (tensor<3x2xi64>, tensor<2xi64>, tensor<3x2xi64>) {
  %xs = fxgraph.constant dense<[[0, 1], [2, 3], [4, 5]]> : tensor<3x2xi64>
  %init = fxgraph.constant dense<0> : tensor<2xi64>
  %0 = fxgraph.map (%xs, %xs) {
  ^bb0(%x: tensor<2xi64>, %y: tensor<2xi64>):
    %1 = fxgraph.mul %x, %y : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    fxgraph.yield %1 : tensor<2xi64>
  } : (tensor<3x2xi64>, tensor<3x2xi64>) -> tensor<3x2xi64>
  %2:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<2xi64>, %x: tensor<2xi64>):
    %3 = fxgraph.add %c, %x : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
    fxgraph.yield %3, %c : tensor<2xi64>, tensor<2xi64>
  } : (tensor<2xi64>, tensor<3x2xi64>) -> (tensor<2xi64>, tensor<3x2xi64>)
  return %0, %2#0, %2#1 : tensor<3x2xi64>, tensor<2xi64>, tensor<3x2xi64>
}

// No step: the results have no slices, and the carried value is the first.
// RUN: fx-run %s --entry=nothing --inputs=seed:1 --dim=s0=2,n=0 --print | FileCheck %s --check-prefix=NOTHING
// NOTHING: out0: tensor<2xf32>
// NOTHING: out1: tensor<0x2xf32> []
#S = #fxgraph.meta<dims = [n, s0]>
#V = #fxgraph.meta<dims = [s0]>
func.func @nothing(%init: tensor<?xf32, #V>, %xs: tensor<?x?xf32, #S>) -> (tensor<?xf32, #V>, tensor<?x?xf32, #S>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<?xf32, #V>, %x: tensor<?xf32, #V>):
    %1 = fxgraph.add %c, %x : (tensor<?xf32, #V>, tensor<?xf32, #V>) -> tensor<?xf32, #V>
    fxgraph.yield %1, %1 : tensor<?xf32, #V>, tensor<?xf32, #V>
  } : (tensor<?xf32, #V>, tensor<?x?xf32, #S>) -> (tensor<?xf32, #V>, tensor<?x?xf32, #S>)
  return %0#0, %0#1 : tensor<?xf32, #V>, tensor<?x?xf32, #S>
}

// Extents that the types leave open.
// RUN: not fx-run %s --entry=grows --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=GROWS
// GROWS: 'fxgraph.while_loop' op expected the body to keep the shape [2] of carried value 0 but got [4]
func.func @grows() -> tensor<?xf32> {
  %ones = fxgraph.full 1.0 : tensor<2xf32>
  %0 = fxgraph.while_loop (%ones) cond {
  ^bb0(%x: tensor<?xf32>):
    %yes = fxgraph.constant dense<true> : tensor<i1>
    fxgraph.yield %yes : tensor<i1>
  } do {
  ^bb0(%x: tensor<?xf32>):
    %1 = fxgraph.cat %x, %x dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>
    fxgraph.yield %1 : tensor<?xf32>
  } : (tensor<2xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// RUN: not fx-run %s --entry=call --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=CALL
// CALL: 'fxgraph.auto_functionalized' op cannot be run: the dialect does not model 'mylib.fill.default'
func.func @call(%out: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out) mutated [0] args {args = ["%0"]} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
