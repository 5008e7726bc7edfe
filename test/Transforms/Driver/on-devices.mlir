// The module's device counts for arguments that name none; no device is an error.

// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=cuda default-device=cuda pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s --check-prefix=GPU
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=cuda pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s --check-prefix=CPU
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{pipeline={fxgraph-splitcat-cancel}}))' 2>&1 | FileCheck %s --check-prefix=NONE
// GPU-NOT: fxgraph.cat
// CPU: fxgraph.cat
// NONE: fxgraph-on-devices: expected devices=TYPE,{{.*}} but got none

func.func @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
