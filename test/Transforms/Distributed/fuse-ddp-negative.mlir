// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=fuse_ddp_with_concat_op}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{passes=fuse_ddp}))' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-fuse-ddp{bucket-size-mb=0}))' 2>&1 | FileCheck %s --check-prefix=SIZE
// NAME: error: expected passes among fuse_ddp_with_concat_op, fuse_ddp_with_coalesced_op and schedule_comm_wait but got fuse_ddp
// SIZE: error: expected bucket-size-mb between 1 and 2^40 but got 0

// CHECK-NOT: fxgraph.cat

func.func @divisors(%a: tensor<4xf32>, %b: tensor<5xf32>, %n: tensor<f64>, %m: tensor<f64>) -> (tensor<4xf32>, tensor<5xf32>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.div %b, %m : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  // expected-remark@below {{group, reduction, dtype or divisor differ from those of the bucket}}
  %b0s = fxgraph.all_reduce %d op "sum" group "g" : (tensor<5xf32>) -> tensor<5xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<5xf32>) -> tensor<5xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<5xf32>
}

// -----

func.func @groups(%a: tensor<4xf32>, %b: tensor<5xf32>, %n: tensor<f64>) -> (tensor<4xf32>, tensor<5xf32>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.div %b, %n : (tensor<5xf32>, tensor<f64>) -> tensor<5xf32>
  // expected-remark@below {{group, reduction, dtype or divisor differ from those of the bucket}}
  %b0s = fxgraph.all_reduce %d op "sum" group "dp" : (tensor<5xf32>) -> tensor<5xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<5xf32>) -> tensor<5xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<5xf32>
}

// -----

func.func @dtypes(%a: tensor<4xf32>, %b: tensor<5xbf16>, %n: tensor<f64>) -> (tensor<4xf32>, tensor<5xbf16>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.div %b, %n : (tensor<5xbf16>, tensor<f64>) -> tensor<5xbf16>
  // expected-remark@below {{group, reduction, dtype or divisor differ from those of the bucket}}
  %b0s = fxgraph.all_reduce %d op "sum" group "g" : (tensor<5xbf16>) -> tensor<5xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<5xbf16>) -> tensor<5xbf16>
  return %a0, %b0 : tensor<4xf32>, tensor<5xbf16>
}

// -----

// The divisor of a row is no number.
func.func @rows(%a: tensor<2x4xf32>, %b: tensor<2x4xf32>, %n: tensor<4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.div %a, %n : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark@below {{the division does more than scale each element}}
  %a0s = fxgraph.all_reduce %0 op "sum" group "g" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.div %b, %n : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  // expected-remark@below {{the division does more than scale each element}}
  %b0s = fxgraph.all_reduce %1 op "sum" group "g" : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %a0, %b0 : tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

func.func @used_inside(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %d = fxgraph.div %b, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  // expected-remark@below {{the gradient is used by more than one return or copy_}}
  %b0s = fxgraph.all_reduce %d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %b0 : tensor<4xf32>
  return %a0, %r : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @behind_a_barrier(%a: tensor<4xf32>, %b: tensor<4xf32>, %n: tensor<f64>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a0d = fxgraph.div %a, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %a0s = fxgraph.all_reduce %a0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  fxgraph.opaque "my.log"() args {args = []} : () -> ()
  %d = fxgraph.div %b, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  // expected-remark@below {{group, reduction, dtype or divisor differ from those of the bucket}}
  %b0s = fxgraph.all_reduce %d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<4xf32>
}

// -----

// Without a division it is no gradient of data parallelism.
func.func @no_division(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %a0s = fxgraph.all_reduce %a op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<4xf32>) -> tensor<4xf32>
  %b0s = fxgraph.all_reduce %b op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %a0, %b0 : tensor<4xf32>, tensor<4xf32>
}

// -----

func.func @dynamic(%a: tensor<?xf32>, %b: tensor<4xf32>, %n: tensor<f64>) -> (tensor<?xf32>, tensor<4xf32>) {
  %d = fxgraph.div %a, %n : (tensor<?xf32>, tensor<f64>) -> tensor<?xf32>
  // expected-remark@below {{an extent is not known}}
  %a0s = fxgraph.all_reduce %d op "sum" group "g" : (tensor<?xf32>) -> tensor<?xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<?xf32>) -> tensor<?xf32>
  %b0d = fxgraph.div %b, %n : (tensor<4xf32>, tensor<f64>) -> tensor<4xf32>
  %b0s = fxgraph.all_reduce %b0d op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<4xf32>) -> tensor<4xf32>
  return %a0, %b0 : tensor<?xf32>, tensor<4xf32>
}
