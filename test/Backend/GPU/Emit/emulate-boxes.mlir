// Boxes through shared memory: values against the reference interpreter, on a large device (small boxes) and on a small one (large
// ones), at extents that nothing divides and that vectors do, of views that nothing aligns, of all widths; and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=7x24,block=96 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=aligned processors=1" | FileCheck %s --check-prefix=ALIGNED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1" | FileCheck %s --check-prefix=ODD
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short_runs processors=1" | FileCheck %s --check-prefix=SHORT
// RUN: fx-opt %s --fxgraph-to-gpu="entry=middle processors=1" | FileCheck %s --check-prefix=MIDDLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=own_order processors=1" | FileCheck %s --check-prefix=OWN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1 nest-config=kind=boxes,box=32x24" | FileCheck %s --check-prefix=GIVEN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1 nest-config=kind=boxes,box=32x99" | FileCheck %s --check-prefix=TOO-LONG
// RUN: fx-opt %s --fxgraph-to-gpu="entry=same_order processors=1" | FileCheck %s --check-prefix=SAME
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few processors=1" | FileCheck %s --check-prefix=FEW
// RUN: fx-opt %s --fxgraph-to-gpu="entry=backwards processors=1" | FileCheck %s --check-prefix=BACKWARDS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=tables processors=1" | FileCheck %s --check-prefix=TABLES
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole_sectors processors=1" | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=no_whole_sectors processors=1" | FileCheck %s --check-prefix=PARTS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=innermost processors=1" | FileCheck %s --check-prefix=INNERMOST
// RUN: fx-opt %s --fxgraph-to-gpu="entry=beside_rows processors=1" | FileCheck %s --check-prefix=BESIDE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=largest processors=1" | FileCheck %s --check-prefix=LARGEST

// ALIGNED: across = array<i64: 0>, along = array<i64: 1>, box = array<i64: 64, 64>, kind = "boxes", lanes = 2 : i64, read_lanes = 2 : i64
// ALIGNED: gpu.barrier
func.func @aligned(%x: tensor<128x192xbf16>) -> tensor<192x128xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<128x192xbf16>) -> tensor<192x128xbf16>
  %1 = fxgraph.contiguous %0 : tensor<192x128xbf16>
  return %1 : tensor<192x128xbf16>
}

// The last boxes overlap those before, instead of ending early: no place is compared with an extent.
// ODD: across = array<i64: 0>, along = array<i64: 1>, box = array<i64: 51, 65>, kind = "boxes", lanes = 2 : i64, ragged, ragged_results, read_lanes = 4 : i64
// ODD-NOT: cmpi ult, {{.*}}, %c101
// GIVEN: box = array<i64: 32, 24>, kind = "boxes"
// Where there is none such: what is chosen anyway.
// TOO-LONG: box = array<i64: 51, 65>, kind = "boxes"
func.func @odd(%x: tensor<65x101xf16>) -> tensor<101x65xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<65x101xf16>) -> tensor<101x65xf16>
  %1 = fxgraph.contiguous %0 : tensor<101x65xf16>
  %2 = fxgraph.relu %1 : tensor<101x65xf16>
  return %2 : tensor<101x65xf16>
}

func.func @one_less(%x: tensor<63x127xf16>) -> tensor<127x63xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<63x127xf16>) -> tensor<127x63xf16>
  %1 = fxgraph.contiguous %0 : tensor<127x63xf16>
  %2 = fxgraph.neg %1 : tensor<127x63xf16>
  return %2 : tensor<127x63xf16>
}

func.func @read_wide(%x: tensor<97x128xi8>) -> tensor<128x97xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<97x128xi8>) -> tensor<128x97xi8>
  %1 = fxgraph.contiguous %0 : tensor<128x97xi8>
  return %1 : tensor<128x97xi8>
}

func.func @written_wide(%x: tensor<128x97xi8>) -> tensor<97x128xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<128x97xi8>) -> tensor<97x128xi8>
  %1 = fxgraph.contiguous %0 : tensor<97x128xi8>
  return %1 : tensor<97x128xi8>
}

func.func @doubles(%x: tensor<70x66xf64>) -> tensor<66x70xf64> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<70x66xf64>) -> tensor<66x70xf64>
  %1 = fxgraph.contiguous %0 : tensor<66x70xf64>
  return %1 : tensor<66x70xf64>
}

func.func @bools(%x: tensor<70x66xi1>) -> tensor<66x70xi1> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<70x66xi1>) -> tensor<66x70xi1>
  %1 = fxgraph.contiguous %0 : tensor<66x70xi1>
  return %1 : tensor<66x70xi1>
}

