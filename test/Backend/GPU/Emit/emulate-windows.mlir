// Windows of neighbouring rows in one thread, which loads what they have in common once: at extents that nothing divides, where the
// last rows are computed twice.
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:6 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=loops,unroll=2 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=loops,unroll=8,lanes=1 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=depthwise processors=1" | FileCheck %s --check-prefix=ROWS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=depthwise | FileCheck %s --check-prefix=FEW
// RUN: fx-opt %s --fxgraph-to-gpu="entry=apart processors=1" | FileCheck %s --check-prefix=APART
// RUN: fx-opt %s --fxgraph-to-gpu="entry=large processors=1" | FileCheck %s --check-prefix=LARGE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=dense processors=1" | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --fxgraph-to-gpu=entry=few_sums | FileCheck %s --check-prefix=SUMS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=wide_sums nest-config=kind=strips" | FileCheck %s --check-prefix=WIDE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=two_warps | FileCheck %s --check-prefix=TWO-WARPS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=long_windows | FileCheck %s --check-prefix=LONG

// A convolution of each channel is a kernel, with what follows it.
// ROWS: kind = "loops", lanes = {{[12]}} : i64, unroll = 4 : i64
// ROWS-NOT: library_call
// Threads come first.
// FEW: kind = "loops"
// FEW-NOT: unroll
func.func @depthwise(%x: tensor<2x6x27x18xf16>, %w: tensor<6x1x3x3xf16>) -> tensor<2x6x27x18xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 6 : (tensor<2x6x27x18xf16>, tensor<6x1x3x3xf16>) -> tensor<2x6x27x18xf16>
  %1 = fxgraph.hardswish %0 : tensor<2x6x27x18xf16>
  return %1 : tensor<2x6x27x18xf16>
}

// Two filters for each channel, steps of two, a result a row.
func.func @steps(%x: tensor<2x3x31x29xf32>, %w: tensor<6x1x5x3xf32>) -> tensor<2x6x14x15xf32> {
  %0 = fxgraph.conv2d %x, %w stride [2, 2] padding [0, 1] dilation [1, 1] groups 3 : (tensor<2x3x31x29xf32>, tensor<6x1x5x3xf32>) -> tensor<2x6x14x15xf32>
  %1 = fxgraph.relu %0 : tensor<2x6x14x15xf32>
  return %1 : tensor<2x6x14x15xf32>
}

// Rows three apart in windows of three rows have none in common.
// APART: kind = "loops"
// APART-NOT: unroll
func.func @apart(%x: tensor<2x4x60x60xf32>, %w: tensor<4x1x3x3xf32>) -> tensor<2x4x20x20xf32> {
  %0 = fxgraph.conv2d %x, %w stride [3, 3] padding [0, 0] dilation [1, 1] groups 4 : (tensor<2x4x60x60xf32>, tensor<4x1x3x3xf32>) -> tensor<2x4x20x20xf32>
  return %0 : tensor<2x4x20x20xf32>
}

func.func @dilated(%x: tensor<1x5x23x40xbf16>, %w: tensor<5x1x3x3xbf16>, %b: tensor<5xbf16>) -> tensor<1x5x23x40xbf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [2, 2] dilation [2, 2] groups 5 : (tensor<1x5x23x40xbf16>, tensor<5x1x3x3xbf16>, tensor<5xbf16>) -> tensor<1x5x23x40xbf16>
  return %0 : tensor<1x5x23x40xbf16>
}

// A loop where the terms are many.
// LARGE: kind = "loops"
// LARGE-NOT: unroll
func.func @large(%x: tensor<1x2x40x40xf32>, %w: tensor<2x1x9x9xf32>) -> tensor<1x2x40x40xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [4, 4] dilation [1, 1] groups 2 : (tensor<1x2x40x40xf32>, tensor<2x1x9x9xf32>) -> tensor<1x2x40x40xf32>
  return %0 : tensor<1x2x40x40xf32>
}

// Of many channels it stays a library's, where that has tensor cores for it.
// LIBRARY: library_call "conv"
func.func @dense(%x: tensor<4x64x31x33xf16>, %w: tensor<32x64x3x3xf16>) -> tensor<4x32x31x33xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 1 : (tensor<4x64x31x33xf16>, tensor<32x64x3x3xf16>) -> tensor<4x32x31x33xf16>
  return %0 : tensor<4x32x31x33xf16>
}

