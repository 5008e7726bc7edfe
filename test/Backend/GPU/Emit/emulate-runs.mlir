// Reductions over few elements that lie between few results: what a block reads and writes is one run of memory, which goes through
// shared memory in vectors.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-run %s --entry=middle --inputs=seed:3 --target=gpu-emulator --target-option=nest-config=kind=strips,threads=2 --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=middle processors=4" | FileCheck %s --check-prefix=MIDDLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=middle processors=4 nest-config=kind=strips,threads=2" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=rows processors=1" | FileCheck %s --check-prefix=ROWS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=shared processors=1" | FileCheck %s --check-prefix=SHARED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=gaps processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=displaced processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=turned processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=gaps processors=1 nest-config=kind=strips,run=8" | FileCheck %s --check-prefix=NONE
// NONE: fxgraph.schedule
// NONE-NOT: run = 

// Sixteen bytes are left free behind the 160 elements of neighbouring results, so that threads use different banks.
// MIDDLE: padding = array<i64: 160, 8>, read_lanes = 8 : i64, run = 125 : i64
// MIDDLE: vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}xbf16{{.*}}>, vector<8xbf16>
// MIDDLE: gpu.barrier
// MIDDLE-NOT: memref.load {{.*}} : memref<{{[0-9]+}}xbf16>
// MIDDLE: gpu.barrier
// MIDDLE: gpu.barrier
// MIDDLE: vector.store {{.*}} {alignment = 16 : i64}
func.func @middle(%x: tensor<11x43x32x5xbf16>) -> tensor<11x43x32x5xbf16> {
  %0 = fxgraph.sigmoid %x : tensor<11x43x32x5xbf16>
  %1 = fxgraph.softmax %0 dim 2 : (tensor<11x43x32x5xbf16>) -> tensor<11x43x32x5xbf16>
  return %1 : tensor<11x43x32x5xbf16>
}

// Of an odd number of elements in all the last are accessed one by one.
// ROWS: run = 
func.func @rows(%x: tensor<2001x13xf16>) -> (tensor<2001x13xf16>, tensor<2001xf16>) {
  %0 = fxgraph.log_softmax %x dim 1 : (tensor<2001x13xf16>) -> tensor<2001x13xf16>
  %1 = fxgraph.sum %x dims [1] : (tensor<2001x13xf16>) -> tensor<2001xf16>
  return %0, %1 : tensor<2001x13xf16>, tensor<2001xf16>
}

// Threads share long rows, operands of other orders and weights are read as they lie, and some results are of single rows.
// SHARED: run = {{.*}} threads = 4
func.func @shared(%x: tensor<37x100x3xf32>, %y: tensor<37x100x3xf32>, %z: tensor<3x37x100xf32>, %w: tensor<100x1xf32>) -> (tensor<37x100x3xf32>, tensor<37x100x3xf32>, tensor<37x3xf32>) {
  %t = fxgraph.permute %z dims [1, 2, 0] : (tensor<3x37x100xf32>) -> tensor<37x100x3xf32>
  %0 = fxgraph.add %x, %y : (tensor<37x100x3xf32>, tensor<37x100x3xf32>) -> tensor<37x100x3xf32>
  %1 = fxgraph.add %0, %t : (tensor<37x100x3xf32>, tensor<37x100x3xf32>) -> tensor<37x100x3xf32>
  %2 = fxgraph.softmax %1 dim 1 : (tensor<37x100x3xf32>) -> tensor<37x100x3xf32>
  %3 = fxgraph.mul %2, %w : (tensor<37x100x3xf32>, tensor<100x1xf32>) -> tensor<37x100x3xf32>
  %4 = fxgraph.amax %1 dims [1] : (tensor<37x100x3xf32>) -> tensor<37x3xf32>
  return %3, %1, %4 : tensor<37x100x3xf32>, tensor<37x100x3xf32>, tensor<37x3xf32>
}

// Memory with gaps is no run.
func.func @gaps(%x: tensor<400x32x7xbf16>) -> tensor<400x32x5xbf16> {
  %0 = fxgraph.slice %x dim 2 from 1 to 6 step 1 : (tensor<400x32x7xbf16>) -> tensor<400x32x5xbf16>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<400x32x5xbf16>) -> tensor<400x32x5xbf16>
  return %1 : tensor<400x32x5xbf16>
}

// What begins at an odd element has no vectors.
func.func @displaced(%x: tensor<64001xbf16>) -> tensor<400x32x5xbf16> {
  %0 = fxgraph.slice %x dim 0 from 1 to 64001 step 1 : (tensor<64001xbf16>) -> tensor<64000xbf16>
  %1 = fxgraph.reshape %0 shape [400, 32, 5] : tensor<64000xbf16> -> tensor<400x32x5xbf16>
  %2 = fxgraph.softmax %1 dim 1 : (tensor<400x32x5xbf16>) -> tensor<400x32x5xbf16>
  return %2 : tensor<400x32x5xbf16>
}

// Many results next to each other are dense as they are.
func.func @many(%x: tensor<50x32x101xbf16>) -> tensor<50x32x101xbf16> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<50x32x101xbf16>) -> tensor<50x32x101xbf16>
  return %0 : tensor<50x32x101xbf16>
}

// Results in another order than the operand are no part of its run.
func.func @turned(%x: tensor<600x32x5xbf16>) -> tensor<5x600x32xbf16> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<600x32x5xbf16>) -> tensor<600x32x5xbf16>
  %1 = fxgraph.permute %0 dims [2, 0, 1] : (tensor<600x32x5xbf16>) -> tensor<5x600x32xbf16>
  %2 = fxgraph.contiguous %1 : tensor<5x600x32xbf16>
  return %2 : tensor<5x600x32xbf16>
}

// Nor is there one of few elements, which may be less than a vector.
func.func @few(%x: tensor<5x1xf16>, %y: tensor<40x13xf16>) -> (tensor<1xf16>, tensor<40x13xf16>) {
  %0 = fxgraph.sum %x dims [0] : (tensor<5x1xf16>) -> tensor<1xf16>
  %1 = fxgraph.softmax %y dim 1 : (tensor<40x13xf16>) -> tensor<40x13xf16>
  return %0, %1 : tensor<1xf16>, tensor<40x13xf16>
}
