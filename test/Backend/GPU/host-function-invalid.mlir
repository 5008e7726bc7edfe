// Host functions that no launch plan can say.
// RUN: split-file %s %t
// RUN: not fx-translate %t/op.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=OP
// RUN: not fx-translate %t/workspace.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// RUN: not fx-translate %t/order.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not fx-translate %t/callee.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=CALLEE
// RUN: not fx-translate %t/names.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=NAMES
// RUN: not fx-translate %t/address.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=ADDRESS

//--- op.mlir
// OP: op.mlir:{{[0-9]+}}:{{[0-9]+}}: error: 'memref.alloc' op is not a step of a launch plan
func.func @main(%w: memref<4xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = memref.alloc() : memref<4xf32>
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
