// Boxes of short rows, all of whose results are one run of memory: they are written in vectors that go on from one row to the
// next, and what lies as they do is read so.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=nest-config=kind=boxes,block=96 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short processors=1" | FileCheck %s --check-prefixes=JOINED,OPERAND
// RUN: fx-opt %s --fxgraph-to-gpu="entry=displaced processors=1" | FileCheck %s --check-prefixes=JOINED,APART
// RUN: fx-opt %s --fxgraph-to-gpu="entry=last processors=1" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=two_results processors=1" | FileCheck %s --check-prefix=JOINED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=bytes processors=1" | FileCheck %s --check-prefix=BYTES
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1" | FileCheck %s --check-prefix=ODD
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_of_floats processors=1" | FileCheck %s --check-prefix=ODD
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short processors=1" | FileCheck %s --check-prefix=NO-REST
// RUN: fx-opt %s --fxgraph-to-gpu="entry=gaps processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_parts processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole processors=1" | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole processors=100" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=ragged_source processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=too_long processors=1" | FileCheck %s --check-prefix=NONE
// JOINED: joined_results, kind = "boxes"
// NONE: kind = "boxes"
// NONE-NOT: joined_results

// OPERAND: vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}xf16{{.*}}>, vector<8xf16>
// OPERAND: gpu.barrier
// OPERAND-NOT: scf.if {{.*}} else
// OPERAND: vector.store {{.*}} {alignment = 16 : i64}
func.func @short(%x: tensor<29x5x64x13xf16>, %y: tensor<5x64x13x29xf16>, %z: tensor<29xf16>) -> tensor<5x64x13x29xf16> {
  %0 = fxgraph.permute %x dims [1, 2, 3, 0] : (tensor<29x5x64x13xf16>) -> tensor<5x64x13x29xf16>
  %c = fxgraph.contiguous %0 : tensor<5x64x13x29xf16>
  %1 = fxgraph.tanh %c : tensor<5x64x13x29xf16>
  %2 = fxgraph.add %1, %y : (tensor<5x64x13x29xf16>, tensor<5x64x13x29xf16>) -> tensor<5x64x13x29xf16>
  %3 = fxgraph.mul %2, %z : (tensor<5x64x13x29xf16>, tensor<29xf16>) -> tensor<5x64x13x29xf16>
  return %3 : tensor<5x64x13x29xf16>
}

// What begins elsewhere, or has gaps, is read element by element.
// APART-NOT: vector<8xbf16>
// APART: gpu.barrier
// APART: vector.store
func.func @displaced(%x: tensor<21x1024xbf16>, %y: tensor<1024x23xbf16>) -> tensor<1024x21xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<21x1024xbf16>) -> tensor<1024x21xbf16>
  %c = fxgraph.contiguous %0 : tensor<1024x21xbf16>
  %1 = fxgraph.slice %y dim 1 from 1 to 22 step 1 : (tensor<1024x23xbf16>) -> tensor<1024x21xbf16>
  %2 = fxgraph.sub %c, %1 : (tensor<1024x21xbf16>, tensor<1024x21xbf16>) -> tensor<1024x21xbf16>
  return %2 : tensor<1024x21xbf16>
}

// The last box begins inside the one before.
func.func @last(%x: tensor<3x35x600xf32>) -> tensor<3x600x35xf32> {
  %0 = fxgraph.transpose %x dims 1, 2 : (tensor<3x35x600xf32>) -> tensor<3x600x35xf32>
  %c = fxgraph.contiguous %0 : tensor<3x600x35xf32>
  %1 = fxgraph.exp %c : tensor<3x600x35xf32>
  return %1 : tensor<3x600x35xf32>
}

// Rows that no vector begins with behind the last box: the first block computes them, in steps of its threads, straight from
// memory.
// ODD: joined_results, kind = "boxes", lanes = {{[48]}} : i64, ragged
// ODD: gpu.barrier
// ODD: vector.store
// ODD: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0{{.*}} : index
// ODD: scf.if %[[FIRST]]
// NO-REST: gpu.barrier
// NO-REST-NOT: arith.cmpi eq
func.func @odd(%x: tensor<53x1231xbf16>, %y: tensor<1231x53xbf16>) -> (tensor<1231x53xbf16>, tensor<1231x53xbf16>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<53x1231xbf16>) -> tensor<1231x53xbf16>
  %c = fxgraph.contiguous %0 : tensor<1231x53xbf16>
  %1 = fxgraph.add %c, %y : (tensor<1231x53xbf16>, tensor<1231x53xbf16>) -> tensor<1231x53xbf16>
  %2 = fxgraph.neg %1 : tensor<1231x53xbf16>
  return %1, %2 : tensor<1231x53xbf16>, tensor<1231x53xbf16>
}
func.func @odd_of_floats(%x: tensor<23x1207xf32>) -> tensor<1207x23xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<23x1207xf32>) -> tensor<1207x23xf32>
  %c = fxgraph.contiguous %0 : tensor<1207x23xf32>
  %1 = fxgraph.neg %c : tensor<1207x23xf32>
  return %1 : tensor<1207x23xf32>
}

