// Products of 16-bit floats on warpgroup instructions: tensor maps, the kernel's structure, what is fused, and which
// products they are. Values: emulate-wgmma.mlir, and benchmarks/gpu_gemm.py --values on a GPU.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none" | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none" | fx-opt --verify-roundtrip -o /dev/null
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile-n=128,stages=5,cluster=2,raster=4" | FileCheck %s --check-prefix=CONFIG
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile-n=128,schedule=pingpong,blocks=114" | FileCheck %s --check-prefix=TURNS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none" | FileCheck %s --check-prefix=SPLIT
// RUN: fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none product-config=split=1" | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none product-config=cluster=2,tile-n=128" | FileCheck %s --check-prefix=SHARED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=transposed libraries=none" | FileCheck %s --check-prefix=TRANSPOSED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=fused libraries=none" | FileCheck %s --check-prefix=FUSED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=ragged" | FileCheck %s --check-prefix=RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=batched libraries=none" | FileCheck %s --check-prefix=BATCHED
// RUN: fx-translate %s --entry=ragged --to=plan | FileCheck %s --check-prefix=PLAN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=alike libraries=none" | FileCheck %s --check-prefix=ALIKE
// What is the library's, and what no tensor core computes.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square" | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few" | FileCheck %s --check-prefix=OURS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_columns" | FileCheck %s --check-prefix=OURS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_right" | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_right_fused" | FileCheck %s --check-prefix=COPIED
// OURS-NOT: library_call
// OURS: gpu.func @k0_mm(
// OURS-NOT: library_call
// RUN: fx-opt %s --fxgraph-to-gpu="entry=fused products=never" | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square products=all" | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none products=never" | FileCheck %s --check-prefix=LOOPS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=square libraries=none chip=sm_90" | FileCheck %s --check-prefix=LOOPS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=f32 libraries=none" | FileCheck %s --check-prefix=LOOPS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=thin libraries=none" | FileCheck %s --check-prefix=LOOPS
// Refused configurations.
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile-n=100" 2>&1 | FileCheck %s --check-prefix=TILE
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile-n=256,stages=5" 2>&1 | FileCheck %s --check-prefix=STAGES
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile-n=256,schedule=pingpong" 2>&1 | FileCheck %s --check-prefix=WIDE
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=square libraries=none product-config=tile=256" 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none product-config=split=3" 2>&1 | FileCheck %s --check-prefix=PARTS
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none product-config=split=2,cluster=2,tile-n=128" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=skinny libraries=none product-config=split=2,tile-n=256,stages=2" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=odd_right libraries=none product-config=split=8" 2>&1 | FileCheck %s --check-prefix=DEPTH
// DEPTH: product-config: expected split of at most 4, the blocks of 64 along K, but got 8
// PARTS: product-config: expected split to be 1, 2, 4 or 8 but got 3
// BOTH: product-config: expected cluster=1 and schedule=cooperative with split=2
// ROOM: product-config: expected at least 3 stages with split=2 but got 2
// RUN: not fx-opt %s --fxgraph-to-gpu="entry=square products=some" 2>&1 | FileCheck %s --check-prefix=PRODUCTS
// RUN: not fx-translate %s --entry=square --to=plan --option=products=some 2>&1 | FileCheck %s --check-prefix=SETTING

