// Collectives in the fusion plan, the host function and the launch plan.
// RUN: fx-opt %s --split-input-file --fxgraph-print-fusion-plan=libraries=always -o /dev/null | FileCheck %s --check-prefix=PLAN
// RUN: fx-opt %s --split-input-file --fxgraph-to-gpu=libraries=always | FileCheck %s

// What is between a start and its wait in the graph runs beside the collective, and waits come as late as they may: the
// second sum starts before the first is waited for, and relu, which reads neither, is before both waits.
// PLAN-LABEL: plan of @overlap
// PLAN-NEXT: kernel [12] {constant, div} -> [[A:%[0-9]+]]
// PLAN-NEXT: start fxgraph.all_reduce -> [[SUMA:%[0-9]+]]
// PLAN-NEXT: library fxgraph.mm -> [[Y:%[0-9]+]]
// PLAN-NEXT: kernel [5] {constant, div} -> [[B:%[0-9]+]]
// PLAN-NEXT: start fxgraph.all_reduce -> [[SUMB:%[0-9]+]]
// PLAN-NEXT: kernel [8, 8] {relu}
// PLAN-NEXT: wait for [[SUMA]] -> [[WAITED:%[0-9]+]]
// PLAN-NEXT: kernel [12] {neg} -> {{.*}} reads [[WAITED]]
// PLAN-NEXT: wait for [[SUMB]]

// The result of the second is reduced to where the caller wants it.
// CHECK-LABEL: func.func @overlap(
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<5xf32> {fxgraph.result}
// CHECK: gpu.launch_func @kernels::@k0_div
// CHECK: %[[FIRST:.*]] = fxgraph.start_collective "all_reduce" group "0" op "sum"(%{{.*}}) to(%{{.*}}) elements [12] : (memref<f32>) to(memref<f32>) -> !gpu.async.token
// CHECK: fxgraph.library_call "matmul"
// CHECK: gpu.launch_func @kernels::@k1_div
// CHECK: %[[OUT:.*]] = fxgraph.buffer %[[X]] offset 0
// CHECK: %[[SECOND:.*]] = fxgraph.start_collective "all_reduce" group "0" op "sum"(%{{.*}}) to(%[[OUT]]) elements [5]
// CHECK: gpu.launch_func @kernels::@k2_relu
// CHECK: gpu.wait [%[[FIRST]]]
// CHECK: gpu.launch_func @kernels::@k3_neg
// CHECK: gpu.wait [%[[SECOND]]]
// CHECK-NEXT: return
func.func @overlap(%a: tensor<12xf32>, %b: tensor<5xf32>, %w: tensor<8x8xf32>, %x: tensor<8x8xf32>) -> (tensor<12xf32>, tensor<5xf32>, tensor<8x8xf32>) {
  %n = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.div %a, %n : (tensor<12xf32>, tensor<f64>) -> tensor<12xf32>
  %1 = fxgraph.all_reduce %0 op "sum" group "0" : (tensor<12xf32>) -> tensor<12xf32>
  %y = fxgraph.mm %w, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = fxgraph.div %b, %n : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  %4 = fxgraph.all_reduce %3 op "sum" group "0" : (tensor<5xf32>) -> tensor<5xf32>
  %z = fxgraph.relu %y : tensor<8x8xf32>
  %2 = fxgraph.wait_tensor %1 : (tensor<12xf32>) -> tensor<12xf32>
  %5 = fxgraph.wait_tensor %4 : (tensor<5xf32>) -> tensor<5xf32>
  %6 = fxgraph.neg %2 : tensor<12xf32>
  return %6, %5, %z : tensor<12xf32>, tensor<5xf32>, tensor<8x8xf32>
}

// -----

// Kernels that are alike share a launch, but not across a start: the first sum need not wait for the second's operand.
// CHECK-LABEL: func.func @alike(
// CHECK: gpu.launch_func
// CHECK: start_collective
// CHECK: gpu.launch_func
// CHECK: start_collective
func.func @alike(%a: tensor<12xf32>, %b: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %0 = fxgraph.relu %a : tensor<12xf32>
  %1 = fxgraph.all_reduce %0 op "sum" group "0" : (tensor<12xf32>) -> tensor<12xf32>
  %2 = fxgraph.relu %b : tensor<12xf32>
  %3 = fxgraph.all_reduce %2 op "sum" group "0" : (tensor<12xf32>) -> tensor<12xf32>
  return %1, %3 : tensor<12xf32>, tensor<12xf32>
}

// -----

// Starts keep the order that all processes have, also where data would let the second go first.
// PLAN-LABEL: plan of @order
// PLAN-NEXT: start fxgraph.all_gather_into_tensor
// PLAN-NEXT: start fxgraph.all_reduce
// PLAN-NEXT: wait for
// PLAN-NEXT: wait for
// CHECK-LABEL: func.func @order(
// CHECK: start_collective "all_gather" group "tp" of 2(%{{.*}}) to(%{{.*}}) elements [4]
// CHECK: start_collective "all_reduce" group "dp" op "avg"
func.func @order(%a: tensor<4xbf16>, %b: tensor<4xf32>) -> (tensor<8xbf16>, tensor<4xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "tp" of 2 : (tensor<4xbf16>) -> tensor<8xbf16>
  %1 = fxgraph.all_reduce %b op "avg" group "dp" : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.wait_tensor %1 : (tensor<4xf32>) -> tensor<4xf32>
  %3 = fxgraph.wait_tensor %0 : (tensor<8xbf16>) -> tensor<8xbf16>
  return %3, %2 : tensor<8xbf16>, tensor<4xf32>
}

