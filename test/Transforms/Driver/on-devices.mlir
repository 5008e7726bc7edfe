// The module's device counts for arguments that name none; no device is an error.

// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=cuda default-device=cuda pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s --check-prefix=GPU
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=cuda pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s --check-prefix=CPU
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{pipeline={fxgraph-splitcat-cancel}}))' 2>&1 | FileCheck %s --check-prefix=NONE
// GPU-LABEL: func.func @f
// GPU-NOT: fxgraph.cat
// GPU-LABEL: func.func @extension
// CPU: fxgraph.cat
// NONE: fxgraph-on-devices: expected devices=TYPE,{{.*}} but got none
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=nosuch pipeline={fxgraph-splitcat-cancel}}))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: fxgraph-on-devices: expected a device type among cpu, cuda, {{.*}} but got 'nosuch'

// A device that PyTorch does not know is an extension's.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-on-devices{devices=privateuseone pipeline={fxgraph-splitcat-cancel}}))' | FileCheck %s --check-prefix=EXTENSION
// EXTENSION-LABEL: func.func @f
// EXTENSION: fxgraph.cat
// EXTENSION-LABEL: func.func @extension
// EXTENSION-NOT: fxgraph.cat

func.func @f(%x: tensor<2x8xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  %r = fxgraph.relu %c : tensor<2x8xf32>
  return %r : tensor<2x8xf32>
}
func.func @extension(%x: tensor<2x8xf32, #fxgraph.meta<device = "npu:0">>) -> tensor<2x8xf32, #fxgraph.meta<device = "npu:0">> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 4] dim 1 : (tensor<2x8xf32, #fxgraph.meta<device = "npu:0">>)
      -> (tensor<2x4xf32, #fxgraph.meta<device = "npu:0">>, tensor<2x4xf32, #fxgraph.meta<device = "npu:0">>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32, #fxgraph.meta<device = "npu:0">>, tensor<2x4xf32, #fxgraph.meta<device = "npu:0">>)
      -> tensor<2x8xf32, #fxgraph.meta<device = "npu:0">>
  %r = fxgraph.relu %c : tensor<2x8xf32, #fxgraph.meta<device = "npu:0">>
  return %r : tensor<2x8xf32, #fxgraph.meta<device = "npu:0">>
}
