// Convolutions of 16-bit floats, between kernels that write and read memory with the channels last: one copy in front and one behind a
// chain of them.
// Sums of some hundreds, rounded twice to 16 bits on the way.
// RUN: fx-run %s --entry=chain --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=2e-1
// RUN: fx-run %s --entry=returned --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=filled --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=residual --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=lines --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=given --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=grouped --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=single --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu=entry=chain | FileCheck %s --check-prefix=CHAIN
// RUN: fx-opt %s --fxgraph-to-gpu=entry=returned | FileCheck %s --check-prefix=RETURNED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=filled | FileCheck %s --check-prefix=FILLED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=given | FileCheck %s --check-prefix=GIVEN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=grouped libraries=always" | FileCheck %s --check-prefix=GROUPED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=single libraries=always" | FileCheck %s --check-prefix=SINGLE

// The first filter and the input; between the convolutions, where neighbouring threads have neighbouring channels, with the second filter; the result.
// CHAIN: gpu.func @k0_convert_element_type
// CHAIN: gpu.func @k1_add_relu_and{{.*}}kind = "flat", lanes = 8 : i64, unroll = 1 : i64}, {kind = "flat"
// CHAIN-NOT: gpu.barrier
// CHAIN: gpu.func @k2_add_relu
// CHAIN-COUNT-2: layout = "nhwc"
// CHAIN-NOT: layout = "nchw"
func.func @chain(%x: tensor<2x16x9x7xf16>, %w: tensor<24x16x3x3xf16>, %b: tensor<24xf16>, %v: tensor<8x24x3x3xf16>, %c: tensor<8xf16>) -> tensor<2x8x9x7xf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x9x7xf16>, tensor<24x16x3x3xf16>, tensor<24xf16>) -> tensor<2x24x9x7xf16>
  %1 = fxgraph.relu %0 : tensor<2x24x9x7xf16>
  %2 = fxgraph.conv2d %1, %v, %c stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x24x9x7xf16>, tensor<8x24x3x3xf16>, tensor<8xf16>) -> tensor<2x8x9x7xf16>
  %3 = fxgraph.relu %2 : tensor<2x8x9x7xf16>
  return %3 : tensor<2x8x9x7xf16>
}

// What is returned, or read by what needs rows, is copied; two convolutions of one value too.
// RETURNED-COUNT-2: layout = "nhwc"
func.func @returned(%x: tensor<2x16x9x7xf16>, %w: tensor<24x16x3x3xf16>, %v: tensor<24x24x2x2xf16>) -> (tensor<2x24x7x5xf16>, tensor<2x840xf16>, tensor<2x24x6x4xf16>) {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x9x7xf16>, tensor<24x16x3x3xf16>) -> tensor<2x24x7x5xf16>
  %1 = fxgraph.reshape %0 shape [2, 840] : tensor<2x24x7x5xf16> -> tensor<2x840xf16>
  %2 = fxgraph.relu %1 : tensor<2x840xf16>
  %3 = fxgraph.conv2d %0, %v stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x24x7x5xf16>, tensor<24x24x2x2xf16>) -> tensor<2x24x6x4xf16>
  return %0, %2, %3 : tensor<2x24x7x5xf16>, tensor<2x840xf16>, tensor<2x24x6x4xf16>
}

// Numbers of channels become multiples of 8; what is read of a result is the part that was asked for.
// FILLED: filter_shape = array<i64: 8, 8, 3, 3>{{.*}}layout = "nhwc"
// FILLED: filter_shape = array<i64: 8, 8, 2, 2>{{.*}}layout = "nhwc"
func.func @filled(%x: tensor<2x5x9x7xf16>, %w: tensor<3x5x3x3xf16>, %v: tensor<7x3x2x2xf16>) -> tensor<2x7x6x4xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x5x9x7xf16>, tensor<3x5x3x3xf16>) -> tensor<2x3x7x5xf16>
  %1 = fxgraph.conv2d %0, %v stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x3x7x5xf16>, tensor<7x3x2x2xf16>) -> tensor<2x7x6x4xf16>
  return %1 : tensor<2x7x6x4xf16>
}