// CHECK: llvm.mlir.global external @fxgraph_dynamic_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK: gpu.func @k0_mm(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>},
// CHECK-SAME: fxgraph.config = "tile-n=256,stages=4,cluster=1,schedule=cooperative,raster=8,blocks=132"
// CHECK-SAME: known_block_size = array<i32: 384, 1, 1>, known_grid_size = array<i32: 132, 1, 1>
// One warpgroup loads …
// CHECK: nvvm.setmaxregister  decrease 24
// CHECK: nvvm.mbarrier.try_wait.parity
// CHECK: nvvm.mbarrier.arrive.expect_tx
// CHECK-COUNT-5: nvvm.cp.async.bulk.tensor.shared.cluster.global
// CHECK-NOT: cp.async.bulk.tensor.shared
// CHECK: llvm.loop_annotation
// … and two multiply: one loop over the blocks of K, in which the sums of the first start from zero. It is not unrolled.
// CHECK: nvvm.setmaxregister  increase 240
// CHECK: scf.for
// CHECK: scf.for %[[BLOCK:.*]] = %c0_i32
// CHECK: setp.ne.b32 p, $258, 0;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {{{.*}}}, l0, r, p, 1, 1, 0, 1;
// CHECK-SAME: add.s64 r, $257, 128;
// CHECK-SAME: or.b64 l0, $256, 2;
// CHECK-SAME: }, l0, r, q, 1, 1, 0, 1;
// CHECK-SAME: %[[BLOCK]] :
// CHECK: nvvm.wgmma.wait.group.sync.aligned 1
// CHECK: llvm.loop_annotation
// CHECK: nvvm.stmatrix
// CHECK: nvvm.cp.async.bulk.tensor.global.shared.cta
// CHECK: func.func @square
// CHECK: fxgraph.tensor_map %{{.*}} dims [4096, 4096] strides [8192] box [64, 128] : memref<bf16> to !llvm.ptr
// CHECK: fxgraph.tensor_map %{{.*}} dims [4096, 4096] strides [8192] box [64, 64] : memref<bf16> to !llvm.ptr
// CHECK: fxgraph.tensor_map %{{.*}} dims [4096, 4096] strides [8192] box [64, 64] : memref<bf16> to !llvm.ptr
// CHECK: gpu.launch_func @kernels::@k0_mm blocks in {{.*}} threads in {{.*}} dynamic_shared_memory_size

// A cluster of two reads each half of B for both, and its blocks leave together.
// CONFIG: fxgraph.config = "tile-n=128,stages=5,cluster=2,schedule=cooperative,raster=4,blocks=132"
// CONFIG-SAME: known_cluster_size = array<i32: 2, 1, 1>
// CONFIG: nvvm.cluster.arrive {aligned}
// CONFIG: multicast_mask
// CONFIG: nvvm.mapa
// CONFIG: mbarrier.arrive.relaxed.cluster
// CONFIG: nvvm.cluster.wait {aligned}

// TURNS: fxgraph.config = "tile-n=128,stages=6,cluster=1,schedule=pingpong,raster=8,blocks=114"
// TURNS-SAME: known_grid_size = array<i32: 114, 1, 1>
// Of both halves of the rows, step by step.
// TURNS: {$0, {{.*}} $63}, l0, r, p,
// TURNS-SAME: {$64, {{.*}} $127}, l1, r, p,
// TURNS-SAME: {$0, {{.*}} $63}, l0, r, q,

// TRANSPOSED: k16.f32.f16.f16 {{{.*}}}, l0, r, p, 1, 1, 1, 0;
// TRANSPOSED: dims [264, 520] strides [528] box [64, 64] : memref<f16>
// TRANSPOSED: dims [520, 136] strides [1040] box [64, 64] : memref<f16>

// Bias, function and a further operand in the epilogue: one kernel.
// FUSED: gpu.func @k0_addmm_gelu_mul(
// FUSED: ex2.approx.ftz.f32
// FUSED-NOT: gpu.func
// FUSED: gpu.launch_func
// FUSED-NOT: gpu.launch_func

// Rows of 1501 and 4099 elements are copied to such of 1536 and 4160; the result needs no copy.
// RAGGED: gpu.func @k0_mm_pack(
// RAGGED: llvm.intr.fshr
// RAGGED: gpu.func @k0_mm(%arg0: !llvm.ptr {{{.*}}}, %arg1: !llvm.ptr {{{.*}}}, %arg2: !llvm.ptr {llvm.noalias})
// RAGGED-NOT: cp.async.bulk.tensor.global.shared
// RAGGED: dims [1501, 2999] strides [3072] box [64, 128]
// RAGGED: dims [4099, 1501] strides [8320] box [64, 64]

// BATCHED: fxgraph.tensor_map %{{.*}} dims [136, 200, 5] strides [272, 54400] box [64, 128, 1]
// BATCHED: fxgraph.tensor_map %{{.*}} dims [264, 136] strides [528] box [64, 64]
// BATCHED: fxgraph.tensor_map %{{.*}} dims [264, 200, 5] strides [528, 105600] box [64, 64, 1]