func.func @two_results(%x: tensor<19x1200xf32>) -> (tensor<1200x19xf32>, tensor<1200x19xf16>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<19x1200xf32>) -> tensor<1200x19xf32>
  %1 = fxgraph.exp %0 : tensor<1200x19xf32>
  %2 = fxgraph.convert_element_type %1 : (tensor<1200x19xf32>) -> tensor<1200x19xf16>
  %3 = fxgraph.contiguous %1 : tensor<1200x19xf32>
  %4 = fxgraph.contiguous %2 : tensor<1200x19xf16>
  return %3, %4 : tensor<1200x19xf32>, tensor<1200x19xf16>
}

// Of bytes as many are whole lines, but a box has no more elements for that.
// BYTES: box = array<i64: 128, 26>, joined_results
func.func @bytes(%x: tensor<26x4096xi8>) -> tensor<4096x26xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<26x4096xi8>) -> tensor<4096x26xi8>
  %c = fxgraph.contiguous %0 : tensor<4096x26xi8>
  return %c : tensor<4096x26xi8>
}

// Between rows lies something else.
func.func @gaps(%x: tensor<21x1024xf32>, %y: tensor<1024x21xf32>) -> tensor<1024x2x21xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<21x1024xf32>) -> tensor<1024x21xf32>
  %1 = fxgraph.stack %0, %y dim 1 : (tensor<1024x21xf32>, tensor<1024x21xf32>) -> tensor<1024x2x21xf32>
  return %1 : tensor<1024x2x21xf32>
}

// No vector of all parts begins where one may.
func.func @odd_parts(%x: tensor<11x21x301xf16>) -> tensor<11x301x21xf16> {
  %0 = fxgraph.transpose %x dims 1, 2 : (tensor<11x21x301xf16>) -> tensor<11x301x21xf16>
  %c = fxgraph.contiguous %0 : tensor<11x301x21xf16>
  %1 = fxgraph.neg %c : tensor<11x301x21xf16>
  return %1 : tensor<11x301x21xf16>
}

func.func @long(%x: tensor<301x1024xf16>) -> tensor<1024x301xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<301x1024xf16>) -> tensor<1024x301xf16>
  %c = fxgraph.contiguous %0 : tensor<1024x301xf16>
  %1 = fxgraph.neg %c : tensor<1024x301xf16>
  return %1 : tensor<1024x301xf16>
}

// Longer ones, too, where results would be written in words otherwise and operands can be read in vectors: as many rows as a block
// has room for.
// WHOLE: box = array<i64: 64, 301>, joined_results, kind = "boxes", lanes = 8 : i64
func.func @whole(%x: tensor<301x640xbf16>, %y: tensor<640x301xbf16>) -> tensor<640x301xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<301x640xbf16>) -> tensor<640x301xbf16>
  %c = fxgraph.contiguous %0 : tensor<640x301xbf16>
  %1 = fxgraph.add %c, %y : (tensor<640x301xbf16>, tensor<640x301xbf16>) -> tensor<640x301xbf16>
  return %1 : tensor<640x301xbf16>
}

// Not where operands are read element by element all the same, nor where no block has room for eight rows.
func.func @ragged_source(%x: tensor<301x641xbf16>, %y: tensor<641x301xbf16>) -> tensor<641x301xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<301x641xbf16>) -> tensor<641x301xbf16>
  %c = fxgraph.contiguous %0 : tensor<641x301xbf16>
  %1 = fxgraph.add %c, %y : (tensor<641x301xbf16>, tensor<641x301xbf16>) -> tensor<641x301xbf16>
  return %1 : tensor<641x301xbf16>
}
func.func @too_long(%x: tensor<3101x64xbf16>, %y: tensor<64x3101xbf16>) -> tensor<64x3101xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<3101x64xbf16>) -> tensor<64x3101xbf16>
  %c = fxgraph.contiguous %0 : tensor<64x3101xbf16>
  %1 = fxgraph.add %c, %y : (tensor<64x3101xbf16>, tensor<64x3101xbf16>) -> tensor<64x3101xbf16>
  return %1 : tensor<64x3101xbf16>
}
