// Host functions that no launch plan can say.
// RUN: split-file %s %t
// RUN: not fx-translate %t/op.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not fx-translate %t/workspace.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// RUN: not fx-translate %t/order.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not fx-translate %t/callee.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not fx-translate %t/predicate.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=PREDICATE
// RUN: not fx-translate %t/inner.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=INNER
// RUN: not fx-translate %t/names.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not fx-translate %t/address.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=ADDRESS
// RUN: not fx-translate %t/rank.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=RANK
// RUN: not fx-translate %t/strides.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=STRIDES
// RUN: not fx-translate %t/count.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=COUNT
// RUN: not fx-translate %t/box.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=BOX
// RUN: not fx-translate %t/extent.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=EXTENT
// RUN: not fx-translate %t/empty.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=EMPTY

//--- op.mlir
// OP: op.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'memref.alloc' op is not a step of a launch plan
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = memref.alloc() : memref<4xf32>
  return
}

//--- predicate.mlir
// PREDICATE: error: 'fxgraph.branch' op expected a predicate of one element of i1, or of i8 as it is stored, but got 'memref<4xi8>'
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.branch %w then {
  } else {
  } : memref<4xi8>
  return
}

//--- inner.mlir
// INNER: error: 'memref.alloc' op is not a step of a launch plan
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %p = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<i8>
  fxgraph.loop %p while {
  } do {
    %0 = memref.alloc() : memref<4xf32>
  } : memref<i8>
  return
}

//--- workspace.mlir
// WORKSPACE: expected the workspace as the last argument but got no argument
func.func @main() attributes {fxgraph.chip = "sm_90a"} {
  return
}

//--- order.mlir
// ORDER: expected the results behind all inputs but argument 1 is an input
func.func @main(%r: memref<4xf32> {fxgraph.result}, %x: memref<4xf32>, %w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  return
}

//--- callee.mlir
// CALLEE: expected callee to be matmul or conv but got 'gemm'
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<f32>
  fxgraph.library_call "gemm"(%0) as ["a"] {} : memref<f32>
  return
}

//--- names.mlir
// NAMES: expected a name for each of the 1 buffers but got 0
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<f32>
  fxgraph.library_call "matmul"(%0) as [] {} : memref<f32>
  return
}

//--- address.mlir
// ADDRESS: expected fxgraph.buffer of an argument or a literal as operand
func.func @main(%x: memref<4xi8>, %w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  memref.copy %x, %w : memref<4xi8> to memref<4xi8>
  return
}

//--- rank.mlir
// RANK: expected 2 extents of the box but got 1
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [64, 8] strides [128] box [64] : memref<bf16> to !llvm.ptr
  return
}

//--- strides.mlir
// STRIDES: expected strides that are multiples of 16 bytes but got 30
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [15, 8] strides [30] box [8, 8] : memref<bf16> to !llvm.ptr
  return
}

//--- count.mlir
// COUNT: expected 1 strides but got 2
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [16, 8] strides [32, 256] box [8, 8] : memref<bf16> to !llvm.ptr
  return
}

//--- box.mlir
// BOX: expected a box with rows of 16 to 128 bytes but got 256
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [128, 8] strides [256] box [128, 8] : memref<bf16> to !llvm.ptr
  return
}

//--- extent.mlir
// EXTENT: expected extents of the box from 1 to 256 but got 257
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [64, 512] strides [128] box [64, 257] : memref<bf16> to !llvm.ptr
  return
}

//--- empty.mlir
// EMPTY: expected extents from 1 to 2^32 but got 0
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xi8> to memref<bf16>
  %1 = fxgraph.tensor_map %0 dims [64, 0] strides [128] box [64, 8] : memref<bf16> to !llvm.ptr
  return
}
