// Results that would be written across memory are computed in the order in which operands lie, and copied through boxes.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=rows | FileCheck %s --check-prefix=ROWS
// RUN: fx-run %s --entry=rows --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=1e-4
// RUN: fx-run %s --entry=results --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-2 --atol=1e-3
// RUN: fx-run %s --entry=kept --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-5

// Rows that lie along memory, their results do not: a permutation of each op's result, which is row-major as that is.
// CHECK-LABEL: func.func @rows
// CHECK: fxgraph.permute {{.*}} -> tensor<19x11x5666xf16>
// CHECK: fxgraph.softmax {{.*}} dim 2 {fxgraph.in_memory} : (tensor<19x11x5666xf16>)
// CHECK: fxgraph.permute {{.*}} dims [0, 2, 1] {{.*}} -> tensor<19x5666x11xf16>
// CHECK: fxgraph.contiguous
// ROWS-NOT: fxgraph.memory_order
// ROWS: gpu.func @k0_softmax
// ROWS-SAME: kind = "rows"
// ROWS: gpu.func @k1_neg
// ROWS-SAME: kind = "boxes"
// ROWS-NOT: fxgraph.in_memory
func.func @rows(%x: tensor<19x11x5666xf16>) -> tensor<19x5666x11xf16> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<19x11x5666xf16>) -> tensor<19x5666x11xf16>
  %1 = fxgraph.softmax %0 dim -2 : (tensor<19x5666x11xf16>) -> tensor<19x5666x11xf16>
  %2 = fxgraph.neg %1 : tensor<19x5666x11xf16>
  return %2 : tensor<19x5666x11xf16>
}

// Many results of few terms each, of what is computed element by element from the permuted tensor.
// CHECK-LABEL: func.func @results
// CHECK: fxgraph.amin {{.*}} dims [1] {fxgraph.in_memory} : (tensor<1400x8x101xbf16>) -> tensor<1400x101xbf16>
// CHECK: fxgraph.permute {{.*}} dims [1, 0] {{.*}} -> tensor<101x1400xbf16>
// CHECK: fxgraph.sum {{.*}} dims [1] keepdim true {fxgraph.in_memory} : (tensor<1400x8x101xbf16>) -> tensor<1400x1x101xbf16>
// CHECK: fxgraph.permute {{.*}} dims [1, 2, 0] {{.*}} -> tensor<1x101x1400xbf16>
func.func @results(%x: tensor<1400x8x101xbf16>) -> (tensor<101x1400xbf16>, tensor<1x101x1400xbf16>) {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<1400x8x101xbf16>) -> tensor<8x101x1400xbf16>
  %1 = fxgraph.amin %0 dims [0] : (tensor<8x101x1400xbf16>) -> tensor<101x1400xbf16>
  %2 = fxgraph.abs %0 : tensor<8x101x1400xbf16>
  %3 = fxgraph.sum %2 dims [-3] keepdim true : (tensor<8x101x1400xbf16>) -> tensor<1x101x1400xbf16>
  return %1, %3 : tensor<101x1400xbf16>, tensor<1x101x1400xbf16>
}

// Left as they are: results along the rows, which go through shared memory; few results; an operand in its own order; two
// orders; and one that is small.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: fxgraph.contiguous
// CHECK-NOT: fxgraph.in_memory
// CHECK: return
func.func @kept(%x: tensor<600x1800xf32>, %y: tensor<9x200x150xf32>, %z: tensor<9x150x200xf32>, %s: tensor<5x6x7xf32>)
    -> (tensor<1800x600xf32>, tensor<1800xf32>, tensor<9x150xf32>, tensor<9x200x150xf32>, tensor<5x7x6xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<600x1800xf32>) -> tensor<1800x600xf32>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<1800x600xf32>) -> tensor<1800x600xf32>
  %2 = fxgraph.sum %0 dims [1] : (tensor<1800x600xf32>) -> tensor<1800xf32>
  %3 = fxgraph.amax %y dims [1] : (tensor<9x200x150xf32>) -> tensor<9x150xf32>
  %4 = fxgraph.permute %z dims [0, 2, 1] : (tensor<9x150x200xf32>) -> tensor<9x200x150xf32>
  %5 = fxgraph.add %y, %4 : (tensor<9x200x150xf32>, tensor<9x200x150xf32>) -> tensor<9x200x150xf32>
  %6 = fxgraph.softmax %5 dim 1 : (tensor<9x200x150xf32>) -> tensor<9x200x150xf32>
  %7 = fxgraph.permute %s dims [0, 2, 1] : (tensor<5x6x7xf32>) -> tensor<5x7x6xf32>
  %8 = fxgraph.log_softmax %7 dim 1 : (tensor<5x7x6xf32>) -> tensor<5x7x6xf32>
  return %1, %2, %3, %6, %8 : tensor<1800x600xf32>, tensor<1800xf32>, tensor<9x150xf32>, tensor<9x200x150xf32>, tensor<5x7x6xf32>
}
