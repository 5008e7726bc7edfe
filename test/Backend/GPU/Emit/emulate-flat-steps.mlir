// Vectors of a thread that are neighbours along a dimension: their addresses differ by constants, and what is the same for all of
// them is computed once. Values against the reference interpreter; and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --target-option=nest-config=kind=flat,unroll=2,steps_along=1 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=processors=1 --target-option=nest-config=kind=flat,unroll=4 --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even processors=1 nest-config=kind=flat,unroll=4,steps_along=1" | FileCheck %s --check-prefix=EVEN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short_rows processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long_rows processors=1" | FileCheck %s --check-prefix=LONG
// RUN: fx-opt %s --fxgraph-to-gpu="entry=two_results processors=1" | FileCheck %s --check-prefix=TWO
// RUN: fx-opt %s --fxgraph-to-gpu="entry=left processors=1" | FileCheck %s --check-prefix=LEFT
// RUN: fx-opt %s --fxgraph-to-gpu="entry=pieces processors=1" | FileCheck %s --check-prefix=PIECES
// RUN: fx-opt %s --fxgraph-to-gpu="entry=rows processors=1" | FileCheck %s --check-prefix=ROWS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=dense_rows processors=1" | FileCheck %s --check-prefix=DENSE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=early processors=1" | FileCheck %s --check-prefix=EARLY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short_runs processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even processors=1 nest-config=kind=flat,unroll=4" | FileCheck %s --check-prefix=NONE
// NONE: kind = "flat"
// NONE-NOT: steps_along

// The dimension that one operand is the same along. By themselves words are written in whole sectors rather.
// EVEN: kind = "flat", lanes = 1 : i64, steps_along = 1 : i64, unroll = 4
func.func @even(%x: tensor<3x8x6x2x48xf32>, %y: tensor<3x8x6x2x43xf32>, %z: tensor<3x1x6x1x43xf32>) -> tensor<3x8x6x2x43xf32> {
  %0 = fxgraph.slice %x dim 4 from 3 to 46 step 1 : (tensor<3x8x6x2x48xf32>) -> tensor<3x8x6x2x43xf32>
  %1 = fxgraph.mul %0, %y : (tensor<3x8x6x2x43xf32>, tensor<3x8x6x2x43xf32>) -> tensor<3x8x6x2x43xf32>
  %2 = fxgraph.add %1, %z : (tensor<3x8x6x2x43xf32>, tensor<3x1x6x1x43xf32>) -> tensor<3x8x6x2x43xf32>
  return %2 : tensor<3x8x6x2x43xf32>
}

// No multiple of the steps: the last ones begin earlier.
// LEFT: kind = "flat", lanes = 1 : i64, steps_along = 1 : i64, unroll = 8
func.func @left(%x: tensor<131x2x129xbf16>) -> tensor<2x131x129xbf16> {
  %0 = fxgraph.permute %x dims [1, 0, 2] : (tensor<131x2x129xbf16>) -> tensor<2x131x129xbf16>
  %1 = fxgraph.contiguous %0 : tensor<2x131x129xbf16>
  return %1 : tensor<2x131x129xbf16>
}

// Of two dimensions, a place takes one division: rows must be long, and a warp's accesses a line.
func.func @short_rows(%x: tensor<131x48xf32>, %z: tensor<43xf32>) -> tensor<131x43xf32> {
  %0 = fxgraph.slice %x dim 1 from 3 to 46 step 1 : (tensor<131x48xf32>) -> tensor<131x43xf32>
  %1 = fxgraph.add %0, %z : (tensor<131x43xf32>, tensor<43xf32>) -> tensor<131x43xf32>
  return %1 : tensor<131x43xf32>
}
// LONG: kind = "flat", lanes = 1 : i64, steps_along = 0 : i64, unroll = 4
func.func @long_rows(%x: tensor<16x1034xf32>, %z: tensor<1031xf32>) -> tensor<16x1031xf32> {
  %0 = fxgraph.slice %x dim 1 from 2 to 1033 step 1 : (tensor<16x1034xf32>) -> tensor<16x1031xf32>
  %1 = fxgraph.add %0, %z : (tensor<16x1031xf32>, tensor<1031xf32>) -> tensor<16x1031xf32>
  return %1 : tensor<16x1031xf32>
}

