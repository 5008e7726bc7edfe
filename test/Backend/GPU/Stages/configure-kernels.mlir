// How loop nests are spread over blocks and threads: what stands there is kept, or there is no such kernel.
// RUN: split-file %s %t
// RUN: fx-opt %t/fine.mlir --fxgraph-configure-kernels | FileCheck %t/fine.mlir
// RUN: fx-opt %t/fine.mlir --fxgraph-configure-kernels | fx-opt --fxgraph-configure-kernels | FileCheck %t/fine.mlir
// RUN: fx-opt %t/fine.mlir --fxgraph-configure-kernels --fxgraph-emit-kernels | FileCheck %t/fine.mlir --check-prefix=EMITTED
// RUN: fx-opt %t/launch.mlir --fxgraph-configure-kernels | FileCheck %t/launch.mlir
// RUN: fx-opt %t/launch.mlir --fxgraph-configure-kernels | fx-opt --fxgraph-configure-kernels | FileCheck %t/launch.mlir
// An option says it for all nests that have nothing, where there is such a kernel.
// RUN: fx-opt %t/fine.mlir --fxgraph-configure-kernels="nest-config=kind=flat,lanes=2,block=64" | FileCheck %t/option.txt
// RUN: fx-opt %t/fine.mlir --fxgraph-configure-kernels="nest-config=kind=strips" | FileCheck %t/fine.mlir --check-prefix=NO-SUCH
// RUN: not fx-opt %t/fine.mlir --fxgraph-configure-kernels="nest-config=kind=flat,lanes" 2>&1 | FileCheck %t/option.txt --check-prefix=PARSE
// RUN: not fx-opt %t/fine.mlir --fxgraph-configure-kernels="nest-config=lanes=2,lanes=4" 2>&1 | FileCheck %t/option.txt --check-prefix=TWICE
// RUN: fx-opt %t/refused.mlir --split-input-file --verify-diagnostics --fxgraph-configure-kernels

