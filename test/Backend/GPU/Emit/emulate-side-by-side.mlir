// Kernels that write parts of one large result between each other take turns, so that a sector is whole while it is in a cache.
// RUN: fx-run %s --entry=large --inputs=seed:1 --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=large --inputs=seed:2 --target=gpu-emulator --target-option=chip=sm_80 --target-option=processors=1 --compare-target=ref
// RUN: fx-opt %s --fxgraph-to-gpu="entry=large processors=132" | FileCheck %s --check-prefix=TURNS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=small processors=132" | FileCheck %s --check-prefix=ONE-BY-ONE

// TURNS: gpu.func @k0_and
// TURNS: %[[BLOCK:.*]] = gpu.block_id x
// TURNS: %[[TURN:.*]] = arith.divui %[[BLOCK]]
// TURNS: %[[IN:.*]] = arith.remui %[[BLOCK]]
// TURNS-COUNT-3: arith.muli %[[TURN]]
// TURNS: gpu.thread_id
// TURNS-NOT: arith.cmpi ult, %[[BLOCK]]
func.func @large(%x: tensor<70001x32xf32>, %y: tensor<70001x7xf32>, %z: tensor<25x70001xf32>) -> tensor<70001x64xf32> {
  %0 = fxgraph.permute %z dims [1, 0] : (tensor<25x70001xf32>) -> tensor<70001x25xf32>
  %1 = fxgraph.cat %x, %y, %0 dim 1 : (tensor<70001x32xf32>, tensor<70001x7xf32>, tensor<70001x25xf32>) -> tensor<70001x64xf32>
  return %1 : tensor<70001x64xf32>
}

// ONE-BY-ONE: gpu.func @k0_and
// ONE-BY-ONE: %[[BLOCK:.*]] = gpu.block_id x
// ONE-BY-ONE: arith.cmpi ult, %[[BLOCK]]
func.func @small(%x: tensor<7001x32xf32>, %y: tensor<7001x7xf32>) -> tensor<7001x39xf32> {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<7001x32xf32>, tensor<7001x7xf32>) -> tensor<7001x39xf32>
  return %0 : tensor<7001x39xf32>
}