func.func @largest(%x: tensor<2x3x37x26xf16>) -> tensor<2x3x19x13xf16> {
  %0 = fxgraph.max_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<2x3x37x26xf16>) -> tensor<2x3x19x13xf16>
  return %0 : tensor<2x3x19x13xf16>
}

func.func @mean(%x: tensor<2x3x26x24xf32>) -> tensor<2x3x26x24xf32> {
  %0 = fxgraph.avg_pool2d %x kernel [3, 3] stride [1, 1] padding [1, 1] count_include_pad false : (tensor<2x3x26x24xf32>) -> tensor<2x3x26x24xf32>
  return %0 : tensor<2x3x26x24xf32>
}

// Fewer rows than a thread would take.
func.func @low(%x: tensor<64x8x3x40xf32>, %w: tensor<8x1x3x3xf32>) -> tensor<64x8x3x40xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] groups 8 : (tensor<64x8x3x40xf32>, tensor<8x1x3x3xf32>) -> tensor<64x8x3x40xf32>
  return %0 : tensor<64x8x3x40xf32>
}

// Few sums of many terms: threads share one, each with channels of its own, whose windows are code; no library is called.
// SUMS: kind = "rows", {{.*}}window = 25 : i64
// SUMS-NOT: library_call
func.func @few_sums(%x: tensor<1x24x7x6xf32>, %w: tensor<5x24x5x5xf32>, %b: tensor<5xf32>) -> tensor<1x5x4x3xf32> {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [2, 2] dilation [1, 1] groups 1 : (tensor<1x24x7x6xf32>, tensor<5x24x5x5xf32>, tensor<5xf32>) -> tensor<1x5x4x3xf32>
  %1 = fxgraph.relu %0 : tensor<1x5x4x3xf32>
  return %1 : tensor<1x5x4x3xf32>
}

// The same where neighbouring results lie next to each other: neighbouring threads have those (tiles take less time).
// WIDE: kind = "strips", {{.*}}threads = 8 : i64, {{.*}}window = 9 : i64
// WIDE-NOT: library_call
func.func @wide_sums(%x: tensor<3x33x9x19xf16>, %w: tensor<7x33x3x3xf16>, %b: tensor<7xf16>) -> tensor<3x7x5x10xf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [1, 1] dilation [1, 1] groups 1 : (tensor<3x33x9x19xf16>, tensor<7x33x3x3xf16>, tensor<7xf16>) -> tensor<3x7x5x10xf16>
  %1 = fxgraph.relu %0 : tensor<3x7x5x10xf16>
  return %1 : tensor<3x7x5x10xf16>
}

// Two warps share a sum, and are a block.
// TWO-WARPS: kind = "rows", {{.*}}threads = 64 : i64
// TWO-WARPS-SAME: known_block_size = array<i32: 64, 1, 1>
func.func @two_warps(%x: tensor<3x127x13x8xf16>, %w: tensor<8x127x5x5xf16>, %b: tensor<8xf16>) -> tensor<3x8x5x2xf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [0, 0] dilation [1, 1] groups 1 : (tensor<3x127x13x8xf16>, tensor<8x127x5x5xf16>, tensor<8xf16>) -> tensor<3x8x5x2xf16>
  return %0 : tensor<3x8x5x2xf16>
}

// Of a window that is too long for code, the last dimension is.
// LONG: window = 7 : i64
func.func @long_windows(%x: tensor<1x40x9x11xf32>, %w: tensor<6x40x7x7xf32>) -> tensor<1x6x9x11xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [3, 3] dilation [1, 1] groups 1 : (tensor<1x40x9x11xf32>, tensor<6x40x7x7xf32>) -> tensor<1x6x9x11xf32>
  return %0 : tensor<1x6x9x11xf32>
}

func.func @whole_window(%x: tensor<2x3x33x31xf16>) -> tensor<2x3x1x1xf16> {
  %0 = fxgraph.max_pool2d %x kernel [33, 31] stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<2x3x33x31xf16>) -> tensor<2x3x1x1xf16>
  return %0 : tensor<2x3x1x1xf16>
}