//--- option.txt
CHECK-LABEL: func.func @chosen
CHECK: lowering_config = {block = 64 : i64, kind = "flat", lanes = 2 : i64
What stands there is kept.
CHECK-LABEL: func.func @flat
CHECK: lowering_config = {block = 512 : i64, kind = "flat", lanes = 2 : i64, unroll = 2 : i64}
PARSE: error: nest-config: expected entries like kind=rows,threads=64, each once, but got 'lanes'
TWICE: error: nest-config: expected entries like kind=rows,threads=64, each once, but got 'lanes=4'

//--- fine.mlir
// NO-SUCH-LABEL: func.func @chosen
// NO-SUCH: lowering_config = {block = 128 : i64, kind = "flat", lanes = 4 : i64, unroll = 1 : i64}
// CHECK-LABEL: func.func @chosen
// CHECK-SAME: fxgraph.processors = 132
// CHECK: lowering_config = {block = 128 : i64, kind = "flat", lanes = 4 : i64, unroll = 1 : i64}
// EMITTED: gpu.func @k0_copy({{.*}}fxgraph.schedule = {kind = "flat", lanes = 4 : i64, unroll = 1 : i64}, known_block_size = array<i32: 128, 1, 1>
func.func @chosen(%x: memref<4096xf32>, %r: memref<4096xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["copy"](%x, %r) over [4096] {
  ^bb0(%i: index, %from: memref<4096xf32>, %to: memref<4096xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<4096xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<4096xf32>
  } : memref<4096xf32>, memref<4096xf32>
  return
}

// CHECK-LABEL: func.func @flat
// CHECK: lowering_config = {block = 512 : i64, kind = "flat", lanes = 2 : i64, unroll = 2 : i64}
// EMITTED: fxgraph.schedule = {kind = "flat", lanes = 2 : i64, unroll = 2 : i64}, known_block_size = array<i32: 512, 1, 1>, known_grid_size = array<i32: 2, 1, 1>
// EMITTED: vector<2xf32>
func.func @flat(%x: memref<4096xf32>, %r: memref<4096xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["copy"](%x, %r) over [4096] {
  ^bb0(%i: index, %from: memref<4096xf32>, %to: memref<4096xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<4096xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<4096xf32>
  } {lowering_config = {block = 512, lanes = 2, unroll = 2}} : memref<4096xf32>, memref<4096xf32>
  return
}

// The threads of a row decide how many accesses each of them has.
// CHECK-LABEL: func.func @rows
// CHECK: lowering_config = {ahead = 1 : i64, block = 128 : i64, chunks = 8 : i64, kept = true, kind = "rows", lanes = 4 : i64, threads = 8 : i64, unroll = 1 : i64}
// EMITTED: fxgraph.schedule = {ahead = 1 : i64, chunks = 8 : i64, kept = true, kind = "rows", lanes = 4 : i64, threads = 8 : i64, unroll = 1 : i64}
func.func @rows(%x: memref<65536xf32>, %r: memref<256xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["sum"](%x, %r) over [256, 256] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<256xf32>):
    %0 = fxgraph.nest.load %from[%i * 256 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<256xf32>
  } {lowering_config = {threads = 8}} : memref<65536xf32>, memref<256xf32>
  return
}

// Rows by threads for columns, as one asks.
// CHECK-LABEL: func.func @columns
// CHECK: kind = "strips"
// EMITTED: kind = "strips"
func.func @columns(%x: memref<65536xf32>, %r: memref<256xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["sum"](%x, %r) over [256, 256] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<256xf32>):
    %0 = fxgraph.nest.load %from[%i * 256 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<256xf32>
  } {lowering_config = {kind = "strips"}} : memref<65536xf32>, memref<256xf32>
  return
}

//--- launch.mlir
// Blocks of one size; one that asks for others comes by itself.
// CHECK: fxgraph.loop_nest ["large"]
// CHECK: lowering_config = {block = 512 : i64
// CHECK: fxgraph.launch {
// CHECK-NEXT: fxgraph.loop_nest ["first"]
// CHECK: lowering_config = {block = 256 : i64
// CHECK: fxgraph.loop_nest ["second"]
// CHECK: lowering_config = {block = 256 : i64
func.func @launch(%x: memref<4096xf32>, %r: memref<4096xf32> {fxgraph.result}, %s: memref<4096xf32> {fxgraph.result}, %t: memref<4096xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace})
    attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.launch {
    fxgraph.loop_nest ["large"](%x, %r) over [4096] {
    ^bb0(%i: index, %from: memref<4096xf32>, %to: memref<4096xf32>):
      %0 = fxgraph.nest.load %from[%i] : memref<4096xf32> to f32
      fxgraph.nest.store %0, %to[%i] : f32 to memref<4096xf32>
    } {lowering_config = {block = 512}} : memref<4096xf32>, memref<4096xf32>
    fxgraph.loop_nest ["first"](%x, %s) over [4096] {
    ^bb0(%i: index, %from: memref<4096xf32>, %to: memref<4096xf32>):
      %0 = fxgraph.nest.load %from[%i] : memref<4096xf32> to f32
      fxgraph.nest.store %0, %to[%i] : f32 to memref<4096xf32>
    } : memref<4096xf32>, memref<4096xf32>
    fxgraph.loop_nest ["second"](%x, %t) over [4096] {
    ^bb0(%i: index, %from: memref<4096xf32>, %to: memref<4096xf32>):
      %0 = fxgraph.nest.load %from[%i] : memref<4096xf32> to f32
      fxgraph.nest.store %0, %to[%i] : f32 to memref<4096xf32>
    } : memref<4096xf32>, memref<4096xf32>
  }
  return
}

//--- refused.mlir
func.func @kind(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a kind of kernel that computes this nest but got "rows"}}
  fxgraph.loop_nest ["copy"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {kind = "rows"}} : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @name(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected kind to be flat, boxes, rows, strips, loops, scans or tiles but got "planes"}}
  fxgraph.loop_nest ["copy"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {kind = "planes"}} : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @entry(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected entries of a kernel of kind "flat" but got stages = 3}}
  fxgraph.loop_nest ["copy"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {stages = 3}} : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @block(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected block to be a power of two up to 1024 but got 96}}
  fxgraph.loop_nest ["copy"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {block = 96}} : memref<64xf32>, memref<64xf32>
  return
}

// -----

func.func @steps(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected steps_along to be a dimension that no address takes apart, other than those that memory is contiguous along, but got 0}}
  fxgraph.loop_nest ["copy"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {unroll = 2, steps_along = 0}} : memref<64xf32>, memref<64xf32>
  return
}

// -----

// Tiles are for windows and products.
func.func @tiles(%x: memref<63xf32>, %r: memref<7xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a kind of kernel that computes this nest but got "tiles"}}
  fxgraph.loop_nest ["sum"](%x, %r) over [7, 9] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<63xf32>, %to: memref<7xf32>):
    %0 = fxgraph.nest.load %from[%i * 9 + %j] : memref<63xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<7xf32>
  } {lowering_config = {kind = "tiles"}} : memref<63xf32>, memref<7xf32>
  return
}

// -----