// A view at an odd column, and one of every second row.
func.func @unaligned(%x: tensor<90x131xbf16>) -> tensor<128x45xbf16> {
  %0 = fxgraph.slice %x dim 1 from 3 to 131 : (tensor<90x131xbf16>) -> tensor<90x128xbf16>
  %1 = fxgraph.slice %0 dim 0 from 0 to 90 step 2 : (tensor<90x128xbf16>) -> tensor<45x128xbf16>
  %2 = fxgraph.transpose %1 dims 0, 1 : (tensor<45x128xbf16>) -> tensor<128x45xbf16>
  %3 = fxgraph.contiguous %2 : tensor<128x45xbf16>
  return %3 : tensor<128x45xbf16>
}

// Runs of 5 and of 7 elements: several dimensions on each side, which are read as they lie.
// SHORT: across = array<i64: 0, 1, 2>, along = array<i64: 3>, box = array<i64: 145, 7>, kind = "boxes"
func.func @short_runs(%x: tensor<13x11x7x5xf16>) -> tensor<11x13x5x7xf16> {
  %0 = fxgraph.permute %x dims [1, 0, 3, 2] : (tensor<13x11x7x5xf16>) -> tensor<11x13x5x7xf16>
  %1 = fxgraph.contiguous %0 : tensor<11x13x5x7xf16>
  return %1 : tensor<11x13x5x7xf16>
}

func.func @short_read(%x: tensor<41x67x3xf32>) -> tensor<41x3x67xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<41x67x3xf32>) -> tensor<41x3x67xf32>
  %1 = fxgraph.contiguous %0 : tensor<41x3x67xf32>
  return %1 : tensor<41x3x67xf32>
}

func.func @short_written(%x: tensor<41x3x67xf32>) -> tensor<41x67x3xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<41x3x67xf32>) -> tensor<41x67x3xf32>
  %1 = fxgraph.contiguous %0 : tensor<41x67x3xf32>
  return %1 : tensor<41x67x3xf32>
}

// One index of a box along what neither side needs.
// MIDDLE: across = array<i64: 1>, along = array<i64: 2>, box = array<i64: 64, 64>, kind = "boxes"
func.func @middle(%x: tensor<3x64x128xf16>) -> tensor<3x128x64xf16> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<3x64x128xf16>) -> tensor<3x128x64xf16>
  %1 = fxgraph.contiguous %0 : tensor<3x128x64xf16>
  return %1 : tensor<3x128x64xf16>
}

// Only the operand that lies otherwise goes through shared memory; numbers of a row, of a column and of some dimensions broadcast.
// OWN: gpu.func @{{.*}} workgroup(%{{[a-z0-9]+}} : memref<{{[0-9]+}}xf32, #gpu.address_space<workgroup>> {llvm.align = 16 : i64}) kernel
// OWN-SAME: kind = "boxes"
func.func @own_order(%x: tensor<4x11x9x3x21xf32>, %y: tensor<9x21x4x3x11xf32>, %row: tensor<11xf32>, %column: tensor<21x1x1x1xf32>) -> tensor<9x21x4x3x11xf32> {
  %0 = fxgraph.permute %x dims [2, 4, 0, 3, 1] : (tensor<4x11x9x3x21xf32>) -> tensor<9x21x4x3x11xf32>
  %1 = fxgraph.abs %0 : tensor<9x21x4x3x11xf32>
  %2 = fxgraph.add %1, %y : (tensor<9x21x4x3x11xf32>, tensor<9x21x4x3x11xf32>) -> tensor<9x21x4x3x11xf32>
  %3 = fxgraph.mul %2, %row : (tensor<9x21x4x3x11xf32>, tensor<11xf32>) -> tensor<9x21x4x3x11xf32>
  %4 = fxgraph.sub %3, %column : (tensor<9x21x4x3x11xf32>, tensor<21x1x1x1xf32>) -> tensor<9x21x4x3x11xf32>
  return %4 : tensor<9x21x4x3x11xf32>
}

// Two operands in one order, of different widths, and a result of another width.
func.func @two(%x: tensor<70x90xf16>, %y: tensor<70x90xf32>) -> (tensor<90x70xf32>, tensor<90x70xi1>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<70x90xf16>) -> tensor<90x70xf16>
  %1 = fxgraph.transpose %y dims 0, 1 : (tensor<70x90xf32>) -> tensor<90x70xf32>
  %2 = fxgraph.convert_element_type %0 : (tensor<90x70xf16>) -> tensor<90x70xf32>
  %3 = fxgraph.add %2, %1 : (tensor<90x70xf32>, tensor<90x70xf32>) -> tensor<90x70xf32>
  %4 = fxgraph.gt %2, %1 : (tensor<90x70xf32>, tensor<90x70xf32>) -> tensor<90x70xi1>
  return %3, %4 : tensor<90x70xf32>, tensor<90x70xi1>
}