// Layers that are alike share one kernel; one without the bias has its own.
// ALIKE-COUNT-2: gpu.func
// ALIKE-NOT: gpu.func
// ALIKE: gpu.launch_func @kernels::@k0_addmm_gelu
// ALIKE: gpu.launch_func @kernels::@k0_addmm_gelu
// ALIKE: gpu.launch_func @kernels::@k2_mm_gelu

// PLAN: "name": "k0_mm_pack"
// PLAN: "kind": "tensor_map"
// PLAN: "shared_bytes": {{[0-9]+}}

// LIBRARY-NOT: wgmma
// LIBRARY: fxgraph.library_call "matmul"
// LOOPS-NOT: wgmma
// LOOPS-NOT: library_call
// LOOPS: gpu.launch_func

// TILE: 'fxgraph.matrix_product' op product-config: expected tile-n to be 64, 128, 192 or 256 but got 100
// STAGES: product-config: expected 2 to 4 stages but got 5
// WIDE: product-config: expected tile-n of at most 128 with schedule=pingpong but got 256
// FIELD: product-config: expected tile-n=, stages=, cluster=, schedule=, raster=, blocks= or split= but got 'tile=256'
// SETTING: products=never|measured|all, product-config={{.*}} but got 'products=some'
// PRODUCTS: expected products to be never, measured or all but got 'some'

func.func @square(%x: tensor<4096x4096xbf16>, %w: tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<4096x4096xbf16>, tensor<4096x4096xbf16>) -> tensor<4096x4096xbf16>
  return %0 : tensor<4096x4096xbf16>
}
func.func @transposed(%x: tensor<520x264xf16>, %w: tensor<136x520xf16>) -> tensor<264x136xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<520x264xf16>) -> tensor<264x520xf16>
  %1 = fxgraph.permute %w dims [1, 0] : (tensor<136x520xf16>) -> tensor<520x136xf16>
  %2 = fxgraph.mm %0, %1 : (tensor<264x520xf16>, tensor<520x136xf16>) -> tensor<264x136xf16>
  return %2 : tensor<264x136xf16>
}
func.func @fused(%x: tensor<2048x512xbf16>, %w: tensor<1024x512xbf16>, %b: tensor<1024xbf16>, %r: tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<2048x512xbf16>, tensor<1024x512xbf16>, tensor<1024xbf16>) -> tensor<2048x1024xbf16>
  %1 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<2048x1024xbf16>
  %2 = fxgraph.mul %1, %r : (tensor<2048x1024xbf16>, tensor<2048x1024xbf16>) -> tensor<2048x1024xbf16>
  return %2 : tensor<2048x1024xbf16>
}
func.func @alike(%x: tensor<256x256xbf16>, %w: tensor<256x256xbf16>, %b: tensor<256xbf16>, %v: tensor<256x256xbf16>, %c: tensor<256xbf16>) -> tensor<256x256xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<256x256xbf16>, tensor<256x256xbf16>, tensor<256xbf16>) -> tensor<256x256xbf16>
  %1 = fxgraph.gelu %0 {approximate = "tanh"} : tensor<256x256xbf16>
  %2 = fxgraph.linear %1, %v, %c : (tensor<256x256xbf16>, tensor<256x256xbf16>, tensor<256xbf16>) -> tensor<256x256xbf16>
  %3 = fxgraph.gelu %2 {approximate = "tanh"} : tensor<256x256xbf16>
  %4 = fxgraph.linear %3, %v : (tensor<256x256xbf16>, tensor<256x256xbf16>) -> tensor<256x256xbf16>
  %5 = fxgraph.gelu %4 {approximate = "tanh"} : tensor<256x256xbf16>
  return %5 : tensor<256x256xbf16>
}
func.func @ragged(%x: tensor<2999x1501xbf16>, %w: tensor<1501x4099xbf16>) -> tensor<2999x4099xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<2999x1501xbf16>, tensor<1501x4099xbf16>) -> tensor<2999x4099xbf16>
  return %0 : tensor<2999x4099xbf16>
}
func.func @batched(%x: tensor<5x200x136xf16>, %w: tensor<136x264xf16>) -> tensor<5x200x264xf16> {
  %0 = fxgraph.expand %w shape [5, 136, 264] : tensor<136x264xf16> -> tensor<5x136x264xf16>
  %1 = fxgraph.bmm %x, %0 : (tensor<5x200x136xf16>, tensor<5x136x264xf16>) -> tensor<5x200x264xf16>
  return %1 : tensor<5x200x264xf16>
}
func.func @few(%x: tensor<64x4097xbf16>, %w: tensor<4097x512xbf16>) -> tensor<64x512xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<64x4097xbf16>, tensor<4097x512xbf16>) -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}
func.func @f32(%x: tensor<256x256xf32>, %w: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  return %0 : tensor<256x256xf32>
}
func.func @thin(%x: tensor<4x256xbf16>, %w: tensor<256x256xbf16>) -> tensor<4x256xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<4x256xbf16>, tensor<256x256xbf16>) -> tensor<4x256xbf16>
  return %0 : tensor<4x256xbf16>
}

