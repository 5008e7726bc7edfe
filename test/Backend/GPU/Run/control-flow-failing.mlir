// RUN: not fx-run %s --entry=taken --inputs=seed:3 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not fx-opt %s --fxgraph-to-gpu=entry=draws 2>&1 | FileCheck %s --check-prefix=DRAWS
// RUN: not fx-opt %s --fxgraph-to-gpu=entry=inside 2>&1 | FileCheck %s --check-prefix=INSIDE
// RUN: not fx-opt %s --fxgraph-to-gpu=entry=numbers 2>&1 | FileCheck %s --check-prefix=NUMBERS

// Steps are counted as they stand, those of branches too.
// TAKEN: step 2 (kernel 'k{{[0-9]+}}_index_select{{.*}}'{{.*}}): an index is out of range
func.func @taken(%x: tensor<4xf32>) -> tensor<2xf32> {
  %zero = fxgraph.constant dense<0.0> : tensor<f32>
  %square = fxgraph.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %sum = fxgraph.sum %square : (tensor<4xf32>) -> tensor<f32>
  %yes = fxgraph.ge %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %far = fxgraph.constant dense<[0, 9]> : tensor<2xi64>
  %0 = fxgraph.cond %yes (%x, %far) then {
  ^bb0(%a: tensor<4xf32>, %i: tensor<2xi64>):
    %1 = fxgraph.index_select %a, %i dim 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %i: tensor<2xi64>):
    %1 = fxgraph.slice %a dim 0 from 0 to 2 : (tensor<4xf32>) -> tensor<2xf32>
    fxgraph.yield %1 : tensor<2xf32>
  } : (tensor<i1>, tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// DRAWS: note: fxgraph.cond has no GPU form: its regions write, draw, assert or communicate
func.func @draws(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<4xf32>):
    %1 = fxgraph.rand : tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    fxgraph.yield %a : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// What no kernel computes is refused in a region as elsewhere.
// INSIDE: error: not supported on gpu: 1 op
// INSIDE: note: fxgraph.map has no GPU form: a loop that is not written out
func.func @inside(%p: tensor<i1>, %x: tensor<300xf32>) -> tensor<300xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<300xf32>):
    %1 = fxgraph.map (%a) {
    ^bb0(%e: tensor<f32>):
      %2 = fxgraph.neg %e : tensor<f32>
      fxgraph.yield %2 : tensor<f32>
    } : (tensor<300xf32>) -> tensor<300xf32>
    fxgraph.yield %1 : tensor<300xf32>
  } else {
  ^bb0(%a: tensor<300xf32>):
    fxgraph.yield %a : tensor<300xf32>
  } : (tensor<i1>, tensor<300xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}

// NUMBERS: note: fxgraph.cond has a value that is no tensor
func.func @numbers(%p: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %n = arith.constant 3 : index
  %0 = fxgraph.cond %p (%x, %n) then {
  ^bb0(%a: tensor<4xf32>, %k: index):
    fxgraph.yield %a : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>, %k: index):
    fxgraph.yield %a : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>, index) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
