// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=cuda,xpu pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s

!gpu = tensor<2x8xf32, #fxgraph.meta<device = "cuda:1">>
!gpuHalf = tensor<2x4xf32, #fxgraph.meta<device = "cuda:1">>

func.func @on_gpu(%x: !gpu) -> !gpu {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (!gpu) -> (!gpuHalf, !gpuHalf)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (!gpuHalf, !gpuHalf) -> !gpu
  %r = fxgraph.relu %c : !gpu
  return %r : !gpu
}

// CHECK-LABEL: func @on_gpu
// CHECK-NEXT: fxgraph.relu

func.func @on_cpu(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}

// CHECK-LABEL: func @on_cpu
// CHECK: fxgraph.cat
