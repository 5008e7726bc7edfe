// A sample of each op that a GPU has not, with the reason; docs/Status.md (utils/gen-status.py) has them from here.
// RUN: not fx-opt %s --split-input-file --fxgraph-to-gpu 2>&1 | FileCheck %s
// CHECK-NOT: gpu.func

// Each says why.
// CHECK: note: fxgraph.rand {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.randn {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.exponential {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.bernoulli {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.randint {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.randperm {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.inductor_seed {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.inductor_seeds {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.inductor_random {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.inductor_randint {{.*}}it draws from PyTorch
// CHECK: note: fxgraph.cond {{.*}}a launch plan has no branches and loops
// CHECK: note: fxgraph.while_loop {{.*}}a launch plan has no branches and loops
// CHECK: note: fxgraph.map {{.*}}a launch plan has no branches and loops
// CHECK: note: fxgraph.scan {{.*}}a launch plan has no branches and loops
// CHECK: note: fxgraph.opaque is the unknown PyTorch op
// CHECK: note: fxgraph.auto_functionalized is the unknown PyTorch op 'mylib.fill.default'
// CHECK: note: fxgraph.all_reduce {{.*}}it takes a group of processes
// CHECK: note: fxgraph.all_reduce_coalesced {{.*}}it takes a group of processes
// CHECK: note: fxgraph.narrow has a value that is no tensor
// CHECK: note: fxgraph.sym_size has a dynamic extent
// CHECK: note: fxgraph.assert_scalar has a value that is no tensor

func.func @rand() -> tensor<4xf32> {
  %0 = fxgraph.rand : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @randn() -> tensor<4xf32> {
  %0 = fxgraph.randn : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @exponential() -> tensor<4xf32> {
  %0 = fxgraph.exponential : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @bernoulli() -> tensor<4xi1> {
  %0 = fxgraph.bernoulli p 0.5 : tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func @randint() -> tensor<4xi64> {
  %0 = fxgraph.randint to 9 : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @randperm() -> tensor<4xi64> {
  %0 = fxgraph.randperm : tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @inductor_seed() -> tensor<i64> {
  %0 = fxgraph.inductor_seed : tensor<i64>
  return %0 : tensor<i64>
}

// -----

func.func @inductor_seeds() -> tensor<3xi64> {
  %0 = fxgraph.inductor_seeds : tensor<3xi64>
  return %0 : tensor<3xi64>
}

// -----

func.func @inductor_random(%s: tensor<i64>) -> tensor<4xf32> {
  %0 = fxgraph.inductor_random "rand" seed %s : tensor<i64>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @inductor_randint(%s: tensor<i64>) -> tensor<4xi64> {
  %0 = fxgraph.inductor_randint from 0 to 3 seed %s : tensor<i64>, tensor<4xi64>
  return %0 : tensor<4xi64>
}

// -----

func.func @cond(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.relu %a : tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @while_loop(%x: tensor<i1>, %y: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %0:2 = fxgraph.while_loop (%x, %y) cond {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    fxgraph.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    fxgraph.yield %b, %a : tensor<i1>, tensor<i1>
  } : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  return %0#0, %0#1 : tensor<i1>, tensor<i1>
}

// -----

func.func @map(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.map (%x) {
  ^bb0(%row: tensor<f32>):
    %1 = fxgraph.neg %row : tensor<f32>
    fxgraph.yield %1 : tensor<f32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @scan(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.add %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<5x3xf32>
}

// -----

func.func @opaque(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.opaque "a.b.c"(%x) args {args = ["%0"]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @auto_functionalized(%out: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %x) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all_reduce_coalesced(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = fxgraph.all_reduce_coalesced (%x, %y) op "avg" group "0" : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}

// -----

func.func @narrow(%x: tensor<2x6xf32>, %i: index, %n: index) -> tensor<2x?xf32> {
  %0 = fxgraph.narrow %x dim -1 from %i length %n : tensor<2x6xf32> -> tensor<2x?xf32>
  return %0 : tensor<2x?xf32>
}

// -----

func.func @sym_size(%x: tensor<2x?xf32>) -> tensor<?xf32> {
  %0 = fxgraph.sym_size %x dim 1 : tensor<2x?xf32>
  %1 = fxgraph.full 1.0 sizes %0 : tensor<?xf32>
  return %1 : tensor<?xf32>
}

// -----

func.func @assert_scalar(%x: tensor<2xf32>, %even: i1) -> tensor<2xf32> {
  fxgraph.assert_scalar %even, "expected an even x.shape[0]"
  %0 = fxgraph.neg %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