// Rows stay rows, and of few elements no memory is waited for: nothing goes through shared memory.
// SAME: kind = "flat"
// SAME-NOT: gpu.barrier
func.func @same_order(%x: tensor<30x40x50xf16>) -> tensor<40x30x50xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<30x40x50xf16>) -> tensor<40x30x50xf16>
  %1 = fxgraph.contiguous %0 : tensor<40x30x50xf16>
  return %1 : tensor<40x30x50xf16>
}
// FEW: kind = "flat"
// FEW-NOT: gpu.barrier
func.func @few(%x: tensor<40x50xf16>) -> tensor<50x40xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<40x50xf16>) -> tensor<50x40xf16>
  %1 = fxgraph.contiguous %0 : tensor<50x40xf16>
  return %1 : tensor<50x40xf16>
}
func.func @none(%x: tensor<400x0x5xf16>) -> tensor<5x0x400xf16> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<400x0x5xf16>) -> tensor<5x0x400xf16>
  %1 = fxgraph.contiguous %0 : tensor<5x0x400xf16>
  return %1 : tensor<5x0x400xf16>
}

// Rows with gaps between them: what lies behind the end of one is no neighbour of its last element.
func.func @gaps(%x: tensor<300x33x9xf32>, %y: tensor<70x3x40xf16>) -> (tensor<33x8x300xf32>, tensor<3x39x70xf16>) {
  %0 = fxgraph.slice %x dim 2 from 0 to 8 : (tensor<300x33x9xf32>) -> tensor<300x33x8xf32>
  %1 = fxgraph.permute %0 dims [1, 2, 0] : (tensor<300x33x8xf32>) -> tensor<33x8x300xf32>
  %2 = fxgraph.contiguous %1 : tensor<33x8x300xf32>
  %3 = fxgraph.slice %y dim 2 from 1 to 40 : (tensor<70x3x40xf16>) -> tensor<70x3x39xf16>
  %4 = fxgraph.permute %3 dims [1, 2, 0] : (tensor<70x3x39xf16>) -> tensor<3x39x70xf16>
  %5 = fxgraph.contiguous %4 : tensor<3x39x70xf16>
  return %2, %5 : tensor<33x8x300xf32>, tensor<3x39x70xf16>
}

// Instances whose operands lie in the opposite order of their results, and backwards.
// BACKWARDS: kind = "boxes"
// BACKWARDS: kind = "boxes"
func.func @backwards(%x: tensor<66x9x85xf16>) -> (tensor<85x9x66xf16>, tensor<85x9x66xf16>) {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<66x9x85xf16>) -> tensor<85x9x66xf16>
  %1:3 = fxgraph.chunk %0 chunks 3 dim 2 : (tensor<85x9x66xf16>) -> (tensor<85x9x22xf16>, tensor<85x9x22xf16>, tensor<85x9x22xf16>)
  %2 = fxgraph.tanh %1#2 : tensor<85x9x22xf16>
  %3 = fxgraph.tanh %1#1 : tensor<85x9x22xf16>
  %4 = fxgraph.tanh %1#0 : tensor<85x9x22xf16>
  %5 = fxgraph.cat %2, %3, %4 dim 2 : (tensor<85x9x22xf16>, tensor<85x9x22xf16>, tensor<85x9x22xf16>) -> tensor<85x9x66xf16>
  %6 = fxgraph.flip %0 dims [1] : (tensor<85x9x66xf16>) -> tensor<85x9x66xf16>
  %7 = fxgraph.contiguous %6 : tensor<85x9x66xf16>
  return %5, %7 : tensor<85x9x66xf16>, tensor<85x9x66xf16>
}

// Instances whose memory a table has: outermost, so that a box is in one of them. The twin: where it is innermost there is none.
// TABLES: kind = "boxes"
// INNERMOST-NOT: kind = "boxes"
func.func @tables(%x: tensor<77x65xbf16>, %y: tensor<77x65xbf16>, %z: tensor<77x65xbf16>) -> tensor<195x77xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %1 = fxgraph.transpose %y dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %2 = fxgraph.transpose %z dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %3 = fxgraph.cat %0, %1, %2 dim 0 : (tensor<65x77xbf16>, tensor<65x77xbf16>, tensor<65x77xbf16>) -> tensor<195x77xbf16>
  return %3 : tensor<195x77xbf16>
}