// Fewer vectors of a thread where each has several results.
// TWO: kind = "flat", lanes = 1 : i64, unroll = 4
func.func @two_results(%x: tensor<61x15x34xbf16>, %z: tensor<27xbf16>) -> (tensor<61x15x27xbf16>, tensor<61x15x27xbf16>) {
  %0 = fxgraph.slice %x dim 2 from 5 to 32 step 1 : (tensor<61x15x34xbf16>) -> tensor<61x15x27xbf16>
  %1 = fxgraph.maximum %0, %z : (tensor<61x15x27xbf16>, tensor<27xbf16>) -> tensor<61x15x27xbf16>
  %2 = fxgraph.minimum %0, %z : (tensor<61x15x27xbf16>, tensor<27xbf16>) -> tensor<61x15x27xbf16>
  return %1, %2 : tensor<61x15x27xbf16>, tensor<61x15x27xbf16>
}

// Pieces of a concatenation, of which one lies otherwise.
// PIECES: kind = "flat", lanes = 1 : i64, steps_along = 1 : i64
func.func @pieces(%x: tensor<3x44x21x5xf32>, %y: tensor<44x4x21x5xf32>) -> tensor<7x44x21x5xf32> {
  %0 = fxgraph.permute %y dims [1, 0, 2, 3] : (tensor<44x4x21x5xf32>) -> tensor<4x44x21x5xf32>
  %1 = fxgraph.cat %x, %0 dim 0 : (tensor<3x44x21x5xf32>, tensor<4x44x21x5xf32>) -> tensor<7x44x21x5xf32>
  %2 = fxgraph.abs %1 : tensor<7x44x21x5xf32>
  return %2 : tensor<7x44x21x5xf32>
}

// Behind the dimension there are fewer elements than threads of a warp.
func.func @short_runs(%x: tensor<800x9xf32>) -> tensor<800x7xf32> {
  %0 = fxgraph.slice %x dim 1 from 1 to 8 step 1 : (tensor<800x9xf32>) -> tensor<800x7xf32>
  %1 = fxgraph.neg %0 : tensor<800x7xf32>
  return %1 : tensor<800x7xf32>
}

// Threads have one vector each.
func.func @few(%x: tensor<8x48xf32>) -> tensor<8x43xf32> {
  %0 = fxgraph.slice %x dim 1 from 3 to 46 step 1 : (tensor<8x48xf32>) -> tensor<8x43xf32>
  %1 = fxgraph.neg %0 : tensor<8x43xf32>
  return %1 : tensor<8x43xf32>
}

// Rows in another order: not one loop by quotients.
// ROWS: kind = "flat", lanes = 1 : i64, steps_along = 1 : i64, unroll = 8
func.func @rows(%x: tensor<70x4x129xbf16>) -> tensor<4x70x129xbf16> {
  %0 = fxgraph.permute %x dims [1, 0, 2] : (tensor<70x4x129xbf16>) -> tensor<4x70x129xbf16>
  %1 = fxgraph.contiguous %0 : tensor<4x70x129xbf16>
  %2 = fxgraph.neg %1 : tensor<4x70x129xbf16>
  return %2 : tensor<4x70x129xbf16>
}

// Where most memory is dense across rows, it is.
// DENSE: kind = "flat", lanes = 2 : i64, unroll = 4
func.func @dense_rows(%x: tensor<70x129xbf16>, %y: tensor<70x129xbf16>, %z: tensor<129xbf16>) -> tensor<70x129xbf16> {
  %0 = fxgraph.maximum %x, %y : (tensor<70x129xbf16>, tensor<70x129xbf16>) -> tensor<70x129xbf16>
  %1 = fxgraph.maximum %0, %z : (tensor<70x129xbf16>, tensor<129xbf16>) -> tensor<70x129xbf16>
  return %1 : tensor<70x129xbf16>
}

// Nothing is divided before the last load.
// EARLY: memref.load
// EARLY: arith.divf
// EARLY-NOT: memref.load
// EARLY: memref.store
func.func @early(%x: tensor<131x48xf32>, %y: tensor<131x43xf32>) -> tensor<131x43xf32> {
  %0 = fxgraph.slice %x dim 1 from 3 to 46 step 1 : (tensor<131x48xf32>) -> tensor<131x43xf32>
  %1 = fxgraph.sigmoid %0 : tensor<131x43xf32>
  %2 = fxgraph.sub %1, %y : (tensor<131x43xf32>, tensor<131x43xf32>) -> tensor<131x43xf32>
  return %2 : tensor<131x43xf32>
}
