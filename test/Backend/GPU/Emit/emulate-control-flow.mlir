// Branches and loops whose steps are known when they run.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=1e-4 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option libraries=none --compare-target=ref --rtol=1e-4 --atol=1e-5

// Both ways; a region that gives what it takes, twice, and one that gives a literal.
func.func @branches(%x: tensor<5x3xf32>, %y: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>) {
  %yes = fxgraph.constant dense<true> : tensor<i1>
  %e = fxgraph.exp %x : tensor<5x3xf32>
  %0:2 = fxgraph.cond %yes (%x, %y) then {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<3xf32>):
    %1 = fxgraph.add %a, %b : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
    %2 = fxgraph.softmax %1 dim 1 : (tensor<5x3xf32>) -> tensor<5x3xf32>
    fxgraph.yield %2, %a : tensor<5x3xf32>, tensor<5x3xf32>
  } else {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<3xf32>):
    fxgraph.yield %a, %a : tensor<5x3xf32>, tensor<5x3xf32>
  } : (tensor<i1>, tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>)
  %zero = fxgraph.constant dense<0.0> : tensor<f32>
  %sum = fxgraph.sum %e : (tensor<5x3xf32>) -> tensor<f32>
  %no = fxgraph.lt %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %3:2 = fxgraph.cond %no (%e, %0#0, %y) then {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>, %c: tensor<3xf32>):
    %4 = fxgraph.sub %a, %b : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    fxgraph.yield %4, %c : tensor<5x3xf32>, tensor<3xf32>
  } else {
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<5x3xf32>, %c: tensor<3xf32>):
    %4 = fxgraph.mul %a, %b : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
    %5 = fxgraph.constant dense<[1.0, -2.0, 3.0]> : tensor<3xf32>
    fxgraph.yield %4, %5 : tensor<5x3xf32>, tensor<3xf32>
  } : (tensor<i1>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> (tensor<5x3xf32>, tensor<3xf32>)
  %6 = fxgraph.add %3#0, %0#1 : (tensor<5x3xf32>, tensor<5x3xf32>) -> tensor<5x3xf32>
  return %0#0, %6, %0#1, %3#1 : tensor<5x3xf32>, tensor<5x3xf32>, tensor<5x3xf32>, tensor<3xf32>
}

// Operands that are views, at any byte of memory; a predicate that is an argument.
func.func @views(%p: tensor<i1>, %x: tensor<6x5xf32>) -> (tensor<5xf32>, tensor<5x2xf32>) {
  %row = fxgraph.select %x dim 0 at 3 : (tensor<6x5xf32>) -> tensor<5xf32>
  %columns = fxgraph.slice %x dim 1 from 1 to 4 step 2 : (tensor<6x5xf32>) -> tensor<6x2xf32>
  %0:2 = fxgraph.cond %p (%row, %columns) then {
  ^bb0(%a: tensor<5xf32>, %b: tensor<6x2xf32>):
    %1 = fxgraph.tanh %a : tensor<5xf32>
    %2 = fxgraph.slice %b dim 0 from 1 to 6 : (tensor<6x2xf32>) -> tensor<5x2xf32>
    fxgraph.yield %1, %2 : tensor<5xf32>, tensor<5x2xf32>
  } else {
  ^bb0(%a: tensor<5xf32>, %b: tensor<6x2xf32>):
    %2 = fxgraph.slice %b dim 0 from 0 to 5 : (tensor<6x2xf32>) -> tensor<5x2xf32>
    fxgraph.yield %a, %2 : tensor<5xf32>, tensor<5x2xf32>
  } : (tensor<i1>, tensor<5xf32>, tensor<6x2xf32>) -> (tensor<5xf32>, tensor<5x2xf32>)
  return %0#0, %0#1 : tensor<5xf32>, tensor<5x2xf32>
}

// The next values are the old ones, exchanged; one stays.
func.func @swapped(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>, %z: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<i64>) {
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
  return %0#1, %0#2, %0#3, %0#0 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<i64>
}

