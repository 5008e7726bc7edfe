// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{mode=all}))' 2>&1 | FileCheck %s --check-prefix=MODE
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-gather{bucket-cap-mb=0}))' 2>&1 | FileCheck %s --check-prefix=CAP
// MODE: error: expected mode to be default, fsdp or multi-dtype but got all
// CAP: error: expected bucket-cap-mb > 0 but got 0

// CHECK-NOT: fxgraph.cat

func.func @depends(%a: tensor<6xf32>) -> tensor<24xf32> {
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  // expected-remark@below {{it depends on a collective of the bucket}}
  %2 = fxgraph.all_gather_into_tensor %1 group "g" of 2 : (tensor<12xf32>) -> tensor<24xf32>
  %3 = fxgraph.wait_tensor %2 : (tensor<24xf32>) -> tensor<24xf32>
  return %3 : tensor<24xf32>
}

// -----

// What was gathered first decides what an unknown op does before the second one starts.
func.func @behind_a_barrier(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  fxgraph.opaque "my.log"() args {args = []} : () -> ()
  // expected-remark@below {{an op with unknown effects is between}}
  %2 = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %3 = fxgraph.wait_tensor %2 : (tensor<12xf32>) -> tensor<12xf32>
  return %1, %3 : tensor<12xf32>, tensor<12xf32>
}

// -----

func.func @groups(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<12xf32>, tensor<12xf32>) {
  %a0s = fxgraph.all_gather_into_tensor %a group "tp" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<12xf32>) -> tensor<12xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "dp" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  return %a0, %b0 : tensor<12xf32>, tensor<12xf32>
}

// -----

// Neighbours only: another group's is between.
func.func @neighbours(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %a0s = fxgraph.all_gather_into_tensor %a group "tp" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<12xf32>) -> tensor<12xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "dp" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  %c0s = fxgraph.all_gather_into_tensor %b group "tp" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<12xf32>) -> tensor<12xf32>
  return %a0, %b0, %c0 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

// -----

func.func @devices(%a: tensor<6xf32, #fxgraph.meta<device = "cuda:0">>, %b: tensor<6xf32>) -> (tensor<12xf32, #fxgraph.meta<device = "cuda:0">>, tensor<12xf32>) {
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<12xf32, #fxgraph.meta<device = "cuda:0">>
  %1 = fxgraph.wait_tensor %0 : (tensor<12xf32, #fxgraph.meta<device = "cuda:0">>) -> tensor<12xf32, #fxgraph.meta<device = "cuda:0">>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  return %1, %b0 : tensor<12xf32, #fxgraph.meta<device = "cuda:0">>, tensor<12xf32>
}

// -----

func.func @two_waits(%a: tensor<6xf32>, %b: tensor<6xf32>) -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  // expected-remark@below {{the collective has other users than one wait}}
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  %2 = fxgraph.wait_tensor %0 : (tensor<12xf32>) -> tensor<12xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  return %1, %2, %b0 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}

// -----

func.func @dynamic(%a: tensor<?xf32>, %b: tensor<6xf32>) -> (tensor<?xf32>, tensor<12xf32>) {
  // expected-remark@below {{an extent is not known}}
  %0 = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<?xf32>) -> tensor<?xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<?xf32>) -> tensor<?xf32>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<6xf32>) -> tensor<12xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<12xf32>) -> tensor<12xf32>
  return %1, %b0 : tensor<?xf32>, tensor<12xf32>
}
