// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{max-in-flight-gb=0.009}))' | FileCheck %s --check-prefix=MEMORY
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-gb-per-second=10000 collective-latency-us=1}))' | FileCheck %s --check-prefix=FAR
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-gb-per-second=10000 collective-latency-us=1 max-compute-pre-fetch=1}))' | FileCheck %s --check-prefix=NEAR
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{collective-gb-per-second=10000 collective-latency-us=1 max-coll-distance=1}))' | FileCheck %s --check-prefix=NEAR
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling{compute-overlap-multiplier=0}))' | FileCheck %s --check-prefix=NOTHING
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-overlap-scheduling))' -o %t.once.twice
// RUN: diff %t.once %t.once.twice

// The gathers of a layer's weights start while the product before is computed.
// CHECK-LABEL: func.func @layers
// CHECK-NEXT: fxgraph.all_gather_into_tensor %arg1
// CHECK-NEXT: fxgraph.wait_tensor
// CHECK-NEXT: fxgraph.all_gather_into_tensor %arg2
// CHECK: fxgraph.mm
// CHECK-NOT: fxgraph.all_gather_into_tensor
// CHECK: fxgraph.wait_tensor
// CHECK: return
// Of 8.4 MB each one is under way.
// MEMORY-LABEL: func.func @layers
// MEMORY-NEXT: fxgraph.all_gather_into_tensor %arg1
// MEMORY-NEXT: fxgraph.wait_tensor
// MEMORY-NEXT: fxgraph.all_gather_into_tensor %arg2
// MEMORY-NEXT: fxgraph.mm
// MEMORY-NEXT: fxgraph.wait_tensor
// MEMORY-NEXT: fxgraph.all_gather_into_tensor %arg3
// MEMORY-NEXT: fxgraph.mm
// Of fast collectives one product hides two; the limits let it start the next one alone.
// FAR-LABEL: func.func @layers
// FAR: fxgraph.all_gather_into_tensor %arg2
// FAR-NEXT: fxgraph.all_gather_into_tensor %arg3
// FAR-NEXT: fxgraph.mm
// NEAR-LABEL: func.func @layers
// NEAR: fxgraph.all_gather_into_tensor %arg2
// NEAR-NEXT: fxgraph.mm
// NEAR: fxgraph.all_gather_into_tensor %arg3
// NEAR-NEXT: fxgraph.mm
// Where products hide nothing, nothing is started before one.
// NOTHING-LABEL: func.func @layers
// NOTHING: fxgraph.mm
// NOTHING: fxgraph.all_gather_into_tensor %arg2
// NOTHING: fxgraph.mm
func.func @layers(%x: tensor<2048x2048xbf16>, %a: tensor<1024x2048xbf16>, %b: tensor<1024x2048xbf16>, %c: tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16> {
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %0 = fxgraph.mm %x, %a0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = fxgraph.mm %0, %b0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %c0s = fxgraph.all_gather_into_tensor %c group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %c0 = fxgraph.wait_tensor %c0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %2 = fxgraph.mm %1, %c0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %2 : tensor<2048x2048xbf16>
}

// A gradient's reduction is off the way: it starts at once, and is waited for in the end.
// CHECK-LABEL: func.func @gradients
// CHECK: fxgraph.mm %arg0, %arg1
// CHECK-NEXT: fxgraph.all_reduce
// CHECK-NEXT: fxgraph.mm
// CHECK-NEXT: fxgraph.wait_tensor
// CHECK-NEXT: return
func.func @gradients(%x: tensor<2048x2048xbf16>, %y: tensor<2048x2048xbf16>) -> (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) {
  %0 = fxgraph.mm %x, %y : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %s = fxgraph.all_reduce %0 op "sum" group "g" : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %w = fxgraph.wait_tensor %s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = fxgraph.mm %0, %y : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %w, %1 : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>
}

// Starts of one group keep their order, though the second one is needed first; draws and writes keep theirs.
// CHECK-LABEL: func.func @order
// CHECK: fxgraph.all_gather_into_tensor %arg1 group "g"
// CHECK: fxgraph.all_gather_into_tensor %arg2 group "g"
// CHECK: fxgraph.mm
// CHECK: fxgraph.copy_ %arg1 into %arg3
// CHECK: fxgraph.copy_ %arg2 into %arg3
func.func @order(%x: tensor<2048x2048xbf16>, %a: tensor<1024x2048xbf16>, %b: tensor<1024x2048xbf16>, %buffer: tensor<1024x2048xbf16>) -> (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) {
  %0 = fxgraph.mm %x, %x : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  fxgraph.copy_ %a into %buffer : tensor<1024x2048xbf16>, tensor<1024x2048xbf16>
  %a0s = fxgraph.all_gather_into_tensor %a group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %b0s = fxgraph.all_gather_into_tensor %b group "g" of 2 : (tensor<1024x2048xbf16>) -> tensor<2048x2048xbf16>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %1 = fxgraph.mm %0, %b0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  fxgraph.copy_ %b into %buffer : tensor<1024x2048xbf16>, tensor<1024x2048xbf16>
  %2 = fxgraph.mm %1, %a0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  %3 = fxgraph.mm %2, %a0 : (tensor<2048x2048xbf16>, tensor<2048x2048xbf16>) -> tensor<2048x2048xbf16>
  return %1, %3 : tensor<2048x2048xbf16>, tensor<2048x2048xbf16>
}
