// Which form a convolution of 16 bits has on a GPU: 1 x 1 is a product, the rest a library call. (Those of few terms, as here,
// would be kernels, did the attribute not say otherwise.)
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=4e-3 --atol=4e-3
// In kernels 16 bits are not rounded from op to op: of sums of some hundreds.
// RUN: fx-run %s --entry=* --inputs=seed:6 --target=gpu-emulator --compare-target=ref --rtol=3e-2 --atol=3e-1
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=3e-2 --atol=3e-1
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=alone | FileCheck %s --check-prefix=ALONE
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=between | FileCheck %s --check-prefix=BETWEEN
// RUN: fx-opt %s --fxgraph-to-gpu=entry=between | FileCheck %s --check-prefix=BETWEEN-HOST
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=strided | FileCheck %s --check-prefix=STRIDED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=few | FileCheck %s --check-prefix=FEW
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=neither | FileCheck %s --check-prefix=NEITHER

// By itself it takes the channels as they lie: one product for each of the batch, what follows is its epilogue.
// ALONE-LABEL: func.func @alone
// ALONE: fxgraph.bmm {{.*}} : (tensor<2x24x16xf16>, tensor<2x16x72xf16>)
// ALONE-NOT: fxgraph.permute
// ALONE: return
func.func @alone(%x: tensor<2x16x9x8xf16>, %w: tensor<24x16x1x1xf16>, %b: tensor<24xf16>) -> tensor<2x24x9x8xf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x9x8xf16>, tensor<24x16x1x1xf16>, tensor<24xf16>) -> tensor<2x24x9x8xf16>
  %1 = fxgraph.relu %0 : tensor<2x24x9x8xf16>
  return %1 : tensor<2x24x9x8xf16>
}

// Between others it has the channels last, as what is computed point by point in front of it and behind: a batch norm of f32
// statistics, a residual. What is returned has them in front.
// BETWEEN-LABEL: func.func @between
// BETWEEN: %[[FIRST:.*]] = fxgraph.mm
// BETWEEN: fxgraph.reshape %[[FIRST]]
// BETWEEN-SAME: -> tensor<2x5x7x32xbf16>
// BETWEEN: fxgraph.rsqrt {{.*}} : tensor<32xf32>
// BETWEEN: fxgraph.relu {{.*}} : tensor<2x5x7x32xbf16>
// BETWEEN: fxgraph.conv2d
// BETWEEN-SAME: fxgraph.channels_last = true
// BETWEEN: fxgraph.relu {{.*}} : tensor<2x5x7x32xbf16>
// BETWEEN: fxgraph.mm
// BETWEEN: fxgraph.add
// BETWEEN-HOST: func.func @between
// BETWEEN-HOST: fxgraph.library_call "conv"
// BETWEEN-HOST-SAME: layout = "nhwc"
func.func @between(%x: tensor<2x16x5x7xbf16>, %u: tensor<32x16x1x1xbf16>, %mean: tensor<32xf32>, %var: tensor<32xf32>, %weight: tensor<32xf32>, %bias: tensor<32xf32>,
                   %v: tensor<32x32x3x3xbf16>, %w: tensor<16x32x1x1xbf16>) -> tensor<2x16x5x7xbf16> {
  %0 = fxgraph.conv2d %x, %u stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x5x7xbf16>, tensor<32x16x1x1xbf16>) -> tensor<2x32x5x7xbf16>
  %positive = fxgraph.abs %var : tensor<32xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %positive weight %weight bias %bias eps 1.0e-01 : (tensor<2x32x5x7xbf16>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<2x32x5x7xbf16>
  %2 = fxgraph.relu %1 : tensor<2x32x5x7xbf16>
  %3 = fxgraph.conv2d %2, %v stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x32x5x7xbf16>, tensor<32x32x3x3xbf16>) -> tensor<2x32x5x7xbf16>
  %tenth = fxgraph.constant dense<0.1> : tensor<f64>
  %4 = fxgraph.mul %3, %tenth : (tensor<2x32x5x7xbf16>, tensor<f64>) -> tensor<2x32x5x7xbf16>
  %5 = fxgraph.relu %4 : tensor<2x32x5x7xbf16>
  %6 = fxgraph.conv2d %5, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x32x5x7xbf16>, tensor<16x32x1x1xbf16>) -> tensor<2x16x5x7xbf16>
  %7 = fxgraph.add %6, %x : (tensor<2x16x5x7xbf16>, tensor<2x16x5x7xbf16>) -> tensor<2x16x5x7xbf16>
  return %7 : tensor<2x16x5x7xbf16>
}

