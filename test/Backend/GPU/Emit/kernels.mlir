// The emitted kernels: 16 bytes per operand and thread, predicated tails, row
// reductions by shuffles.
// RUN: fx-opt %s --split-input-file --fxgraph-to-gpu | FileCheck %s

// CHECK: gpu.func @k0_mul_add_relu({{.*}}%arg3: memref<bf16> {llvm.align = 16 : i64, llvm.noalias}) kernel
// CHECK-SAME: known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 4000, 1, 1>
// CHECK-COUNT-3: vector.load {{.*}} {alignment = 16 : i64} : memref<{{[0-9]+}}xbf16>, vector<8xbf16>
// CHECK: arith.mulf {{.*}} : vector<8xf32>
// CHECK: arith.maximumf {{.*}} : vector<8xf32>
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<4096000xbf16>, vector<8xbf16>
// CHECK-NOT: scf.if
// CHECK: gpu.return
func.func @main(%x: tensor<4096x1000xbf16>, %a: tensor<4096x1000xbf16>, %b: tensor<1000xbf16>) -> tensor<4096x1000xbf16> {
  %0 = fxgraph.mul %x, %a : (tensor<4096x1000xbf16>, tensor<4096x1000xbf16>) -> tensor<4096x1000xbf16>
  %1 = fxgraph.add %0, %b : (tensor<4096x1000xbf16>, tensor<1000xbf16>) -> tensor<4096x1000xbf16>
  %2 = fxgraph.relu %1 : tensor<4096x1000xbf16>
  return %2 : tensor<4096x1000xbf16>
}

// -----

// One dimension that no vector divides: what is left, an element a thread, and vectors.
// CHECK: gpu.func @k0_exp
// CHECK-SAME: fxgraph.schedule = {kind = "flat", lanes = 4 : i64, unroll = 1 : i64}
// CHECK: scf.if
// CHECK: memref.load
// CHECK: memref.store
// CHECK: scf.if
// CHECK: vector.load {{.*}} {alignment = 16 : i64} : memref<1037xf32>, vector<4xf32>
func.func @main(%x: tensor<1037xf32>) -> tensor<1037xf32> {
  %0 = fxgraph.exp %x : tensor<1037xf32>
  return %0 : tensor<1037xf32>
}

// -----

// A slice at an odd column: loads are no wider than the alignment that is known, and stores not much wider.
// CHECK: gpu.func @k0_exp
// CHECK-SAME: fxgraph.schedule = {kind = "flat", lanes = 2 : i64, unroll = 1 : i64}
// CHECK: vector.load {{.*}} {alignment = 4 : i64} : memref<{{[0-9]+}}xf32>, vector<2xf32>
// CHECK: vector.store {{.*}} {alignment = 8 : i64}
func.func @main(%x: tensor<64x65xf32>) -> tensor<64x64xf32> {
  %0 = fxgraph.slice %x dim 1 from 1 to 65 : (tensor<64x65xf32>) -> tensor<64x64xf32>
  %1 = fxgraph.exp %0 : tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// -----

// One block per row, the row in registers: two loads of 8, no second read.
// CHECK: gpu.func @k0_softmax
// CHECK-SAME: workgroup({{.*}}memref<8xf32, #gpu.address_space<workgroup>>{{.*}}memref<8xf32, #gpu.address_space<workgroup>>{{.*}})
// CHECK-SAME: known_block_size = array<i32: 256, 1, 1>, known_grid_size = array<i32: 16384, 1, 1>
// CHECK-COUNT-2: vector.load
// CHECK-NOT: vector.load
// CHECK: gpu.shuffle xor
// CHECK: gpu.barrier
// CHECK: math.exp2 {{.*}} fastmath<afn>
// CHECK: gpu.barrier
// CHECK-NOT: gpu.barrier
// CHECK-COUNT-2: vector.store
func.func @main(%x: tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16> {
  %0 = fxgraph.softmax %x dim -1 : (tensor<16384x4096xbf16>) -> tensor<16384x4096xbf16>
  return %0 : tensor<16384x4096xbf16>
}

// -----

// A short row takes part of a warp and no shared memory.
// CHECK: gpu.func @k0_softmax
// CHECK-NOT: workgroup(
// CHECK: gpu.shuffle xor
// CHECK-NOT: gpu.barrier
// CHECK: gpu.return
func.func @main(%x: tensor<1000x64xf32>) -> tensor<1000x64xf32> {
  %0 = fxgraph.softmax %x dim -1 : (tensor<1000x64xf32>) -> tensor<1000x64xf32>
  return %0 : tensor<1000x64xf32>
}

// -----

// A column reduction: neighbouring threads have neighbouring columns; those that share one meet in shared memory.
// CHECK: gpu.func @k0_sum
// CHECK-SAME: fxgraph.schedule = {{{.*}}kind = "strips"
// CHECK: vector.load
// CHECK: gpu.barrier
func.func @main(%x: tensor<512x4096xf32>) -> tensor<4096xf32> {
  %0 = fxgraph.sum %x dims [0] : (tensor<512x4096xf32>) -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}

// -----

// A transposed array: through shared memory, words of four bytes on both sides.
// CHECK: gpu.func @k0_
// CHECK-SAME: fxgraph.schedule = {across = array<i64: 0>, along = array<i64: 1>, box = array<i64: {{.*}}>, kind = "boxes", lanes = 2 : i64, read_lanes = 2 : i64
// CHECK: vector.load {{.*}} {alignment = 4 : i64} : memref<131072xbf16>, vector<2xbf16>
// CHECK: gpu.barrier
// CHECK: vector.store {{.*}} {alignment = 4 : i64} : memref<131072xbf16>, vector<2xbf16>
func.func @main(%x: tensor<256x512xbf16>) -> tensor<512x256xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<256x512xbf16>) -> tensor<512x256xbf16>
  %1 = fxgraph.contiguous %0 : tensor<512x256xbf16>
  return %1 : tensor<512x256xbf16>
}
