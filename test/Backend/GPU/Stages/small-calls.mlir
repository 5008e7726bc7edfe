// Products and convolutions that a kernel has done before a library's call would be are kernels, with what follows them. Each has
// a twin that is the library's: whose terms are too many, or that is all there is to do; and all are where that is asked for.
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-print-fusion-plan -o /dev/null | FileCheck %s
// RUN: fx-opt %s --fxgraph-print-fusion-plan=libraries=always -o /dev/null | FileCheck %s --check-prefix=ALWAYS
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s --check-prefix=PREPARED

// ALWAYS-COUNT-17: library
// ALWAYS-NOT: library

// CHECK-LABEL: plan of @linear{{$}}
// CHECK-NOT: library
func.func @linear(%x: tensor<5x277xf16>, %w: tensor<17x277xf16>, %b: tensor<17xf16>) -> tensor<5x17xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<5x277xf16>, tensor<17x277xf16>, tensor<17xf16>) -> tensor<5x17xf16>
  %1 = fxgraph.tanh %0 : tensor<5x17xf16>
  return %1 : tensor<5x17xf16>
}

// CHECK-LABEL: plan of @linear_long{{$}}
// CHECK: library
func.func @linear_long(%x: tensor<5x328xf16>, %w: tensor<17x328xf16>, %b: tensor<17xf16>) -> tensor<5x17xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<5x328xf16>, tensor<17x328xf16>, tensor<17xf16>) -> tensor<5x17xf16>
  %1 = fxgraph.tanh %0 : tensor<5x17xf16>
  return %1 : tensor<5x17xf16>
}

// Against tensor cores the terms of all results weigh more: 12 million of 96, where 10 million of f32 are a kernel's.
// CHECK-LABEL: plan of @linear_large{{$}}
// CHECK: library
func.func @linear_large(%x: tensor<300x96xf16>, %w: tensor<430x96xf16>, %b: tensor<430xf16>) -> tensor<300x430xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<300x96xf16>, tensor<430x96xf16>, tensor<430xf16>) -> tensor<300x430xf16>
  return %0 : tensor<300x430xf16>
}

// CHECK-LABEL: plan of @linear_of_floats{{$}}
// CHECK-NOT: library
func.func @linear_of_floats(%x: tensor<250x96xf32>, %w: tensor<430x96xf32>, %b: tensor<430xf32>) -> tensor<250x430xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<250x96xf32>, tensor<430x96xf32>, tensor<430xf32>) -> tensor<250x430xf32>
  return %0 : tensor<250x430xf32>
}

// Sums along columns of an operand have each term to themselves.
// CHECK-LABEL: plan of @columns{{$}}
// CHECK: library
func.func @columns(%x: tensor<5x88xf32>, %w: tensor<88x17xf32>) -> tensor<5x17xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<5x88xf32>, tensor<88x17xf32>) -> tensor<5x17xf32>
  %1 = fxgraph.tanh %0 : tensor<5x17xf32>
  return %1 : tensor<5x17xf32>
}

// Operands that the library would have to have copied.
// CHECK-LABEL: plan of @strided{{$}}
// CHECK-NOT: library
func.func @strided(%x: tensor<3x7x26xf32>, %y: tensor<3x13x9xf32>) -> tensor<3x7x9xf32> {
  %0 = fxgraph.slice %x dim 2 from 0 to 26 step 2 : (tensor<3x7x26xf32>) -> tensor<3x7x13xf32>
  %1 = fxgraph.bmm %0, %y : (tensor<3x7x13xf32>, tensor<3x13x9xf32>) -> tensor<3x7x9xf32>
  return %1 : tensor<3x7x9xf32>
}

// CHECK-LABEL: plan of @alone{{$}}
// CHECK: library
func.func @alone(%x: tensor<3x7x40xf32>, %y: tensor<3x40x9xf32>) -> tensor<3x7x9xf32> {
  %0 = fxgraph.bmm %x, %y : (tensor<3x7x40xf32>, tensor<3x40x9xf32>) -> tensor<3x7x9xf32>
  return %0 : tensor<3x7x9xf32>
}

// A product that several read is computed once.
// CHECK-LABEL: plan of @shared{{$}}
// CHECK-NOT: library
func.func @shared(%x: tensor<6x20xf32>, %y: tensor<20x9xf32>) -> (tensor<6x9xf32>, tensor<6xf32>) {
  %0 = fxgraph.mm %x, %y : (tensor<6x20xf32>, tensor<20x9xf32>) -> tensor<6x9xf32>
  %1 = fxgraph.softmax %0 dim -1 : (tensor<6x9xf32>) -> tensor<6x9xf32>
  %2 = fxgraph.sum %0 dims [1] : (tensor<6x9xf32>) -> tensor<6xf32>
  return %1, %2 : tensor<6x9xf32>, tensor<6xf32>
}

