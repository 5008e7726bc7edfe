// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter{mode=fsdp}))' | FileCheck %s --check-prefix=FSDP
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-reduce-scatter))' -o %t.twice
// RUN: diff %t.once %t.twice

// RUN: fx-run %s --entry='*' --ranks=4 --group='g:0,1;3,2' --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=4 --group='g:0,1;3,2' --inputs=seed:1 --compare=%t.npz

// Each process' part of every member; the results of the graph are copies, as the pieces share storage.
// CHECK-LABEL: func.func @three
// CHECK: fxgraph.cat %{{.+}}, %{{.+}}, %{{.+}} dim 1 : (tensor<2x6xf32>, tensor<2x4xf32>, tensor<2x0xf32>) -> tensor<2x10xf32>
// CHECK: fxgraph.reduce_scatter_tensor
// CHECK-NOT: fxgraph.reduce_scatter_tensor
// CHECK: fxgraph.clone
// CHECK: return
func.func @three(%a: tensor<4x3xf32>, %b: tensor<2x2x2xf32>, %c: tensor<0x5xf32>) -> (tensor<2x3xf32>, tensor<1x2x2xf32>, tensor<0x5xf32>) {
  %a0s = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b0s = fxgraph.reduce_scatter_tensor %b op "sum" group "g" of 2 : (tensor<2x2x2xf32>) -> tensor<1x2x2xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
  %c0s = fxgraph.reduce_scatter_tensor %c op "sum" group "g" of 2 : (tensor<0x5xf32>) -> tensor<0x5xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<0x5xf32>) -> tensor<0x5xf32>
  return %a0, %b0, %c0 : tensor<2x3xf32>, tensor<1x2x2xf32>, tensor<0x5xf32>
}

// A gradient that goes into more than results of the graph is not of fully sharded data parallelism.
// CHECK-LABEL: func.func @fsdp
// CHECK: fxgraph.reduce_scatter_tensor {{.*}} (tensor<24xf32>)
// FSDP-LABEL: func.func @fsdp
// FSDP: fxgraph.reduce_scatter_tensor {{.*}} (tensor<8xf32>)
// FSDP: fxgraph.reduce_scatter_tensor {{.*}} (tensor<16xf32>)
func.func @fsdp(%a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>) -> (tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>) {
  %a0s = fxgraph.reduce_scatter_tensor %a op "sum" group "g" of 2 : (tensor<8xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %b0s = fxgraph.reduce_scatter_tensor %b op "sum" group "g" of 2 : (tensor<8xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  %c0s = fxgraph.reduce_scatter_tensor %c op "sum" group "g" of 2 : (tensor<8xf32>) -> tensor<4xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.add %a0, %a0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %e = fxgraph.convert_element_type %b0 : (tensor<4xf32>) -> tensor<4xbf16>
  %f = fxgraph.neg %c0 : tensor<4xf32>
  return %d, %e, %f : tensor<4xf32>, tensor<4xbf16>, tensor<4xf32>
}