// Results with odd rows from operands that tensor maps describe are ours: the library writes them element by element …
func.func @odd_columns(%a: tensor<420x1008xf16>, %b: tensor<139x1008xf16>) -> tensor<420x139xf16> {
  %0 = fxgraph.transpose %b dims 0, 1 : (tensor<139x1008xf16>) -> tensor<1008x139xf16>
  %1 = fxgraph.mm %a, %0 : (tensor<420x1008xf16>, tensor<1008x139xf16>) -> tensor<420x139xf16>
  return %1 : tensor<420x139xf16>
}

// … but it reads odd rows of the right operand sooner than a copy of it is made.
func.func @odd_right(%a: tensor<468x240xf16>, %b: tensor<240x61xf16>) -> tensor<468x61xf16> {
  %0 = fxgraph.mm %a, %b : (tensor<468x240xf16>, tensor<240x61xf16>) -> tensor<468x61xf16>
  return %0 : tensor<468x61xf16>
}

// With a function behind it the library takes two launches, too.
// COPIED-NOT: library_call
// COPIED: gpu.func @k0_mm_silu_pack(
// COPIED: gpu.func @k0_mm_silu(
// COPIED-NOT: library_call
func.func @odd_right_fused(%a: tensor<468x240xf16>, %b: tensor<240x61xf16>) -> tensor<468x61xf16> {
  %0 = fxgraph.mm %a, %b : (tensor<468x240xf16>, tensor<240x61xf16>) -> tensor<468x61xf16>
  %1 = fxgraph.silu %0 : tensor<468x61xf16>
  return %1 : tensor<468x61xf16>
}

// Few tiles and a long K: each block of a cluster adds up a part, and the first what the others have in their shared memory.
// SPLIT: gpu.func @k0_mm(
// SPLIT-SAME: fxgraph.config = "tile-n=64,stages=8,cluster=1,schedule=cooperative,raster=8,blocks=132,split=4"
// SPLIT-SAME: known_cluster_size = array<i32: 4, 1, 1>, known_grid_size = array<i32: 8, 1, 1>
// SPLIT-NOT: multicast_mask
// SPLIT: nvvm.cluster.wait {aligned}
// SPLIT: nvvm.cluster.wait {aligned}
// SPLIT: nvvm.mapa
// SPLIT-NEXT: llvm.getelementptr
// SPLIT-NEXT: llvm.load {{.*}} : !llvm.ptr<7> -> f32
// SPLIT: nvvm.cluster.wait {aligned}
// SPLIT-NEXT: gpu.return
// WHOLE: cluster=1,schedule=cooperative,raster=8,blocks=132"
// WHOLE-NOT: nvvm.cluster.wait
// SHARED: cluster=2,schedule=cooperative,raster=8,blocks=132"
func.func @skinny(%a: tensor<120x8192xbf16>, %b: tensor<8192x128xbf16>) -> tensor<120x128xbf16> {
  %0 = fxgraph.mm %a, %b : (tensor<120x8192xbf16>, tensor<8192x128xbf16>) -> tensor<120x128xbf16>
  return %0 : tensor<120x128xbf16>
}
