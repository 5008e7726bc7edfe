// Running sums of few long columns: memory in which blocks pass them on, cleared in front of the nest. Twins that stay as they are.
// RUN: split-file %s %t
// RUN: fx-opt %t/fine.mlir --fxgraph-spread-scans | FileCheck %t/fine.mlir
// RUN: fx-opt %t/fine.mlir --fxgraph-spread-scans | fx-opt --fxgraph-spread-scans | FileCheck %t/fine.mlir
// RUN: fx-opt %t/fine.mlir --fxgraph-spread-scans --fxgraph-batch-kernels | FileCheck %t/fine.mlir
// RUN: fx-opt %t/fine.mlir --fxgraph-spread-scans --fxgraph-plan-memory --fxgraph-configure-kernels | FileCheck %t/fine.mlir --check-prefix=CONFIGURED
// RUN: fx-opt %t/given.mlir --fxgraph-configure-kernels | FileCheck %t/given.mlir
// RUN: fx-opt %t/given.mlir --fxgraph-configure-kernels | fx-opt --fxgraph-configure-kernels | FileCheck %t/given.mlir
// RUN: fx-opt %t/refused.mlir --split-input-file --verify-diagnostics --fxgraph-configure-kernels

//--- fine.mlir
// CHECK-LABEL: func.func @long
// CHECK: %[[CARRIES:.*]] = memref.alloc() : memref<30xi64>
// CHECK: fxgraph.loop_nest ["clear"](%[[CARRIES]]) over [30] {
// CHECK: fxgraph.loop_nest ["cumsum"](%{{.*}}, %{{.*}}, %[[CARRIES]]) over [130000] reducing [0]
// CHECK: {fxgraph.carries}
// CONFIGURED: kind = "flat"
// CONFIGURED: lowering_config = {block = 256 : i64, box = array<i64: 4352>, chunks = 1 : i64, kind = "scans", lanes = 4 : i64, read_lanes = 4 : i64, spread, strides = array<i64: 1>, threads = 256 : i64}
func.func @long(%x: memref<130000xf32>, %r: memref<130000xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["cumsum"](%x, %r) over [130000] reducing [0] {
  ^bb0(%i: index, %from: memref<130000xf32>, %to: memref<130000xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<130000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<130000xf32>
  } : memref<130000xf32>, memref<130000xf32>
  return
}

// Sums of 64 bits; a kind that was asked for; what one block holds.
// CHECK-LABEL: func.func @others
// CHECK-NOT: fxgraph.carries
// CHECK: return
// CONFIGURED-LABEL: func.func @others
// CONFIGURED-NOT: spread
func.func @others(%x: memref<130000xf64>, %y: memref<130000xf32>, %z: memref<4000xf32>, %r: memref<130000xf64> {fxgraph.result}, %s: memref<130000xf32> {fxgraph.result}, %t: memref<4000xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["cumsum"](%x, %r) over [130000] reducing [0] {
  ^bb0(%i: index, %from: memref<130000xf64>, %to: memref<130000xf64>):
    %0 = fxgraph.nest.load %from[%i] : memref<130000xf64> to f64
    %1 = fxgraph.nest.scan "sum" %0 : (f64) -> f64
    fxgraph.nest.store %1, %to[%i] : f64 to memref<130000xf64>
  } : memref<130000xf64>, memref<130000xf64>
  fxgraph.loop_nest ["cumsum"](%y, %s) over [130000] reducing [0] {
  ^bb0(%i: index, %from: memref<130000xf32>, %to: memref<130000xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<130000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<130000xf32>
  } {lowering_config = {kind = "rows"}} : memref<130000xf32>, memref<130000xf32>
  fxgraph.loop_nest ["cumsum"](%z, %t) over [4000] reducing [0] {
  ^bb0(%i: index, %from: memref<4000xf32>, %to: memref<4000xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<4000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<4000xf32>
  } : memref<4000xf32>, memref<4000xf32>
  return
}

//--- given.mlir
// What the box is, and how many threads a column has, can be chosen; the rest follows.
// CHECK: lowering_config = {block = 128 : i64, box = array<i64: 16, 64>, chunks = 2 : i64, kind = "scans", lanes = 1 : i64, read_lanes = 1 : i64, strides = array<i64: {{.*}}>, threads = 8 : i64}
func.func @box(%x: memref<8000xf32>, %r: memref<8000xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["cumsum"](%x, %r) over [80, 100] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<8000xf32>, %to: memref<8000xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 80] : memref<8000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i * 100 + %j] : f32 to memref<8000xf32>
  } {lowering_config = {kind = "scans", box = array<i64: 16, 64>, threads = 8}} : memref<8000xf32>, memref<8000xf32>
  return
}

//--- refused.mlir
func.func @threads(%x: memref<8000xf32>, %r: memref<8000xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a box and threads of a column that a block has room for but got}}
  fxgraph.loop_nest ["cumsum"](%x, %r) over [80, 100] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<8000xf32>, %to: memref<8000xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 80] : memref<8000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i * 100 + %j] : f32 to memref<8000xf32>
  } {lowering_config = {box = array<i64: 16, 64>, kind = "scans", threads = 7}} : memref<8000xf32>, memref<8000xf32>
  return
}

// -----

// Memory for what is passed on is that of larger boxes.
func.func @words(%x: memref<8000xf32>, %c: memref<2xi64>, %r: memref<8000xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected boxes that pass on up to 2 words but got 8}}
  fxgraph.loop_nest ["cumsum"](%x, %r, %c) over [8000] reducing [0] {
  ^bb0(%i: index, %from: memref<8000xf32>, %to: memref<8000xf32>, %carries: memref<2xi64>):
    %0 = fxgraph.nest.load %from[%i] : memref<8000xf32> to f32
    %1 = fxgraph.nest.scan "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<8000xf32>
  } {fxgraph.carries, lowering_config = {box = array<i64: 1024>}} : memref<8000xf32>, memref<8000xf32>, memref<2xi64>
  return
}