func.func @innermost(%x: tensor<77x65xbf16>, %y: tensor<77x65xbf16>, %z: tensor<77x65xbf16>) -> tensor<65x77x3xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %1 = fxgraph.transpose %y dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %2 = fxgraph.transpose %z dims 0, 1 : (tensor<77x65xbf16>) -> tensor<65x77xbf16>
  %3 = fxgraph.stack %0, %1, %2 dim 2 : (tensor<65x77xbf16>, tensor<65x77xbf16>, tensor<65x77xbf16>) -> tensor<65x77x3xbf16>
  return %3 : tensor<65x77x3xbf16>
}

// Rows of odd length, some of which are whole sectors of memory: boxes begin with those.
// WHOLE: across = array<i64: 0, 1>, along = array<i64: 2, 3>, box = array<i64: 25, 32>, kind = "boxes"
func.func @whole_sectors(%x: tensor<4x57x16x25xf32>, %y: tensor<4x25x16x57xf32>) -> tensor<4x25x16x57xf32> {
  %0 = fxgraph.permute %x dims [0, 3, 2, 1] : (tensor<4x57x16x25xf32>) -> tensor<4x25x16x57xf32>
  %1 = fxgraph.add %0, %y : (tensor<4x25x16x57xf32>, tensor<4x25x16x57xf32>) -> tensor<4x25x16x57xf32>
  %2 = fxgraph.contiguous %1 : tensor<4x25x16x57xf32>
  return %2 : tensor<4x25x16x57xf32>
}
// None are: boxes along one of them.
// PARTS: along = array<i64: 3>
func.func @no_whole_sectors(%x: tensor<4x57x9x25xf32>, %y: tensor<4x25x9x57xf32>) -> tensor<4x25x9x57xf32> {
  %0 = fxgraph.permute %x dims [0, 3, 2, 1] : (tensor<4x57x9x25xf32>) -> tensor<4x25x9x57xf32>
  %1 = fxgraph.add %0, %y : (tensor<4x25x9x57xf32>, tensor<4x25x9x57xf32>) -> tensor<4x25x9x57xf32>
  %2 = fxgraph.contiguous %1 : tensor<4x25x9x57xf32>
  return %2 : tensor<4x25x9x57xf32>
}

// What is read first lies in another order, but is less: the box goes along the memory of what all elements read.
// BESIDE: across = array<i64: 0>, along = array<i64: 1, 2>
func.func @beside_rows(%x: tensor<2x90x128xf16>, %y: tensor<2x128xf32>) -> tensor<128x90x2xf16> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<2x90x128xf16>) -> tensor<128x90x2xf16>
  %1 = fxgraph.reshape %y shape [2, 1, 128] : tensor<2x128xf32> -> tensor<2x1x128xf32>
  %2 = fxgraph.permute %1 dims [2, 1, 0] : (tensor<2x1x128xf32>) -> tensor<128x1x2xf32>
  %from = fxgraph.convert_element_type %0 : (tensor<128x90x2xf16>) -> tensor<128x90x2xf32>
  %3 = fxgraph.sub %2, %from alpha 1.0 : (tensor<128x1x2xf32>, tensor<128x90x2xf32>) -> tensor<128x90x2xf32>
  %4 = fxgraph.convert_element_type %3 : (tensor<128x90x2xf32>) -> tensor<128x90x2xf16>
  %5 = fxgraph.contiguous %4 : tensor<128x90x2xf16>
  return %5 : tensor<128x90x2xf16>
}

// Of operands that are read across, the largest one's memory counts.
// LARGEST: across = array<i64: 0>, along = array<i64: 1, 2>
func.func @largest(%c: tensor<50x41xf16>, %y: tensor<41x50x33xf16>) -> tensor<33x41x50xf16> {
  %0 = fxgraph.transpose %c dims 0, 1 : (tensor<50x41xf16>) -> tensor<41x50xf16>
  %1 = fxgraph.permute %y dims [2, 0, 1] : (tensor<41x50x33xf16>) -> tensor<33x41x50xf16>
  %2 = fxgraph.contiguous %1 : tensor<33x41x50xf16>
  %3 = fxgraph.add %2, %0 : (tensor<33x41x50xf16>, tensor<41x50xf16>) -> tensor<33x41x50xf16>
  return %3 : tensor<33x41x50xf16>
}
