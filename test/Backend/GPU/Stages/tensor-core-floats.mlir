// Convolutions of f32 are the library's from fewer terms on where it may compute them on tensor cores.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many tf32=true" | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many tf32=false" | FileCheck %s --check-prefix=KERNEL
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few tf32=true" | FileCheck %s --check-prefix=KERNEL

// LIBRARY: library_call "conv"
// KERNEL: gpu.func @k0_convolution
// KERNEL-NOT: library_call

func.func @many(%x: tensor<1x64x40x50xf32>, %w: tensor<64x64x3x3xf32>) -> tensor<1x64x40x50xf32> {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x64x40x50xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x40x50xf32>
  return %0 : tensor<1x64x40x50xf32>
}

func.func @few(%x: tensor<1x16x12x20xf32>, %w: tensor<24x16x5x5xf32>) -> tensor<1x24x12x20xf32> {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] : (tensor<1x16x12x20xf32>, tensor<24x16x5x5xf32>) -> tensor<1x24x12x20xf32>
  return %0 : tensor<1x24x12x20xf32>
}
