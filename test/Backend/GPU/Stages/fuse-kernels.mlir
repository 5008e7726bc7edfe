// What the fusion planner decides is a host function on memory.
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=rows libraries=always" | FileCheck %s --check-prefix=ROWS
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=gather libraries=always" | FileCheck %s --check-prefix=GATHER
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=product libraries=always" | FileCheck %s --check-prefix=PRODUCT
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=pieces libraries=always" | FileCheck %s --check-prefix=PIECES
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=padded libraries=always" | FileCheck %s --check-prefix=PADDED
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=literal libraries=always" | FileCheck %s --check-prefix=LITERAL
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=pieces libraries=always" | fx-opt --verify-roundtrip -o /dev/null
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=padded libraries=always" | fx-opt --verify-roundtrip -o /dev/null
// RUN: fx-opt %s --fxgraph-fuse-kernels="entry=product libraries=always" | fx-opt --verify-roundtrip -o /dev/null
// The same with a plugin in the stock tool.
// RUN: %mlir-opt %s --load-dialect-plugin=%plugin --load-pass-plugin=%plugin --pass-pipeline='builtin.module(fxgraph-fuse-kernels{entry=rows},func.func(fxgraph-batch-kernels,fxgraph-configure-products,fxgraph-plan-memory,fxgraph-configure-kernels),fxgraph-emit-kernels)' | FileCheck %s --check-prefix=EMITTED
// RUN: not fx-opt %s --fxgraph-fuse-kernels="entry=rows chip=sm_1 libraries=always" 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: expected a chip of {{.*}} but got 'sm_1'
// RUN: not fx-opt %s --fxgraph-fuse-kernels=libraries=always 2>&1 | FileCheck %s --check-prefix=SEVERAL
// SEVERAL: fxgraph-fuse-kernels: expected one function with a body, or entry=NAME, but got several

// Values of f16 are f32 inside; a loop that is reduced over.
// ROWS: func.func @rows(%[[X:.*]]: memref<4x16xf16>, %[[B:.*]]: memref<16xf16>, %[[R:.*]]: memref<4x16xf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
// ROWS-NEXT: %[[XS:.*]] = fxgraph.buffer %[[X]] offset 0 : memref<4x16xf16> to memref<64xf16>
// ROWS-NEXT: %[[RS:.*]] = fxgraph.buffer %[[R]] offset 0 : memref<4x16xf16> to memref<64xf16>
// ROWS-NEXT: fxgraph.loop_nest ["add", "softmax"](%[[B]], %[[XS]], %[[RS]]) over [4, 16] reducing [1] {
// ROWS-NEXT: ^bb0(%[[I:.*]]: index, %[[J:.*]]: index, %[[MB:.*]]: memref<16xf16>, %[[MX:.*]]: memref<64xf16>, %[[MR:.*]]: memref<64xf16>):
// ROWS-NEXT:   %[[LB:.*]] = fxgraph.nest.load %[[MB]][%[[J]]] : memref<16xf16> to f32
// ROWS-NEXT:   %[[LX:.*]] = fxgraph.nest.load %[[MX]][%[[I]] * 16 + %[[J]]] : memref<64xf16> to f32
// ROWS-NEXT:   %[[SUM:.*]] = fxgraph.nest.element(%[[LX]], %[[LB]]) {
// ROWS-NEXT:   ^bb0(%[[A0:.*]]: tensor<f16>, %[[A1:.*]]: tensor<f16>):
// ROWS-NEXT:     fxgraph.add %[[A0]], %[[A1]] : (tensor<f16>, tensor<f16>) -> tensor<f16>
// ROWS:        %[[MAX:.*]] = fxgraph.nest.reduce "max" %[[SUM]] : (f32) -> f32
// ROWS-NEXT:   arith.subf %[[SUM]], %[[MAX]] : f32
// ROWS-NEXT:   math.exp %{{.*}} fastmath<afn> : f32
// ROWS:        fxgraph.nest.store %{{.*}}, %[[MR]][%[[I]] * 16 + %[[J]]] : f32 to memref<64xf16>
// ROWS-NEXT: } : memref<16xf16>, memref<64xf16>, memref<64xf16>
// ROWS-NEXT: return
// EMITTED: gpu.func @k0_add_softmax
// EMITTED: gpu.launch_func @kernels::@k0_add_softmax
func.func @rows(%x: tensor<4x16xf16>, %b: tensor<16xf16>) -> tensor<4x16xf16> {
  %0 = fxgraph.add %x, %b : (tensor<4x16xf16>, tensor<16xf16>) -> tensor<4x16xf16>
  %1 = fxgraph.softmax %0 dim -1 : (tensor<4x16xf16>) -> tensor<4x16xf16>
  return %1 : tensor<4x16xf16>
}

// An index that is loaded, from the end where it is negative.
// GATHER: %[[N:.*]] = fxgraph.nest.load %{{.*}}[%[[I:.*]]] : memref<5xi64> to i64
// GATHER-NEXT: %[[K:.*]] = fxgraph.nest.index %[[N]] from 0 below 9 : i64
// GATHER-NEXT: fxgraph.nest.load %{{.*}}[%{{.*}} + %[[K]] * 4] : memref<36xf32> to f32
func.func @gather(%x: tensor<9x4xf32>, %i: tensor<5xi64>) -> tensor<5x4xf32> {
  %0 = fxgraph.index_select %x, %i dim 0 : (tensor<9x4xf32>, tensor<5xi64>) -> tensor<5x4xf32>
  return %0 : tensor<5x4xf32>
}

