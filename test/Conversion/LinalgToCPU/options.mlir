// What the pipeline to LLVM does not take, it names.
// RUN: split-file %s %t
// RUN: not fx-opt %t/good.mlir --fxgraph-to-llvm=vector-bytes=7 2>&1 | FileCheck %s --check-prefix=BYTES
// BYTES: fxgraph-cpu-outline-kernels: expected vector-bytes to be 16, 32 or 64 but got 7
// RUN: not fx-opt %t/good.mlir --fxgraph-to-llvm=vector-bytes=-16 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: fxgraph-cpu-outline-kernels: expected vector-bytes to be 16, 32 or 64 but got -16
// RUN: fx-opt %t/good.mlir --fxgraph-to-llvm=vector-bytes=16 | FileCheck %s --check-prefix=GOOD
// GOOD: llvm.func @fxgraph_entry

// RUN: not fx-opt %t/declared.mlir --fxgraph-to-llvm 2>&1 | FileCheck %s --check-prefix=DECLARED
// DECLARED: declared.mlir:1:{{[0-9]+}}: error: expected a function with a body but 'main' is a declaration
// RUN: not fx-opt %t/self.mlir --fxgraph-to-llvm 2>&1 | FileCheck %s --check-prefix=SELF
// SELF: self.mlir:2:{{[0-9]+}}: error: 'func.call' op expected a graph without calls of graphs; run --inline first
// RUN: not fx-opt %t/calls.mlir --fxgraph-to-llvm 2>&1 | FileCheck %s --check-prefix=CALLS
// CALLS: calls.mlir:1:{{[0-9]+}}: error: expected public functions alone but 'f' is private; run --inline and --symbol-dce first
// RUN: fx-opt %t/calls.mlir --inline --symbol-dce --fxgraph-to-llvm | FileCheck %s --check-prefix=GOOD

//--- good.mlir
func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
//--- declared.mlir
func.func private @main(tensor<4xf32>) -> tensor<4xf32>
//--- self.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- calls.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
