// Rows that are read across: registers and shared memory of the threads that have them.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_runs processors=1" | FileCheck %s --check-prefix=RUNS
// RUN: fx-run %s --entry=odd_runs --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=1e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=norm_and_operand processors=4" | FileCheck %s --check-prefix=BOTH
// RUN: fx-run %s --entry=norm_and_operand --inputs=seed:1 --target=gpu-emulator --target-option=processors=4 --compare-target=ref --rtol=1e-3 --atol=1e-4
// RUN: fx-opt %s --fxgraph-to-gpu=entry=wide_strips | FileCheck %s --check-prefix=WIDE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=weighted_strips processors=4" | FileCheck %s --check-prefix=WEIGHTS
// RUN: fx-translate %s --entry=weighted_strips --to=ptx --option=processors=4 | FileCheck %s --check-prefix=PTX
// RUN: fx-run %s --entry=weighted_strips --inputs=seed:1 --target=gpu-emulator --target-option=processors=4 --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-run %s --entry=few_wide_strips --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=1e-3 --atol=4e-3

// RUN: fx-run %s --entry=few_threads --inputs=seed:1 --target=gpu-emulator --target-option=nest-config=lanes=8 --compare-target=ref --rtol=1e-3 --atol=1e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short_rows processors=4" | FileCheck %s --check-prefix=SHORT
// RUN: fx-run %s --entry=short_rows --inputs=seed:1 --target=gpu-emulator --target-option=processors=4 --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-run %s --entry=short_rows --inputs=seed:1 --target=gpu-emulator --target-option=nest-config=lanes=2 --compare-target=ref --rtol=1e-3 --atol=4e-3
// RUN: fx-run %s --entry=short_rows --inputs=seed:1 --target=gpu-emulator --target-option=nest-config=lanes=4,threads=2 --compare-target=ref --rtol=1e-3 --atol=4e-3

// Vectors of many results whose rows many threads share: the warps pass few results to each other, in the shared memory that
// a block has.
// WIDE: gpu.func @
// WIDE-SAME: exchanges = 1 : i64, kept = true, kind = "strips", lanes = 8 : i64, threads = 256 : i64
func.func @wide_strips(%x: tensor<1024x8192xf16>) -> tensor<8192x1024xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1024x8192xf16>) -> tensor<8192x1024xf16>
  %1 = fxgraph.layer_norm %0 over [1024] eps 1.000000e-05 : (tensor<8192x1024xf16>) -> tensor<8192x1024xf16>
  return %1 : tensor<8192x1024xf16>
}

// Weights that all rows read are loaded when they are needed: there are no registers for them and what is kept.
// WEIGHTS: exchanges = 1 : i64, kept = true, kind = "strips", lanes = 1 : i64, threads = 32 : i64
func.func @weighted_strips(%x: tensor<1397x203xf16>, %w: tensor<1397xf16>, %b: tensor<1397xf16>) -> tensor<203x1397xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1397x203xf16>) -> tensor<203x1397xf16>
  %1 = fxgraph.layer_norm %0 weight %w bias %b over [1397] eps 1.000000e-05 : (tensor<203x1397xf16>, tensor<1397xf16>, tensor<1397xf16>) -> tensor<203x1397xf16>
  return %1 : tensor<203x1397xf16>
}

// All of the matrix before the first sum, and the weights behind the last one.
// PTX-COUNT-44: ld.global.nc.b16
// PTX-NOT: ld.global.nc.b16
// PTX: bar.sync
// PTX: st.shared.b16

// The same schedule as of the wide ones, of fewer results.
func.func @few_wide_strips(%x: tensor<1024x72xf16>) -> tensor<72x1024xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1024x72xf16>) -> tensor<72x1024xf16>
  %1 = fxgraph.layer_norm %0 over [1024] eps 1.000000e-05 : (tensor<72x1024xf16>) -> tensor<72x1024xf16>
  return %1 : tensor<72x1024xf16>
}

// More results in a block than threads: each adds up some of them.
func.func @few_threads(%x: tensor<16x103x64xf16>) -> tensor<16x103x64xf16> {
  %0 = fxgraph.softmax %x dim 0 : (tensor<16x103x64xf16>) -> tensor<16x103x64xf16>
  return %0 : tensor<16x103x64xf16>
}

// Rows that a thread has whole: all its accesses go through shared memory at once, as one of them is less than a sector.
// SHORT: exchanges = 23 : i64, kept = true, kind = "strips", lanes = 1 : i64, threads = 1 : i64
func.func @short_rows(%x: tensor<23x5x1016xf16>, %w: tensor<23xf16>) -> (tensor<5x1016x23xf16>, tensor<5x1016x23xf32>) {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<23x5x1016xf16>) -> tensor<5x1016x23xf16>
  %1 = fxgraph.rms_norm %0 weight %w over [23] eps 1.000000e-05 : (tensor<5x1016x23xf16>, tensor<23xf16>) -> tensor<5x1016x23xf16>
  %2 = fxgraph.convert_element_type %1 : (tensor<5x1016x23xf16>) -> tensor<5x1016x23xf32>
  return %1, %2 : tensor<5x1016x23xf16>, tensor<5x1016x23xf32>
}

// A norm, along whose rows its result lies, and what is computed of the operand and lies as that: one kernel, in which the first
// goes through shared memory.
// BOTH: fxgraph.schedule = {ahead = 1 : i64, chunks = 31 : i64, exchanges = 31 : i64, kept = true, kind = "strips", lanes = 1 : i64, threads = 1 : i64, unroll = 1 : i64}
// BOTH-NOT: gpu.func
func.func @norm_and_operand(%x: tensor<150x31x53xf32>, %w: tensor<31xf32>, %b: tensor<31xf32>) -> (tensor<150x53x31xf32>, tensor<150x53x31xf32>) {
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<150x31x53xf32>) -> tensor<150x53x31xf32>
  %1 = fxgraph.layer_norm %0 weight %w bias %b over [31] eps 1.0e-05 : (tensor<150x53x31xf32>, tensor<31xf32>, tensor<31xf32>) -> tensor<150x53x31xf32>
  %2 = fxgraph.mul %0, %two : (tensor<150x53x31xf32>, tensor<f64>) -> tensor<150x53x31xf32>
  return %1, %2 : tensor<150x53x31xf32>, tensor<150x53x31xf32>
}

// Vectors of results that are read element by element are none: neighbouring threads have neighbouring elements. Where some of
// a vector's elements are read at once, they stay.
// RUNS: gpu.func
// RUNS-SAME: kind = "strips", lanes = 1
// RUNS-SAME: kind = "strips", lanes = 4
func.func @odd_runs(%x: tensor<500x96x9xf16>, %y: tensor<500x96x12xf16>) -> (tensor<96x4xf16>, tensor<96x4xf16>) {
  %0 = fxgraph.slice %x dim 2 from 5 to 9 : (tensor<500x96x9xf16>) -> tensor<500x96x4xf16>
  %1 = fxgraph.amax %0 dims [0] : (tensor<500x96x4xf16>) -> tensor<96x4xf16>
  %2 = fxgraph.slice %y dim 2 from 2 to 6 : (tensor<500x96x12xf16>) -> tensor<500x96x4xf16>
  %3 = fxgraph.amax %2 dims [0] : (tensor<500x96x4xf16>) -> tensor<96x4xf16>
  return %1, %3 : tensor<96x4xf16>, tensor<96x4xf16>
}