// A sum of products is not computed for each term of the next, nor what a maximum of them leads to.
// CHECK-LABEL: plan of @chained{{$}}
// CHECK-NEXT: kernel
// CHECK-NEXT: kernel
// CHECK-NEXT: library
func.func @chained(%x: tensor<6x20xf32>, %y: tensor<20x9xf32>, %z: tensor<9x7xf32>) -> tensor<6x7xf32> {
  %0 = fxgraph.mm %x, %y : (tensor<6x20xf32>, tensor<20x9xf32>) -> tensor<6x9xf32>
  %1 = fxgraph.softmax %0 dim -1 : (tensor<6x9xf32>) -> tensor<6x9xf32>
  %2 = fxgraph.neg %1 : tensor<6x9xf32>
  %3 = fxgraph.mm %2, %z : (tensor<6x9xf32>, tensor<9x7xf32>) -> tensor<6x7xf32>
  return %3 : tensor<6x7xf32>
}

// CHECK-LABEL: plan of @pointwise_convolution{{$}}
// CHECK-NOT: library
// PREPARED-LABEL: @pointwise_convolution
// PREPARED-NOT: constant_pad_nd
// PREPARED-LABEL: @long_convolution
func.func @pointwise_convolution(%x: tensor<2x5x9x7xf16>, %w: tensor<6x5x1x1xf16>, %b: tensor<6xf16>) -> tensor<2x6x5x4xf16> {
  %0 = fxgraph.conv2d %x, %w, %b stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<2x5x9x7xf16>, tensor<6x5x1x1xf16>, tensor<6xf16>) -> tensor<2x6x5x4xf16>
  %1 = fxgraph.relu %0 : tensor<2x6x5x4xf16>
  return %1 : tensor<2x6x5x4xf16>
}

// Many results of many terms: the library's kernels have enough to do.
// CHECK-LABEL: plan of @long_convolution{{$}}
// CHECK: library
func.func @long_convolution(%x: tensor<16x8x40x40xf32>, %w: tensor<16x8x3x3xf32>) -> tensor<16x16x40x40xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<16x8x40x40xf32>, tensor<16x8x3x3xf32>) -> tensor<16x16x40x40xf32>
  return %0 : tensor<16x16x40x40xf32>
}

// Its windows of 25 elements for a quarter of the results are a kernel's, which the library takes longer for.
// CHECK-LABEL: plan of @large_windows{{$}}
// CHECK-NOT: library
func.func @large_windows(%x: tensor<4x8x40x40xf32>, %w: tensor<16x8x5x5xf32>) -> tensor<4x16x40x40xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [2, 2] dilation [1, 1] : (tensor<4x8x40x40xf32>, tensor<16x8x5x5xf32>) -> tensor<4x16x40x40xf32>
  return %0 : tensor<4x16x40x40xf32>
}

// Not where the library has tensor cores for them: 26 million terms of 16 bits.
// CHECK-LABEL: plan of @tensor_cores{{$}}
// CHECK: library
func.func @tensor_cores(%x: tensor<1x64x31x23xf16>, %w: tensor<64x64x3x3xf16>) -> tensor<1x64x31x23xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x64x31x23xf16>, tensor<64x64x3x3xf16>) -> tensor<1x64x31x23xf16>
  return %0 : tensor<1x64x31x23xf16>
}

// 64 channels for 90 results.
// CHECK-LABEL: plan of @shared_sums{{$}}
// CHECK-NOT: library
func.func @shared_sums(%x: tensor<1x64x6x5xf32>, %w: tensor<3x64x3x3xf32>) -> tensor<1x3x6x5xf32> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] : (tensor<1x64x6x5xf32>, tensor<3x64x3x3xf32>) -> tensor<1x3x6x5xf32>
  return %0 : tensor<1x3x6x5xf32>
}

// CHECK-LABEL: plan of @window{{$}}
// CHECK-NOT: library
func.func @window(%x: tensor<2x12x6x5xbf16>, %w: tensor<4x6x3x3xbf16>) -> tensor<2x4x3x3xbf16> {
  %0 = fxgraph.conv2d %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] groups 2 : (tensor<2x12x6x5xbf16>, tensor<4x6x3x3xbf16>) -> tensor<2x4x3x3xbf16>
  return %0 : tensor<2x4x3x3xbf16>
}

// What says how a library has it is the library's.
// CHECK-LABEL: plan of @asked{{$}}
// CHECK: library
func.func @asked(%x: tensor<2x8x3x5xf16>, %w: tensor<8x8x1x1xf16>) -> tensor<2x8x3x5xf16> {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] {fxgraph.channels_last = false} : (tensor<2x8x3x5xf16>, tensor<8x8x1x1xf16>) -> tensor<2x8x3x5xf16>
  return %0 : tensor<2x8x3x5xf16>
}
