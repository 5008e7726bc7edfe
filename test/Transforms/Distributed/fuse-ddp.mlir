// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp))' --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json
// REPORT: "ddp_buckets": 3
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_coalesced_op,schedule_comm_wait bucket-size-mb=1}))' | FileCheck %s --check-prefix=COALESCED
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=schedule_comm_wait}))' | FileCheck %s --check-prefix=WAIT
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp))' -o %t.once.twice
// RUN: diff %t.once %t.once.twice
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_coalesced_op,schedule_comm_wait}))' -o %t.coalesced
// RUN: fx-opt %t.coalesced --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_coalesced_op,schedule_comm_wait}))' -o %t.coalesced.twice
// RUN: diff %t.coalesced %t.coalesced.twice

// RUN: fx-run %s --entry='*' --ranks=2 --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz
// RUN: fx-run %t.coalesced --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz

// The first bucket is full at 1 MB: with its second gradient; the others go together.
// CHECK-LABEL: func.func @buckets
// CHECK: fxgraph.all_reduce %{{.+}} op "sum" group "g" : (tensor<262148xf32>)
// CHECK: fxgraph.all_reduce %{{.+}} op "sum" group "g" : (tensor<11xf32>)
// CHECK-NOT: fxgraph.all_reduce
// CHECK: fxgraph.copy_
// COALESCED-LABEL: func.func @buckets
// COALESCED: fxgraph.all_reduce_coalesced(%{{.+}}, %{{.+}}) op "sum" group "g" : (tensor<4xf32>, tensor<512x512xf32>)
// COALESCED: fxgraph.all_reduce_coalesced(%{{.+}}, %{{.+}}) op "sum" group "g" : (tensor<5xf32>, tensor<2x3xf32>)
// COALESCED-NOT: fxgraph.all_reduce
func.func @buckets(%a: tensor<4xf32>, %b: tensor<512x512xf32>, %c: tensor<5xf32>, %d: tensor<2x3xf32>, %grad: tensor<2x3xf32>, %n: tensor<f64>)
    -> (tensor<4xf32>, tensor<512x512xf32>, tensor<5xf32>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %b0d = fxgraph.div %b, %n : (tensor<512x512xf32>, tensor<f64>) -> tensor<512x512xf32>
  %b0s = fxgraph.all_reduce %b0d op "sum" group "g" : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %c0d = fxgraph.div %c, %n : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  %c0s = fxgraph.all_reduce %c0d op "sum" group "g" : (tensor<5xf32>) -> tensor<5xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<5xf32>) -> tensor<5xf32>
  %d0d = fxgraph.div %d, %n : (tensor<2x3xf32>, tensor<f64>) -> tensor<2x3xf32>
  %d0s = fxgraph.all_reduce %d0d op "sum" group "g" : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d0 = fxgraph.wait_tensor %d0s : (tensor<2x3xf32>) -> tensor<2x3xf32>
  fxgraph.copy_ %d0 into %grad : tensor<2x3xf32>, tensor<2x3xf32>
  return %a0, %b0, %c0 : tensor<4xf32>, tensor<512x512xf32>, tensor<5xf32>
}

// Equal constants are one divisor, also where each gradient has its own.
// CHECK-LABEL: func.func @equal_constants
// COALESCED-LABEL: func.func @equal_constants
// CHECK: fxgraph.all_reduce %{{.+}} op "sum" group "g" : (tensor<9xf32>)
// CHECK-NOT: fxgraph.all_reduce
func.func @equal_constants(%a: tensor<4xf32>, %b: tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>) {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %m = fxgraph.constant dense<2.0> : tensor<f64>
  %b0d = fxgraph.div %b, %m : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  %b0s = fxgraph.all_reduce %b0d op "sum" group "g" : (tensor<5xf32>) -> tensor<5xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<5xf32>) -> tensor<5xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<5xf32>
}

// A wait moves to its first user, with the views between; not over a user in a region.
// CHECK-LABEL: func.func @waits
// WAIT-LABEL: func.func @waits
// WAIT-NEXT: fxgraph.all_reduce
// WAIT-NEXT: fxgraph.neg
// WAIT-NEXT: fxgraph.relu
// WAIT-NEXT: fxgraph.wait_tensor
// WAIT-NEXT: fxgraph.reshape
// WAIT-NEXT: fxgraph.split
// WAIT-NEXT: fxgraph.add
func.func @waits(%a: tensor<2x2xf32>) -> tensor<2xf32> {
  %a0s = fxgraph.all_reduce %a op "sum" group "g" : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %v = fxgraph.reshape %a0 shape [4] : tensor<2x2xf32> -> tensor<4xf32>
  %p:2 = fxgraph.split %v size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %0 = fxgraph.neg %a : tensor<2x2xf32>
  %1 = fxgraph.relu %0 : tensor<2x2xf32>
  %2 = fxgraph.add %p#0, %p#1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
