// Allocations become places in one workspace, the last argument.
// RUN: fx-opt %s --split-input-file --fxgraph-plan-memory | FileCheck %s
// RUN: fx-opt %s --split-input-file --fxgraph-plan-memory | fx-opt --split-input-file --fxgraph-plan-memory | FileCheck %s

// The second temporary lives with both others; the third takes the place of the first.
// CHECK-LABEL: func.func @reuse
// CHECK-SAME: %[[W:[a-z0-9]*]]: memref<768xi8> {fxgraph.workspace}
// CHECK: fxgraph.buffer %[[W]] offset 0 : memref<768xi8> to memref<64xf32>
// CHECK: fxgraph.buffer %[[W]] offset 256 : memref<768xi8> to memref<65xf32>
// CHECK: fxgraph.buffer %[[W]] offset 0 : memref<768xi8> to memref<3xf32>
// CHECK-NOT: memref.alloc
func.func @reuse(%x: memref<64xf32>, %r: memref<3xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<65xf32>
  %c = memref.alloc() : memref<3xf32>
  fxgraph.library_call "conv"(%x, %x, %a) as ["input", "filter", "output"] {} : memref<64xf32>, memref<64xf32>, memref<64xf32>
  fxgraph.library_call "conv"(%a, %a, %b) as ["input", "filter", "output"] {} : memref<64xf32>, memref<64xf32>, memref<65xf32>
  fxgraph.library_call "conv"(%b, %b, %c) as ["input", "filter", "output"] {} : memref<65xf32>, memref<65xf32>, memref<3xf32>
  memref.copy %c, %r : memref<3xf32> to memref<3xf32>
  return
}

// -----

// What is allocated in a launch is in registers; a view keeps what it is a view of alive.
// CHECK-LABEL: func.func @launch
// CHECK-SAME: %[[W:[a-z0-9]*]]: memref<16640xi8> {fxgraph.workspace}
// CHECK: fxgraph.buffer %[[W]] offset 0 : memref<16640xi8> to memref<128xi8>
// CHECK: fxgraph.buffer %[[W]] offset 256 : memref<16640xi8> to memref<64x64xf32>
// CHECK: fxgraph.launch {
// CHECK-NEXT: memref.alloc() : memref<64x64xbf16>
func.func @launch(%a: memref<64x64xbf16>, %r: memref<4xi8> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  %kept = memref.alloc() : memref<128xi8>
  %other = memref.alloc() : memref<64x64xf32>
  %view = fxgraph.buffer %kept offset 4 : memref<128xi8> to memref<4xi8>
  memref.copy %view, %r : memref<4xi8> to memref<4xi8>
  fxgraph.launch {
    %t = memref.alloc() : memref<64x64xbf16>
    fxgraph.matrix_product ["mm"] %a, %a to %t {} : memref<64x64xbf16>, memref<64x64xbf16> to memref<64x64xbf16>
    fxgraph.matrix_product ["mm"] %t, %t to %other {} : memref<64x64xbf16>, memref<64x64xbf16> to memref<64x64xf32>
  }
  memref.copy %view, %r : memref<4xi8> to memref<4xi8>
  return
}

// -----

// Indices are checked: a word behind all.
// CHECK-LABEL: func.func @checked
// CHECK-SAME: memref<4xi8> {fxgraph.workspace}
// CHECK-SAME: fxgraph.error_word = 0
func.func @checked(%i: memref<2xi64>, %x: memref<8xf32>, %r: memref<2xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["index_select"](%i, %x, %r) over [2] {
  ^bb0(%d: index, %numbers: memref<2xi64>, %from: memref<8xf32>, %to: memref<2xf32>):
    %0 = fxgraph.nest.load %numbers[%d] : memref<2xi64> to i64
    %k = fxgraph.nest.index %0 from 0 below 8 : i64
    %1 = fxgraph.nest.load %from[%k] : memref<8xf32> to f32
    fxgraph.nest.store %1, %to[%d] : f32 to memref<2xf32>
  } : memref<2xi64>, memref<8xf32>, memref<2xf32>
  return
}

// -----

// Not a host function.
// CHECK-LABEL: func.func @other
// CHECK: memref.alloc
func.func @other() {
  %a = memref.alloc() : memref<4xf32>
  return
}
