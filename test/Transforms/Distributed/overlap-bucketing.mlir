// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-bucketing=true}))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' | FileCheck %s --check-prefix=APART
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-bucketing=true max-bucket-memory-gb=0.00001}))' | FileCheck %s --check-prefix=APART
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-bucketing=true}))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-bucketing=true}))' -o %t.once.twice
// RUN: diff %t.once %t.once.twice
// RUN: fx-opt %s --fxgraph-post-grad='overlap-scheduling=true collective-bucketing=true' | FileCheck %s --check-prefix=PIPELINE

// RUN: fx-run %s --entry='*' --ranks=2 --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz --rtol=1e-5 --atol=1e-5

// Both factors of a product are gathered: one latency less.
// CHECK-LABEL: func.func @gathers
// CHECK: %[[J:.+]] = fxgraph.cat
// CHECK-NEXT: %[[S:.+]] = fxgraph.all_gather_into_tensor %[[J]]
// CHECK-NEXT: %[[W:.+]] = fxgraph.wait_tensor %[[S]]
// CHECK-NOT: fxgraph.all_gather_into_tensor
// CHECK: fxgraph.mm
// APART-LABEL: func.func @gathers
// APART-COUNT-2: fxgraph.all_gather_into_tensor
// PIPELINE-LABEL: func.func @gathers
// PIPELINE: fxgraph.all_gather_into_tensor
// PIPELINE-NOT: fxgraph.all_gather_into_tensor
// PIPELINE: fxgraph.mm
func.func @gathers(%a: tensor<32x64xf32>, %b: tensor<32x64xf32>) -> tensor<64x64xf32> {
  %as = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<32x64xf32>) -> tensor<64x64xf32>
  %aw = fxgraph.wait_tensor %as : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %bs = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<32x64xf32>) -> tensor<64x64xf32>
  %bw = fxgraph.wait_tensor %bs : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = fxgraph.mm %aw, %bw : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Gradients are reduced at the end; the bucket starts behind the last product, and its pieces, which share memory, are copied.
// CHECK-LABEL: func.func @gradients
// CHECK-COUNT-3: fxgraph.mm
// CHECK: %[[S:.+]] = fxgraph.all_reduce
// CHECK-NEXT: %[[W:.+]] = fxgraph.wait_tensor %[[S]]
// CHECK-NEXT: fxgraph.split_with_sizes %[[W]] sizes [4096, 4096, 4096] dim 0
// CHECK-NOT: fxgraph.all_reduce
// CHECK-COUNT-2: fxgraph.clone
// APART-LABEL: func.func @gradients
// APART-COUNT-3: fxgraph.all_reduce
func.func @gradients(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = fxgraph.mm %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = fxgraph.all_reduce %0 op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = fxgraph.mm %0, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = fxgraph.all_reduce %1 op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = fxgraph.mm %1, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = fxgraph.all_reduce %2 op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w2 = fxgraph.wait_tensor %s2 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %w0, %w1, %w2 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// Shards of gradients.
// CHECK-LABEL: func.func @shards
// CHECK: fxgraph.reduce_scatter_tensor
// CHECK-NOT: fxgraph.reduce_scatter_tensor
// CHECK: return
// APART-LABEL: func.func @shards
// APART-COUNT-2: fxgraph.reduce_scatter_tensor
func.func @shards(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<32x64xf32>, tensor<32x64xf32>) {
  %0 = fxgraph.mm %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s0 = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<64x64xf32>) -> tensor<32x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = fxgraph.mm %0, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = fxgraph.reduce_scatter_tensor %1 op "sum" group "g" of 2 : (tensor<64x64xf32>) -> tensor<32x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  return %w0, %w1 : tensor<32x64xf32>, tensor<32x64xf32>
}