func.func @large_tile(%x: memref<630xf32>, %r: memref<70xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a tile of up to 32 results, a power of two of up to 32 threads that share its terms}}
  fxgraph.loop_nest ["sum"](%x, %r) over [70, 9] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<630xf32>, %to: memref<70xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 70] : memref<630xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<70xf32>
  } {lowering_config = {kind = "tiles", box = array<i64: 64, 1>}, prefers_columns} : memref<630xf32>, memref<70xf32>
  return
}

// -----

func.func @tile_threads(%x: memref<630xf32>, %r: memref<70xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a tile of up to 32 results, a power of two of up to 32 threads that share its terms}}
  fxgraph.loop_nest ["sum"](%x, %r) over [70, 9] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<630xf32>, %to: memref<70xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 70] : memref<630xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<70xf32>
  } {lowering_config = {kind = "tiles", threads = 3 : i64}, prefers_columns} : memref<630xf32>, memref<70xf32>
  return
}

// -----

func.func @tile_window(%x: memref<630xf32>, %r: memref<70xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a tile of up to 32 results, a power of two of up to 32 threads that share its terms}}
  fxgraph.loop_nest ["sum"](%x, %r) over [70, 9] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<630xf32>, %to: memref<70xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 70] : memref<630xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<70xf32>
  } {lowering_config = {kind = "tiles", window = 4 : i64}, prefers_columns} : memref<630xf32>, memref<70xf32>
  return
}

// -----

func.func @lanes(%x: memref<63xf32>, %r: memref<7xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected lanes to divide the 9 elements of a dimension but got 4}}
  fxgraph.loop_nest ["sum"](%x, %r) over [7, 9] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<63xf32>, %to: memref<7xf32>):
    %0 = fxgraph.nest.load %from[%i * 9 + %j] : memref<63xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<7xf32>
  } {lowering_config = {lanes = 4}} : memref<63xf32>, memref<7xf32>
  return
}

// -----

func.func @cluster(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_89"} {
  // expected-error@+1 {{lowering_config: expected cluster to be up to 1 but got 2}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {cluster = 2, threads = 128}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

func.func @cluster_of_warps(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected cluster to be up to 1 but got 2}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {cluster = 2, threads = 32}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

func.func @large_cluster(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected cluster to be up to 8 but got 16}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {cluster = 16, threads = 128}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

func.func @cluster_of_columns(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected cluster to be up to 1 but got 2}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {cluster = 2, kind = "strips"}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

func.func @threads(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected block to be the 64 threads of a row but got 128}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {threads = 64, block = 128}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

func.func @chunks(%x: memref<65536xf32>, %r: memref<64xf32> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected chunks to be 4 : i64 but got 3 : i64}}
  fxgraph.loop_nest ["sum"](%x, %r) over [64, 1024] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<65536xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 1024 + %j] : memref<65536xf32> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<64xf32>
  } {lowering_config = {threads = 64, chunks = 3}} : memref<65536xf32>, memref<64xf32>
  return
}

// -----

// Every second element is no run of memory.
func.func @gaps(%x: memref<80000xf16>, %r: memref<4000xf16> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected a nest whose elements are one run of memory but got run = 64}}
  fxgraph.loop_nest ["sum"](%x, %r) over [4000, 10] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<80000xf16>, %to: memref<4000xf16>):
    %0 = fxgraph.nest.load %from[%i * 20 + %j * 2] : memref<80000xf16> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<4000xf16>
  } {lowering_config = {kind = "strips", run = 64}} : memref<80000xf16>, memref<4000xf16>
  return
}

// -----

func.func @run(%x: memref<40000xf16>, %r: memref<4000xf16> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected run to be 64 : i64 but got 65 : i64}}
  fxgraph.loop_nest ["sum"](%x, %r) over [4000, 10] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<40000xf16>, %to: memref<4000xf16>):
    %0 = fxgraph.nest.load %from[%i * 10 + %j] : memref<40000xf16> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<4000xf16>
  } {lowering_config = {kind = "strips", run = 65}} : memref<40000xf16>, memref<4000xf16>
  return
}

// -----

func.func @threads(%x: memref<40000xf16>, %r: memref<4000xf16> {fxgraph.result}, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{lowering_config: expected block to have threads for the 64 results of a run but got 32}}
  fxgraph.loop_nest ["sum"](%x, %r) over [4000, 10] reducing [1] {
  ^bb0(%i: index, %j: index, %from: memref<40000xf16>, %to: memref<4000xf16>):
    %0 = fxgraph.nest.load %from[%i * 10 + %j] : memref<40000xf16> to f32
    %1 = fxgraph.nest.reduce "sum" %0 : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<4000xf16>
  } {lowering_config = {kind = "strips", run = 64, block = 32}} : memref<40000xf16>, memref<4000xf16>
  return
}
