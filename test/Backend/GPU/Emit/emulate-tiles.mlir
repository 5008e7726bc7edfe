// Windows and products whose threads compute tiles of results.

// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=tiles --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=conv --inputs=seed:5 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=tiles,box=1x4x1x4x1x1x1,threads=1 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=conv --inputs=seed:6 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=tiles,box=1x3x2x1x1x1x1,threads=4 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=conv --inputs=seed:7 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=tiles,box=1x1x1x7x1x1x1,threads=64 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=product --inputs=seed:8 --target=gpu-emulator --target-option=libraries=none --target-option=nest-config=kind=tiles,box=4x8x1,threads=16 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-gpu="entry=conv libraries=none nest-config=kind=tiles,box=1x4x1x4x1x1x1,window=3" | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="entry=conv libraries=none" | FileCheck %s --check-prefix=SMALL
// RUN: fx-opt %s --fxgraph-to-gpu="entry=conv libraries=none nest-config=kind=tiles,box=1x8x1x8x1x1x1" | FileCheck %s --check-prefix=SMALL
// RUN: fx-opt %s --fxgraph-to-gpu=entry=many | FileCheck %s --check-prefix=MANY

// What is loaded for one of 16 results serves four: of each of three terms in a row four weights and, of a row of six, four of x.
// CHECK: kind = "tiles"
// CHECK-SAME: window = 3
// CHECK: scf.for
// CHECK-COUNT-48: math.fma
// CHECK-NOT: math.fma
// CHECK: scf.yield
// Few terms are a loop, and a tile has up to 32 results.
// SMALL: kind = "loops"
// Convolutions of f32 that tensor cores do not compute are kernels.
// MANY: kind = "tiles"
// MANY-NOT: library_call

func.func @conv(%x: tensor<2x5x9x11xf32>, %w: tensor<7x5x3x3xf32>, %b: tensor<7xf32>) -> tensor<2x7x9x11xf32> {
  %0 = fxgraph.convolution %x, %w, %b stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<2x5x9x11xf32>, tensor<7x5x3x3xf32>, tensor<7xf32>) -> tensor<2x7x9x11xf32>
  %1 = fxgraph.relu %0 : tensor<2x7x9x11xf32>
  return %1 : tensor<2x7x9x11xf32>
}

func.func @strided(%x: tensor<1x6x13x8xf32>, %w: tensor<4x3x5x3xf32>) -> tensor<1x4x5x3xf32> {
  %0 = fxgraph.convolution %x, %w stride [2, 3] padding [0, 1] dilation [1, 1] output_padding [0, 0] groups 2 : (tensor<1x6x13x8xf32>, tensor<4x3x5x3xf32>) -> tensor<1x4x5x3xf32>
  return %0 : tensor<1x4x5x3xf32>
}

func.func @dilated_half(%x: tensor<2x4x12xf16>, %w: tensor<6x4x3xf16>) -> tensor<2x6x8xf16> {
  %0 = fxgraph.convolution %x, %w stride [1] padding [0] dilation [2] output_padding [0] : (tensor<2x4x12xf16>, tensor<6x4x3xf16>) -> tensor<2x6x8xf16>
  return %0 : tensor<2x6x8xf16>
}

func.func @product(%a: tensor<13x37xf32>, %c: tensor<37x18xf32>, %r: tensor<13x18xf32>) -> tensor<13x18xf32> {
  %0 = fxgraph.addmm %r, %a, %c beta 0.5 : (tensor<13x18xf32>, tensor<13x37xf32>, tensor<37x18xf32>) -> tensor<13x18xf32>
  %1 = fxgraph.tanh %0 : tensor<13x18xf32>
  return %1 : tensor<13x18xf32>
}

func.func @batched(%a: tensor<3x6x20xf64>, %c: tensor<3x20x5xf64>) -> tensor<3x6x5xf64> {
  %0 = fxgraph.bmm %a, %c : (tensor<3x6x20xf64>, tensor<3x20x5xf64>) -> tensor<3x6x5xf64>
  return %0 : tensor<3x6x5xf64>
}

func.func @integers(%a: tensor<6x20xi64>, %c: tensor<20x5xi64>) -> tensor<6x5xi64> {
  %0 = fxgraph.mm %a, %c : (tensor<6x20xi64>, tensor<20x5xi64>) -> tensor<6x5xi64>
  return %0 : tensor<6x5xi64>
}

// Windows' maxima are computed by tiles as well.
func.func @pool(%x: tensor<1x3x7x14xf32>) -> tensor<1x3x8x6xf32> {
  %0 = fxgraph.max_pool2d %x kernel [2, 3] stride [1, 2] padding [1, 0] dilation [1, 1] : (tensor<1x3x7x14xf32>) -> tensor<1x3x8x6xf32>
  return %0 : tensor<1x3x8x6xf32>
}

func.func @many(%x: tensor<1x16x12x20xf32>, %w: tensor<24x16x5x5xf32>) -> tensor<1x24x12x20xf32> {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] : (tensor<1x16x12x20xf32>, tensor<24x16x5x5xf32>) -> tensor<1x24x12x20xf32>
  return %0 : tensor<1x24x12x20xf32>
}

// Parts of a sum that some threads add up, with NaN and infinities.
func.func @shared(%a: tensor<5x300xf32>, %c: tensor<300x7xf32>) -> (tensor<5x7xf32>) {
  %0 = fxgraph.log %a : tensor<5x300xf32>
  %1 = fxgraph.mm %0, %c : (tensor<5x300xf32>, tensor<300x7xf32>) -> tensor<5x7xf32>
  return %1 : tensor<5x7xf32>
}