func.func @residual(%x: tensor<2x16x9x7xf16>, %w: tensor<16x16x3x3xf16>) -> tensor<2x16x9x7xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x9x7xf16>, tensor<16x16x3x3xf16>) -> tensor<2x16x9x7xf16>
  %1 = fxgraph.relu %0 : tensor<2x16x9x7xf16>
  %2 = fxgraph.conv2d %1, %w stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x9x7xf16>, tensor<16x16x3x3xf16>) -> tensor<2x16x9x7xf16>
  %3 = fxgraph.add %1, %2 : (tensor<2x16x9x7xf16>, tensor<2x16x9x7xf16>) -> tensor<2x16x9x7xf16>
  return %3 : tensor<2x16x9x7xf16>
}

func.func @lines(%x: tensor<2x16x19xbf16>, %w: tensor<24x16x3xbf16>, %y: tensor<3x1x1x1x4xf16>, %v: tensor<5x1x1x1x2xf16>) -> (tensor<2x24x17xbf16>, tensor<3x5x1x1x3xf16>) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x16x19xbf16>, tensor<24x16x3xbf16>) -> tensor<2x24x17xbf16>
  %1 = fxgraph.conv3d %y, %v stride [1, 1, 1] padding [0, 0, 0] dilation [1, 1, 1] {fxgraph.channels_last = true} : (tensor<3x1x1x1x4xf16>, tensor<5x1x1x1x2xf16>) -> tensor<3x5x1x1x3xf16>
  return %0, %1 : tensor<2x24x17xbf16>, tensor<3x5x1x1x3xf16>
}

// Not where the op says so, of groups, or in single precision.
// GIVEN-NOT: nhwc
// GIVEN: layout = "nchw"
func.func @given(%x: tensor<2x16x9x7xf16>, %w: tensor<8x16x3x3xf16>) -> tensor<2x8x7x5xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = false} : (tensor<2x16x9x7xf16>, tensor<8x16x3x3xf16>) -> tensor<2x8x7x5xf16>
  return %0 : tensor<2x8x7x5xf16>
}
// GROUPED-NOT: nhwc
// GROUPED: layout = "nchw"
func.func @grouped(%x: tensor<2x56x9x7xf16>, %w: tensor<16x14x3x3xf16>) -> tensor<2x16x7x5xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] groups 4 : (tensor<2x56x9x7xf16>, tensor<16x14x3x3xf16>) -> tensor<2x16x7x5xf16>
  return %0 : tensor<2x16x7x5xf16>
}
// SINGLE-NOT: nhwc
// SINGLE: layout = "nchw"
func.func @single(%x: tensor<2x16x9x7xf32>, %w: tensor<8x16x3x3xf32>) -> tensor<2x8x7x5xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (tensor<2x16x9x7xf32>, tensor<8x16x3x3xf32>) -> tensor<2x8x7x5xf32>
  return %0 : tensor<2x8x7x5xf32>
}

// Images and filters with the channels last are what a library reads; so is the result.
// RUN: fx-run %s --entry=channels_last --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu=entry=channels_last | FileCheck %s --check-prefix=CONV
// CONV: func.func @channels_last
// CONV-SAME: memref<2x16x6x5xbf16, strided<[480, 1, 80, 16]>> {fxgraph.result}
// CONV-NOT: gpu.launch_func
// CONV: fxgraph.library_call "conv"
// CONV-SAME: layout = "nhwc"
func.func @channels_last(%x: tensor<2x8x6x5xbf16> {fxgraph.memory_order = array<i64: 0, 2, 3, 1>}, %w: tensor<16x8x3x3xbf16> {fxgraph.memory_order = array<i64: 0, 2, 3, 1>}) -> tensor<2x16x6x5xbf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x8x6x5xbf16>, tensor<16x8x3x3xbf16>) -> tensor<2x16x6x5xbf16>
  return %0 : tensor<2x16x6x5xbf16>
}
