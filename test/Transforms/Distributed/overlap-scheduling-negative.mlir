// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' --remarks-filter='fxgraph.*' --remark-format=emitRemark -o %t.mlir
// RUN: fx-opt %s --split-input-file -o %t.before.mlir
// RUN: diff %t.before.mlir %t.mlir
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{max-in-flight-gb=-1}))' 2>&1 | FileCheck %s --check-prefix=GB
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{compute-overlap-multiplier=nan}))' 2>&1 | FileCheck %s --check-prefix=NAN
// GB: error: expected max-in-flight-gb > 0 but got -1
// NAN: error: expected compute-overlap-multiplier >= 0 but got

// The product needs what is gathered: nothing hides it.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @needed_at_once(%x: tensor<2048x2048xbf16>, %a: tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16> {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %0 = fxgraph.mm %x, %a0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
}

// -----

// An unknown op that needs the product is between: the gather may not pass it.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @barrier(%x: tensor<2048x2048xbf16>, %a: tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = fxgraph.mm %x, %x : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  fxgraph.opaque "my.log"(%0) args {args = ["%0"]} : (tensor<2048x2048xbf16>) -> ()
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = fxgraph.mm %0, %a0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %1 : tensor<2048x2048xbf16>
}

// -----

// No product at all.
// expected-remark@below {{the given order is estimated to be as fast}}
func.func @no_product(%a: tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16> {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %0 = fxgraph.neg %a0 : tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
}

// -----

// No collective: nothing is estimated.
func.func @no_collective(%x: tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16> {
  %0 = fxgraph.mm %x, %x : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %0 : tensor<2048x2048xbf16>
}
