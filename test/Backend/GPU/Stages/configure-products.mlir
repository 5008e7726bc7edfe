// Who computes products and attention, and how: what stands there is kept, options go before it.
// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-configure-products | FileCheck %s
// RUN: sed -n '/^\/\/ CHECK-LABEL: func.func @wgmma/,/^\/\/ -----/p' %s > %t.mlir
// RUN: fx-opt %t.mlir --fxgraph-configure-products=product-config=stages=3,raster=4 | FileCheck %s --check-prefix=OPTION
// OPTION: config = "tile-n=128,stages=3,cluster=1,schedule=cooperative,raster=4,blocks=132"
// RUN: fx-opt %t.mlir --fxgraph-configure-products --fxgraph-plan-memory --fxgraph-configure-kernels --fxgraph-emit-kernels | FileCheck %s --check-prefix=EMITTED
// EMITTED: fxgraph.config = "tile-n=128,stages=2,cluster=1,schedule=cooperative,raster=8,blocks=132"

// CHECK-LABEL: func.func @library
// CHECK: lowering_config = {emitter = "library"}
func.func @library(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %d: memref<8x8xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.matrix_product ["mm"] %a, %b to %d {} : memref<8x8xf32>, memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

// CHECK-LABEL: func.func @wgmma
// CHECK: lowering_config = {config = "tile-n=128,stages=2,cluster=1,schedule=cooperative,raster=8,blocks=132", emitter = "wgmma"}
func.func @wgmma(%a: memref<512x64xbf16>, %b: memref<64x512xbf16>, %d: memref<512x512xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "wgmma", config = "tile-n=128,stages=2,cluster=1,schedule=cooperative,raster=8"}}
    : memref<512x64xbf16>, memref<64x512xbf16> to memref<512x512xbf16>
  return
}

// -----

// Rows of 67 elements are no multiples of 16 bytes: copied first.
// CHECK-LABEL: func.func @packed
// CHECK: %[[M:.*]] = memref.alloc() : memref<8576xbf16>
// CHECK: %[[P:.*]] = fxgraph.buffer %[[M]] offset 0 : memref<8576xbf16> to memref<67x67xbf16, strided<[128, 1]>>
// CHECK: fxgraph.pack ["mm"] %arg0 to %[[P]]
// CHECK-NEXT: fxgraph.matrix_product ["mm"] %[[P]], %arg1 to %arg2
func.func @packed(%a: memref<67x67xbf16>, %b: memref<67x64xbf16>, %d: memref<67x64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "wgmma"}} : memref<67x67xbf16>, memref<67x64xbf16> to memref<67x64xbf16>
  return
}

// -----

// Keys of a few queries are split over blocks, which leave their parts in memory.
// CHECK-LABEL: func.func @attention
// CHECK: %[[S:.*]] = memref.alloc() : memref<{{[0-9]+}}xf32>
// CHECK: fxgraph.attention %arg0, %arg1, %arg2 scratch %[[S]] to %arg3 scale 1.250000e-01 {lowering_config = {blocks = 0
// CHECK-SAME: splits = 4
func.func @attention(%q: memref<1x1x64xf16>, %k: memref<1x4096x64xf16>, %v: memref<1x4096x64xf16>, %o: memref<1x1x64xf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.attention %q, %k, %v to %o scale 0.125 {lowering_config = {splits = 4 : i64}} : memref<1x1x64xf16>, memref<1x4096x64xf16>, memref<1x4096x64xf16> to memref<1x1x64xf16>
  return
}

// -----

func.func @unknown(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %d: memref<8x8xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{expected emitter to be library, mma or wgmma but got 'cutlass'}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "cutlass"}} : memref<8x8xf32>, memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

func.func @wide(%a: memref<8x8xf32>, %b: memref<8x8xf32>, %d: memref<8x8xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{expected a product of 16-bit floats on sm_90a for wgmma}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "wgmma"}} : memref<8x8xf32>, memref<8x8xf32> to memref<8x8xf32>
  return
}

// -----

func.func @older(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_80"} {
  // expected-error@+1 {{expected a product of 16-bit floats on sm_90a for wgmma}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "wgmma"}} : memref<8x8xf16>, memref<8x8xf16> to memref<8x8xf16>
  return
}

// -----

func.func @odd(%a: memref<8x7xf16>, %b: memref<7x8xf16>, %d: memref<8x8xf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_80"} {
  // expected-error@+1 {{expected a product that mma.sync computes: 16-bit floats, dense rows, sizes and leading dimensions that are multiples of 8}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "mma"}} : memref<8x7xf16>, memref<7x8xf16> to memref<8x8xf16>
  return
}

// -----

func.func @tile(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  // expected-error@+1 {{product-config: expected tile-n to be 64, 128, 192 or 256 but got 100}}
  fxgraph.matrix_product ["mm"] %a, %b to %d {} {lowering_config = {emitter = "wgmma", config = "tile-n=100"}} : memref<64x64xbf16>, memref<64x64xbf16> to memref<64x64xbf16>
  return
}
