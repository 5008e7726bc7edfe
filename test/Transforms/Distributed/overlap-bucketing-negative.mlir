// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-bucketing=true}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark -o %t.mlir
// RUN: fx-opt %s --split-input-file -o %t.before.mlir
// RUN: diff %t.before.mlir %t.mlir
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{max-bucket-memory-gb=0}))' 2>&1 | FileCheck %s --check-prefix=GB
// GB: error: expected max-bucket-memory-gb > 0 but got 0

// The second one is of what the first one gives: it starts behind its wait.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @depends(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>) {
  %s0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@below {{a collective of the bucket is waited for before}}
  %s1 = fxgraph.all_reduce %w0 op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %w1 : tensor<64x64xf32>
}

// -----

// Another group, reduction, dtype.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @keys(%x: tensor<64x64xf32>, %y: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>) {
  %s0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s1 = fxgraph.all_reduce %x op "sum" group "h" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s2 = fxgraph.all_reduce %x op "max" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %s3 = fxgraph.all_reduce %y op "sum" group "g" : (tensor<64x64xf16>) -> tensor<64x64xf16>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w2 = fxgraph.wait_tensor %s2 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w3 = fxgraph.wait_tensor %s3 : (tensor<64x64xf16>) -> tensor<64x64xf16>
  return %w0, %w1, %w2, %w3 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf16>
}

// -----

// An unknown op is between.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @barrier(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %s0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  fxgraph.opaque "my.log"(%y) args {args = ["%0"]} : (tensor<64x64xf32>) -> ()
  // expected-remark@below {{an op with unknown effects is between}}
  %s1 = fxgraph.all_reduce %y op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %w0, %w1 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// An extent is not known.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @dynamic(%x: tensor<?x64xf32>, %y: tensor<?x64xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) {
  // expected-remark@below {{an extent is not known}}
  %s0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<?x64xf32>) -> tensor<?x64xf32>
  // expected-remark@below {{an extent is not known}}
  %s1 = fxgraph.all_reduce %y op "sum" group "g" : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<?x64xf32>) -> tensor<?x64xf32>
  return %w0, %w1 : tensor<?x64xf32>, tensor<?x64xf32>
}

// -----

// A collective that two wait for, and one for which nothing does.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @two_waits(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  // expected-remark@below {{the collective has other users than one wait}}
  %s0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // expected-remark@below {{the collective has other users than one wait}}
  %s1 = fxgraph.all_reduce %y op "sum" group "g" : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %v0 = fxgraph.wait_tensor %s0 : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %w0, %v0, %s1 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// Products hide all of the first: a bucket would start later than it.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @hidden(%x: tensor<2048x2048xbf16>, %y: tensor<2048x2048xbf16>) -> (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) {
  %p0 = fxgraph.mm %x, %y : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %s0 = fxgraph.all_reduce %p0 op "sum" group "g" : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %p1 = fxgraph.mm %p0, %y : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %p2 = fxgraph.mm %p1, %y : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  // expected-remark@below {{less of the bucket would be hidden by products}}
  %s1 = fxgraph.all_reduce %p2 op "sum" group "g" : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %w0 = fxgraph.wait_tensor %s0 : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %w1 = fxgraph.wait_tensor %s1 : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %w0, %w1 : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>
}
