// Pieces of the rows of a result are one launch, however large; with them nothing else is.
// RUN: fx-opt %s --fxgraph-to-gpu="processors=132" | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="processors=132 libraries=none" | FileCheck %s
// The number of rows of a block can be given, as can that each piece is written by itself.
// RUN: fx-opt %s --fxgraph-gpu-prepare --fxgraph-form-kernels --fxgraph-fuse-kernels --fxgraph-batch-kernels --fxgraph-plan-memory --fxgraph-configure-kernels -o %t.mlir
// RUN: FileCheck %s --check-prefix=CONFIGURED < %t.mlir
// RUN: sed 's/joined_rows = 64 : i64/joined_rows = 32 : i64/' %t.mlir | fx-opt --fxgraph-configure-kernels --fxgraph-emit-kernels | FileCheck %s --check-prefix=GIVEN
// RUN: sed 's/joined_rows = 64 : i64/joined_rows = 0 : i64/' %t.mlir | fx-opt --fxgraph-configure-kernels --fxgraph-emit-kernels | FileCheck %s --check-prefix=NONE
// RUN: sed 's/joined_rows = 64 : i64/joined_rows = 65 : i64/' %t.mlir | not fx-opt --fxgraph-emit-kernels 2>&1 | FileCheck %s --check-prefix=UNIT
// RUN: sed 's/joined_rows = 64 : i64/joined_rows = "all"/' %t.mlir | not fx-opt --fxgraph-emit-kernels 2>&1 | FileCheck %s --check-prefix=KIND
// CONFIGURED: {fxgraph.joined_rows = 64 : i64}
// GIVEN: kind = "joined rows", rows = 32
// NONE-NOT: joined rows
// UNIT: error: 'fxgraph.launch' op fxgraph.joined_rows: expected a multiple of 16 rows of 256 bytes, up to 16384 bytes and 300001 rows, but got 65
// KIND: error: 'fxgraph.launch' op expected fxgraph.joined_rows to be a number of rows but got "all"
// CHECK: gpu.func
// CHECK-SAME: kind = "joined rows", rows = 64
// CHECK: gpu.func
// CHECK-SAME: kind = "flat"
// CHECK-NOT: gpu.func @
func.func @many(%x: tensor<300001x32xf32>, %y: tensor<300001x7xf32>, %z: tensor<300001x25xf32>, %w: tensor<1000xf16>) -> (tensor<300001x64xf32>, tensor<1000xf16>) {
  %0 = fxgraph.cat %x, %y, %z dim 1 : (tensor<300001x32xf32>, tensor<300001x7xf32>, tensor<300001x25xf32>) -> tensor<300001x64xf32>
  %1 = fxgraph.exp %w : tensor<1000xf16>
  return %0, %1 : tensor<300001x64xf32>, tensor<1000xf16>
}