// -----

// A value that an earlier collective takes and a later kernel computes anyway has a kernel of its own: in the later one,
// behind the wait for the second collective, it would come too late.
// PLAN-LABEL: plan of @no_cycle
// PLAN-NEXT: kernel [12] {relu} -> [[V:%[0-9]+]]
// PLAN-NEXT: start fxgraph.all_reduce
// PLAN-NEXT: start fxgraph.all_reduce
// PLAN-NEXT: wait for {{.*}} -> [[SECOND:%[0-9]+]]
// PLAN-NEXT: kernel [12] {{.*}} reads {{(\[\[V\]\]|%[0-9]+)}} {{%[0-9]+}}
func.func @no_cycle(%a: tensor<12xf32>, %b: tensor<12xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %v = fxgraph.relu %a : tensor<12xf32>
  %0 = fxgraph.all_reduce %v op "sum" group "0" : (tensor<12xf32>) -> tensor<12xf32>
  %1 = fxgraph.all_reduce %b op "sum" group "0" : (tensor<12xf32>) -> tensor<12xf32>
  %2 = fxgraph.wait_tensor %1 : (tensor<12xf32>) -> tensor<12xf32>
  %r = fxgraph.mul %v, %2 : (tensor<12xf32>, tensor<12xf32>) -> tensor<12xf32>
  %3 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  return %r, %3 : tensor<12xf32>, tensor<12xf32>
}

// -----

// A bucket is filled where it is, and read where it is: no copies.
// CHECK-LABEL: func.func @bucket(
// CHECK-COUNT-1: gpu.launch_func
// CHECK: start_collective "all_reduce" group "0" op "sum"(%{{.*}}) to(%{{.*}}) elements [17]
// CHECK-NEXT: gpu.wait
// CHECK-COUNT-1: gpu.launch_func
// CHECK-NOT: memref.copy
// CHECK-NOT: gpu.launch_func
// CHECK: return
func.func @bucket(%a: tensor<12xf32>, %b: tensor<5xf32>) -> (tensor<12xf32>, tensor<5xf32>) {
  %0 = fxgraph.relu %a : tensor<12xf32>
  %1 = fxgraph.neg %b : tensor<5xf32>
  %2 = fxgraph.cat %0, %1 dim 0 : (tensor<12xf32>, tensor<5xf32>) -> tensor<17xf32>
  %3 = fxgraph.all_reduce %2 op "sum" group "0" : (tensor<17xf32>) -> tensor<17xf32>
  %4 = fxgraph.wait_tensor %3 : (tensor<17xf32>) -> tensor<17xf32>
  %5:2 = fxgraph.split_with_sizes %4 sizes [12, 5] dim 0 : (tensor<17xf32>) -> (tensor<12xf32>, tensor<5xf32>)
  %6 = fxgraph.exp %5#0 : tensor<12xf32>
  %7 = fxgraph.exp %5#1 : tensor<5xf32>
  return %6, %7 : tensor<12xf32>, tensor<5xf32>
}

// -----

// Several tensors, one call, one wait. NCCL knows bools as bytes.
// CHECK-LABEL: func.func @coalesced(
// CHECK: %[[TOKEN:.*]] = fxgraph.start_collective "all_reduce" group "0" op "max"(%{{.*}}, %{{.*}}) to(%{{.*}}, %{{.*}}) elements [3, 2] : (memref<ui8>, memref<ui8>)
// CHECK: gpu.wait [%[[TOKEN]]]
// CHECK-NOT: gpu.wait
// CHECK: return
func.func @coalesced(%a: tensor<3xi1>, %b: tensor<2xi1>) -> (tensor<3xi1>, tensor<2xi1>) {
  %0:2 = fxgraph.all_reduce_coalesced (%a, %b) op "sum" group "0" : (tensor<3xi1>, tensor<2xi1>) -> (tensor<3xi1>, tensor<2xi1>)
  %1 = fxgraph.wait_tensor %0#0 : (tensor<3xi1>) -> tensor<3xi1>
  %2 = fxgraph.wait_tensor %0#1 : (tensor<2xi1>) -> tensor<2xi1>
  return %1, %2 : tensor<3xi1>, tensor<2xi1>
}

// -----

// Nobody looks at the sum; the other processes take part all the same.
// CHECK-LABEL: func.func @unused(
// CHECK: start_collective
// CHECK: gpu.wait
func.func @unused(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %a op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.neg %a : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Nothing to communicate.
// CHECK-LABEL: func.func @empty(
// CHECK-NOT: start_collective
// CHECK-NOT: gpu.wait
// CHECK: return
func.func @empty(%a: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = fxgraph.all_reduce %a op "sum" group "0" : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return %1 : tensor<0x4xf32>
}

// -----

// A group that is known to have one process needs no library, and a wait for what no collective gives waits for nothing.
// CHECK-LABEL: func.func @alone(
// CHECK-NOT: start_collective
// CHECK-NOT: gpu.wait
// CHECK: return
func.func @alone(%a: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "0" of 1 : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.wait_tensor %a : (tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}