// Of every second place. Lines and volumes too.
// STRIDED-LABEL: func.func @strided
// STRIDED: fxgraph.slice
// STRIDED: fxgraph.bmm {{.*}} -> tensor<2x8x16xf16>
// STRIDED: fxgraph.bmm {{.*}} -> tensor<3x8x24xbf16>
// STRIDED-NOT: fxgraph.conv
// STRIDED: return
func.func @strided(%x: tensor<2x16x7x8xf16>, %w: tensor<8x16x1x1xf16>, %y: tensor<3x24x24xbf16>, %v: tensor<8x24x1xbf16>) -> (tensor<2x8x4x4xf16>, tensor<3x8x24xbf16>) {
  %0 = fxgraph.conv2d %x, %w stride [2, 2] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x7x8xf16>, tensor<8x16x1x1xf16>) -> tensor<2x8x4x4xf16>
  %1 = fxgraph.conv1d %y, %v stride [1] padding [0] dilation [1] {fxgraph.channels_last = true} : (tensor<3x24x24xbf16>, tensor<8x24x1xbf16>) -> tensor<3x8x24xbf16>
  return %0, %1 : tensor<2x8x4x4xf16>, tensor<3x8x24xbf16>
}

// Of one place it is one product, wherever the channels are.
// RUN: fx-opt %s --fxgraph-gpu-prepare=entry=one_place | FileCheck %s --check-prefix=ONE
// ONE-LABEL: func.func @one_place
// ONE: fxgraph.mm {{.*}} -> tensor<4x8xf16>
func.func @one_place(%x: tensor<4x16x1x1xf16>, %w: tensor<8x16x1x1xf16>) -> tensor<4x8x1x1xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<4x16x1x1xf16>, tensor<8x16x1x1xf16>) -> tensor<4x8x1x1xf16>
  return %0 : tensor<4x8x1x1xf16>
}

// Without it: kernels with what is around them.
// FEW: func.func @few
// FEW-NOT: fxgraph.library_call
// FEW-NOT: fxgraph.matrix_product
// FEW: return
func.func @few(%x: tensor<3x4x6x5xf32>, %w: tensor<7x4x1x1xf32>, %b: tensor<7xf32>, %y: tensor<2x1x5x6xbf16>, %v: tensor<6x1x2x3xbf16>, %z: tensor<2x2x9xf16>, %u: tensor<3x2x3xf16>)
    -> (tensor<3x7x3x3xf32>, tensor<2x6x4x3xbf16>, tensor<2x3x3xf16>) {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<3x4x6x5xf32>, tensor<7x4x1x1xf32>, tensor<7xf32>) -> tensor<3x7x3x3xf32>
  %1 = fxgraph.relu %0 : tensor<3x7x3x3xf32>
  %2 = fxgraph.conv2d %y, %v stride [2, 2] padding [1, 1] dilation [1, 2] : (tensor<2x1x5x6xbf16>, tensor<6x1x2x3xbf16>) -> tensor<2x6x3x2xbf16>
  %3 = fxgraph.constant_pad_nd %2 by [0, 1, 1, 0] : (tensor<2x6x3x2xbf16>) -> tensor<2x6x4x3xbf16>
  %4 = fxgraph.conv1d %z, %u stride [3] padding [2] dilation [2] : (tensor<2x2x9xf16>, tensor<3x2x3xf16>) -> tensor<2x3x3xf16>
  return %1, %3, %4 : tensor<3x7x3x3xf32>, tensor<2x6x4x3xbf16>, tensor<2x3x3xf16>
}

// No multiples of 8 (its matrices would be copied), groups, padding, single precision, the op says so.
// NEITHER-LABEL: func.func @neither
// NEITHER-COUNT-5: fxgraph.conv2d
func.func @neither(%x: tensor<2x15x4x8xf16>, %w: tensor<8x15x1x1xf16>, %y: tensor<2x16x4x8xf16>, %g: tensor<32x8x1x1xf16>, %p: tensor<8x16x1x1xf16>, %s: tensor<2x16x4x8xf32>, %t: tensor<8x16x1x1xf32>)
    -> (tensor<2x8x4x8xf16>, tensor<2x32x4x8xf16>, tensor<2x8x6x10xf16>, tensor<2x8x4x8xf32>, tensor<2x8x4x8xf16>) {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x15x4x8xf16>, tensor<8x15x1x1xf16>) -> tensor<2x8x4x8xf16>
  %1 = fxgraph.conv2d %y, %g stride [1, 1] padding [0, 0] dilation [1, 1] groups 2 {fxgraph.channels_last = true} : (tensor<2x16x4x8xf16>, tensor<32x8x1x1xf16>) -> tensor<2x32x4x8xf16>
  %2 = fxgraph.conv2d %y, %p stride [1, 1] padding [1, 1] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x4x8xf16>, tensor<8x16x1x1xf16>) -> tensor<2x8x6x10xf16>
  %3 = fxgraph.conv2d %s, %t stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = true} : (tensor<2x16x4x8xf32>, tensor<8x16x1x1xf32>) -> tensor<2x8x4x8xf32>
  %4 = fxgraph.conv2d %y, %p stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = false} : (tensor<2x16x4x8xf16>, tensor<8x16x1x1xf16>) -> tensor<2x8x4x8xf16>
  return %0, %1, %2, %3, %4 : tensor<2x8x4x8xf16>, tensor<2x32x4x8xf16>, tensor<2x8x6x10xf16>, tensor<2x8x4x8xf32>, tensor<2x8x4x8xf16>
}
