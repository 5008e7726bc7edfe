// Running sums of 16-bit floats in shared memory, in f32 and rounded once: values to the last place of bf16 against the
// reference interpreter, and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=8e-3 --atol=1e-4
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=8e-3 --atol=1e-4
// RUN: fx-opt %s --fxgraph-to-gpu=entry=vectors | FileCheck %s --check-prefix=VECTORS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=long_row | FileCheck %s --check-prefix=LONG
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long_columns processors=1" | FileCheck %s --check-prefix=PIECES

// 16 bytes at a time, in shared memory too.
// VECTORS: kind = "scans", lanes = 8 : i64, read_lanes = 8 : i64
// VECTORS: llvm.store {{.*}} : vector<8xf32>, !llvm.ptr<3>
// VECTORS: llvm.load {{.*}} : !llvm.ptr<3> -> vector<8xf32>
func.func @vectors(%x: tensor<266x9000xbf16>) -> tensor<266x9000xbf16> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<266x9000xbf16>) -> tensor<266x9000xbf16>
  return %0 : tensor<266x9000xbf16>
}

// Blocks of one row pass on its sums, in memory that is cleared first.
// LONG: gpu.func @{{.*}}clear
// LONG: gpu.func @{{.*}}spread
// LONG: llvm.store volatile
// LONG: scf.while
// LONG: llvm.load volatile
func.func @long_row(%x: tensor<60001xf16>) -> tensor<60001xf16> {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<60001xf16>) -> tensor<60001xf16>
  %1 = fxgraph.mul %0, %x : (tensor<60001xf16>, tensor<60001xf16>) -> tensor<60001xf16>
  return %1 : tensor<60001xf16>
}

// So do those of some columns, but for a small device, on which they come one after the other; a NaN stays in its column and
// behind it.
// PIECES-NOT: spread
// PIECES: kind = "scans"
func.func @long_columns(%x: tensor<70x2011xf16>, %y: tensor<9001x35xbf16>) -> (tensor<2011x70xf16>, tensor<9001x35xbf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<70x2011xf16>) -> tensor<2011x70xf16>
  %1 = fxgraph.cumsum %0 dim 0 : (tensor<2011x70xf16>) -> tensor<2011x70xf16>
  %2 = fxgraph.add %y, %y : (tensor<9001x35xbf16>, tensor<9001x35xbf16>) -> tensor<9001x35xbf16>
  %3 = fxgraph.log %2 : tensor<9001x35xbf16>
  %4 = fxgraph.cumsum %3 dim 0 : (tensor<9001x35xbf16>) -> tensor<9001x35xbf16>
  return %1, %4 : tensor<2011x70xf16>, tensor<9001x35xbf16>
}