// No turn: what is carried is what it was, also where nothing else reads it.
func.func @never(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = fxgraph.while_loop (%x, %x) cond {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %no = fxgraph.constant dense<false> : tensor<i1>
    fxgraph.yield %no : tensor<i1>
  } do {
  ^bb0(%a: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = fxgraph.add %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %a : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

// Products with what follows them, running sums, kernels by themselves; values from outside, a loop in a loop, a branch in it.
func.func @work(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>, %v: tensor<2x70000xf32>, %s: tensor<9xf32>) -> (tensor<32x32xf32>, tensor<2x70000xf32>, tensor<9xf32>, tensor<i64>) {
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %scaled = fxgraph.mul %w, %w : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
  %0:4 = fxgraph.while_loop (%zero, %x, %v, %s) additional (%scaled) cond {
  ^bb0(%i: tensor<i64>, %a: tensor<32x32xf32>, %b: tensor<2x70000xf32>, %c: tensor<9xf32>, %d: tensor<32x32xf32>):
    %two = fxgraph.constant dense<2> : tensor<i64>
    %1 = fxgraph.lt %i, %two : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<32x32xf32>, %b: tensor<2x70000xf32>, %c: tensor<9xf32>, %d: tensor<32x32xf32>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %next = fxgraph.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %1 = fxgraph.mm %a, %d : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %2 = fxgraph.tanh %1 : tensor<32x32xf32>
    %3 = fxgraph.cumsum %b dim 1 : (tensor<2x70000xf32>) -> tensor<2x70000xf32>
    %4 = fxgraph.sigmoid %3 : tensor<2x70000xf32>
    %5:2 = fxgraph.sort %c dim 0 : (tensor<9xf32>) -> (tensor<9xf32>, tensor<9xi64>)
    %6:2 = fxgraph.while_loop (%one, %5#0) additional (%next) cond {
    ^bb0(%j: tensor<i64>, %e: tensor<9xf32>, %n: tensor<i64>):
      %7 = fxgraph.le %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
      fxgraph.yield %7 : tensor<i1>
    } do {
    ^bb0(%j: tensor<i64>, %e: tensor<9xf32>, %n: tensor<i64>):
      %8 = fxgraph.constant dense<1> : tensor<i64>
      %9 = fxgraph.add %j, %8 : (tensor<i64>, tensor<i64>) -> tensor<i64>
      %first = fxgraph.eq %j, %8 : (tensor<i64>, tensor<i64>) -> tensor<i1>
      %10 = fxgraph.cond %first (%e) then {
      ^bb0(%f: tensor<9xf32>):
        %11 = fxgraph.flip %f dims [0] : (tensor<9xf32>) -> tensor<9xf32>
        fxgraph.yield %11 : tensor<9xf32>
      } else {
      ^bb0(%f: tensor<9xf32>):
        %11 = fxgraph.cumsum %f dim 0 : (tensor<9xf32>) -> tensor<9xf32>
        fxgraph.yield %11 : tensor<9xf32>
      } : (tensor<i1>, tensor<9xf32>) -> tensor<9xf32>
      fxgraph.yield %9, %10 : tensor<i64>, tensor<9xf32>
    } : (tensor<i64>, tensor<9xf32>, tensor<i64>) -> (tensor<i64>, tensor<9xf32>)
    fxgraph.yield %next, %2, %4, %6#1 : tensor<i64>, tensor<32x32xf32>, tensor<2x70000xf32>, tensor<9xf32>
  } : (tensor<i64>, tensor<32x32xf32>, tensor<2x70000xf32>, tensor<9xf32>, tensor<32x32xf32>) -> (tensor<i64>, tensor<32x32xf32>, tensor<2x70000xf32>, tensor<9xf32>)
  %relu = fxgraph.relu %0#1 : tensor<32x32xf32>
  return %relu, %0#2, %0#3, %0#0 : tensor<32x32xf32>, tensor<2x70000xf32>, tensor<9xf32>, tensor<i64>
}

// Bools, bytes and halves are carried, and no elements at all.
func.func @types(%u: tensor<3xui8>, %h: tensor<3xbf16>, %b: tensor<3xi1>, %n: tensor<0x4xf32>) -> (tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>, tensor<0x4xf32>) {
  %limit = fxgraph.constant dense<2> : tensor<i64>
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %0:5 = fxgraph.while_loop (%zero, %u, %h, %b, %n) additional (%limit) cond {
  ^bb0(%i: tensor<i64>, %a: tensor<3xui8>, %c: tensor<3xbf16>, %d: tensor<3xi1>, %e: tensor<0x4xf32>, %l: tensor<i64>):
    %1 = fxgraph.lt %i, %l : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%i: tensor<i64>, %a: tensor<3xui8>, %c: tensor<3xbf16>, %d: tensor<3xi1>, %e: tensor<0x4xf32>, %l: tensor<i64>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %1 = fxgraph.add %i, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = fxgraph.add %a, %a : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
    %3 = fxgraph.add %c, %c : (tensor<3xbf16>, tensor<3xbf16>) -> tensor<3xbf16>
    %4 = fxgraph.logical_not %d : (tensor<3xi1>) -> tensor<3xi1>
    %5 = fxgraph.neg %e : tensor<0x4xf32>
    fxgraph.yield %1, %2, %3, %4, %5 : tensor<i64>, tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>, tensor<0x4xf32>
  } : (tensor<i64>, tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>, tensor<0x4xf32>, tensor<i64>) -> (tensor<i64>, tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>, tensor<0x4xf32>)
  return %0#1, %0#2, %0#3, %0#4 : tensor<3xui8>, tensor<3xbf16>, tensor<3xi1>, tensor<0x4xf32>
}

// The branch that is not taken may fail.
func.func @untaken(%x: tensor<4xf32>) -> tensor<2xf32> {
  %no = fxgraph.constant dense<false> : tensor<i1>
  %far = fxgraph.constant dense<[0, 9]> : tensor<2xi64>
  %near = fxgraph.constant dense<[3, 1]> : tensor<2xi64>
  %0 = fxgraph.cond %no (%x, %far, %near) then {
  ^bb0(%a: tensor<4xf32>, %i: tensor<2xi64>, %j: tensor<2xi64>):
    %1 = fxgraph.index_select %a, %i dim 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %i: tensor<2xi64>, %j: tensor<2xi64>):
    %1 = fxgraph.index_select %a, %j dim 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } : (tensor<i1>, tensor<4xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
