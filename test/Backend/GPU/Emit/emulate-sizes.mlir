// Extents that vary, numbers as arguments and results, calls: the first call with sizes
// compiles the graph for them.
// RUN: fx-run %s --entry='*' --target=gpu-emulator --compare-target=ref --inputs=seed:1 --dim=n=6 --dim=m=6 --unknown-dim=3 --rtol=1e-6 --atol=1e-6
// RUN: fx-run %s --entry='*' --target=gpu-emulator --compare-target=ref --inputs=seed:2 --dim=n=35 --dim=m=1 --unknown-dim=1 --rtol=1e-6 --atol=1e-6
// RUN: fx-run %s --entry='*' --target=gpu-emulator --compare-target=ref --inputs=seed:2 --dim=n=4 --dim=m=4 --unknown-dim=0 --rtol=1e-6 --atol=1e-6
// RUN: not fx-run %s --entry=sizes --target=gpu-emulator --inputs=seed:1 --dim=n=3 2>&1 | FileCheck %s --check-prefix=CONDITION
// RUN: not fx-run %s --entry=unequal --target=gpu-emulator --inputs=seed:1 --dim=n=3 --dim=m=4 2>&1 | FileCheck %s --check-prefix=EXTENTS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=calls | FileCheck %s --check-prefix=CALLS

// CONDITION: emulate-sizes.mlir:[[#@LINE+5]]:{{.*}}expected x.shape[0] >= 4
func.func @sizes(%x: tensor<?x8xf32, #fxgraph.meta<dims = [n]>>) -> (tensor<?xf32>, index) {
  %c1 = arith.constant 1 : index %c4 = arith.constant 4 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?x8xf32, #fxgraph.meta<dims = [n]>>
  %enough = arith.cmpi sge, %n, %c4 : index
  fxgraph.assert_scalar %enough, "expected x.shape[0] >= 4"
  %m = arith.subi %n, %c1 : index
  %p = fxgraph.narrow %x dim 0 from %c1 length %m : tensor<?x8xf32, #fxgraph.meta<dims = [n]>> -> tensor<?x8xf32>
  %s = fxgraph.sum %p dims [1] : (tensor<?x8xf32>) -> tensor<?xf32>
  %z = fxgraph.full 2.0 sizes %n : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %c = fxgraph.cat %s, %z dim 0 : (tensor<?xf32>, tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32>
  return %c, %m : tensor<?xf32>, index
}

// EXTENTS: emulate-sizes.mlir:[[#@LINE+2]]:{{.*}}expected
func.func @unequal(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [m]>>) -> tensor<?xf32> {
  %r = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [n]>>, tensor<?xf32, #fxgraph.meta<dims = [m]>>) -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// No symbol: each `?` is an extent of its own.
func.func @unknown(%x: tensor<?x3xf32>) -> (tensor<3x?xf32>, tensor<?xf32>) {
  %t = fxgraph.transpose %x dims 0, 1 : (tensor<?x3xf32>) -> tensor<3x?xf32>
  %r = fxgraph.reshape %x shape [-1] : tensor<?x3xf32> -> tensor<?xf32>
  return %t, %r : tensor<3x?xf32>, tensor<?xf32>
}

func.func private @half(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %h = fxgraph.constant dense<0.5> : tensor<f32>
  %0 = fxgraph.mul %x, %h : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}
// CALLS-COUNT-1: gpu.func @
// CALLS-NOT: gpu.func @
// CALLS: func @calls
// CALLS-COUNT-1: gpu.launch_func
// CALLS-NOT: gpu.launch_func
func.func @calls(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = call @half(%x) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.relu %0 : tensor<4x4xf32>
  %2 = call @half(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