// A view stays a view: a weight as it lies. The result's memory is the product's.
// PRODUCT: func.func @product(%[[X:.*]]: memref<64x32xbf16>, %[[W:.*]]: memref<48x32xbf16>, %[[B:.*]]: memref<48xbf16>, %[[R:.*]]: memref<64x48xbf16>
// PRODUCT: %[[T:.*]] = fxgraph.buffer %[[W]] offset 0 : memref<48x32xbf16> to memref<32x48xbf16, strided<[1, 32]>>
// PRODUCT-NEXT: fxgraph.matrix_product ["addmm", "gelu"] %[[X]], %[[T]] plus %[[B]] to %[[R]] {
// PRODUCT-NEXT: ^bb0(%[[V:.*]]: tensor<bf16>):
// PRODUCT-NEXT:   %[[G:.*]] = fxgraph.gelu %[[V]] approximate "tanh" : tensor<bf16>
// PRODUCT-NEXT:   fxgraph.yield %[[G]]
// PRODUCT-NEXT: } : memref<64x32xbf16>, memref<32x48xbf16, strided<[1, 32]>> plus memref<48xbf16> to memref<64x48xbf16>
func.func @product(%x: tensor<64x32xbf16>, %w: tensor<48x32xbf16>, %b: tensor<48xbf16>) -> tensor<64x48xbf16> {
  %t = fxgraph.permute %w dims [1, 0] : (tensor<48x32xbf16>) -> tensor<32x48xbf16>
  %0 = fxgraph.addmm %b, %x, %t : (tensor<48xbf16>, tensor<64x32xbf16>, tensor<32x48xbf16>) -> tensor<64x48xbf16>
  %1 = fxgraph.gelu %0 approximate "tanh" : tensor<64x48xbf16>
  return %1 : tensor<64x48xbf16>
}

// A piece of a cat is computed in its place; a result that is an argument is copied at the end. Bytes are unsigned.
// PIECES: func.func @pieces(%[[X:.*]]: memref<4x6xui8>, %[[Y:.*]]: memref<4x2xui8>, %[[R:.*]]: memref<4x8xui8> {fxgraph.result}, %[[C:.*]]: memref<4x6xui8> {fxgraph.result})
// PIECES: %[[PART:.*]] = fxgraph.buffer %[[R]] offset 0 : memref<4x8xui8> to memref<4x6xui8, strided<[8, 1]>>
// PIECES: fxgraph.loop_nest ["bitwise_not"]
// PIECES: fxgraph.nest.load {{.*}} : memref<24xui8> to ui8
// PIECES: fxgraph.bitwise_not %{{.*}} : tensor<ui8>
// PIECES: fxgraph.nest.store %{{.*}}, %{{.*}}[%{{.*}} * 8 + %{{.*}}] : ui8 to memref<30xui8>
// PIECES: fxgraph.buffer %[[R]] offset 6 : memref<4x8xui8> to memref<26xui8>
// PIECES: %[[FROM:.*]] = fxgraph.buffer %[[X]] offset 0 : memref<4x6xui8> to memref<24xi8>
// PIECES: %[[TO:.*]] = fxgraph.buffer %[[C]] offset 0 : memref<4x6xui8> to memref<24xi8>
// PIECES: memref.copy %[[FROM]], %[[TO]]
func.func @pieces(%x: tensor<4x6xui8>, %y: tensor<4x2xui8>) -> (tensor<4x8xui8>, tensor<4x6xui8>) {
  %0 = fxgraph.bitwise_not %x : tensor<4x6xui8>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<4x6xui8>, tensor<4x2xui8>) -> tensor<4x8xui8>
  return %1, %x : tensor<4x8xui8>, tensor<4x6xui8>
}

// Values by where they are; the numbers of the graph promote as such in an element.
// PADDED: fxgraph.nest.clamp [%{{.*}} - 2] from 0 to 4
// PADDED: fxgraph.nest.select [%{{.*}} - 2] from [0] to [4] ? %{{.*}} : %{{.*}} : f32
// PADDED: fxgraph.nest.element
// PADDED-NEXT: ^bb0(%[[E:.*]]: tensor<1xf16>, %{{.*}}: tensor<f64>):
// PADDED: %[[N:.*]] = fxgraph.constant dense<3.000000e+00> : tensor<f64>
// PADDED-NEXT: fxgraph.pow %[[E]], %[[N]] : (tensor<1xf16>, tensor<f64>) -> tensor<1xf16>
func.func @padded(%x: tensor<5xf16>) -> tensor<9xf16> {
  %n = fxgraph.constant dense<3.0> : tensor<f64>
  %0 = fxgraph.constant_pad_nd %x by [2, 2] value 1.0 : (tensor<5xf16>) -> tensor<9xf16>
  %1 = fxgraph.pow %0, %n : (tensor<9xf16>, tensor<f64>) -> tensor<9xf16>
  return %1 : tensor<9xf16>
}

// LITERAL: memref.global "private" constant @constant0 : memref<16xi8>
// LITERAL: %[[C:.*]] = memref.get_global @constant0 : memref<16xi8>
// LITERAL: fxgraph.buffer %[[C]] offset 0 : memref<16xi8> to memref<4xf32>
// LITERAL: %[[A:.*]] = memref.alloc() : memref<4xf32>
// LITERAL: fxgraph.nest.store %{{.*}} : f32 to memref<4xf32>
// LITERAL: memref.copy
func.func @literal(%x: tensor<4xf32>) {
  %c = fxgraph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = fxgraph.add %x, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %0 into %x : tensor<4xf32>, tensor<4xf32>
  return
}
