// Rows that the blocks of a cluster share: each adds up its part and writes what it has to the others' shared memory.
// As chosen for long rows, and asked for on short ones: blocks without work, rows that nothing divides.
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:6 --target=gpu-emulator --target-option=nest-config=kind=rows,threads=64,cluster=4 --compare-target=ref --rtol=2e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=nest-config=kind=rows,threads=128,cluster=8,kept=false --compare-target=ref --rtol=2e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-gpu=entry=few_long_rows | FileCheck %s --check-prefix=FEW
// RUN: fx-translate %s --to=ptx --entry=few_long_rows | FileCheck %s --check-prefix=PTX
// RUN: fx-opt %s --fxgraph-to-gpu="entry=longer_than_a_block processors=1" | FileCheck %s --check-prefix=LONGER
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few_long_rows chip=sm_89" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=short_rows | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=many_rows | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=vocabulary | FileCheck %s --check-prefix=VOCABULARY
// RUN: fx-opt %s --fxgraph-to-gpu=entry=row_of_a_block | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=few_neighbours | FileCheck %s --check-prefix=NEIGHBOURS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few_neighbours chip=sm_89" | FileCheck %s --check-prefixes=NONE,ACROSS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=neighbours | FileCheck %s --check-prefixes=NONE,ACROSS
// NONE-NOT: cluster

// FEW: gpu.func @{{.*}}known_cluster_size = array<i32: 8, 1, 1>
// FEW-SAME: known_grid_size = array<i32: 24, 1, 1>
// FEW: nvvm.cluster.arrive.relaxed {aligned}
// FEW: nvvm.cluster.wait {aligned}
// FEW: nvvm.mapa
// FEW: nvvm.cluster.arrive {aligned}
// FEW: nvvm.cluster.wait {aligned}
// PTX: .reqnctapercluster 8, 1, 1
// PTX-NOT: .align {{[1248]}} .b8 __wg
// PTX: st.shared::cluster
func.func @few_long_rows(%x: tensor<3x10007xf32>, %w: tensor<10007xf32>, %b: tensor<10007xf32>) -> tensor<3x10007xf32> {
  %0 = fxgraph.layer_norm %x weight %w bias %b over [10007] eps 1.0e-05 : (tensor<3x10007xf32>, tensor<10007xf32>, tensor<10007xf32>) -> tensor<3x10007xf32>
  return %0 : tensor<3x10007xf32>
}

// LONGER: cluster = {{[248]}} : i64
func.func @longer_than_a_block(%x: tensor<2x80000xf32>) -> tensor<2x80000xf32> {
  %0 = fxgraph.layer_norm %x over [80000] eps 1.0e-05 : (tensor<2x80000xf32>) -> tensor<2x80000xf32>
  return %0 : tensor<2x80000xf32>
}

// Sums of sums, what is true of all, a result for each row beside those of elements.
func.func @several(%x: tensor<5x301xf32>, %y: tensor<5x1xf32>) -> (tensor<5x301xf32>, tensor<5x1xf32>, tensor<5x1xi1>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<5x301xf32>) -> tensor<5x301xf32>
  %1 = fxgraph.sub %0, %y : (tensor<5x301xf32>, tensor<5x1xf32>) -> tensor<5x301xf32>
  %2 = fxgraph.amin %1 dims [1] keepdim true : (tensor<5x301xf32>) -> tensor<5x1xf32>
  %3 = fxgraph.any %x dims [1] keepdim true : (tensor<5x301xf32>) -> tensor<5x1xi1>
  return %1, %2, %3 : tensor<5x301xf32>, tensor<5x1xf32>, tensor<5x1xi1>
}

// The first of equal ones, wherever they lie; NaN is the largest.
func.func @places(%x: tensor<4x733xf32>) -> (tensor<4xi64>, tensor<4xi64>) {
  %0 = fxgraph.relu %x : tensor<4x733xf32>
  %1 = fxgraph.argmin %0 dim 1 : (tensor<4x733xf32>) -> tensor<4xi64>
  %2 = fxgraph.log %x : tensor<4x733xf32>
  %3 = fxgraph.argmax %2 dim 1 : (tensor<4x733xf32>) -> tensor<4xi64>
  return %1, %3 : tensor<4xi64>, tensor<4xi64>
}

func.func @numbers(%x: tensor<2x1000xi32>) -> (tensor<2xi64>, tensor<2xi32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<2x1000xi32>) -> tensor<2xi64>
  %1 = fxgraph.amax %x dims [1] : (tensor<2x1000xi32>) -> tensor<2xi32>
  return %0, %1 : tensor<2xi64>, tensor<2xi32>
}

func.func @short_rows(%x: tensor<3x600xf32>) -> tensor<3x600xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<3x600xf32>) -> tensor<3x600xf32>
  return %0 : tensor<3x600xf32>
}

func.func @many_rows(%x: tensor<200x2048xf32>) -> tensor<200xf32> {
  %0 = fxgraph.sum %x dims [1] : (tensor<200x2048xf32>) -> tensor<200xf32>
  return %0 : tensor<200xf32>
}

// A row of a vocabulary is one kernel; longer ones are split before.
// VOCABULARY: gpu.func @k0_softmax
// VOCABULARY-SAME: cluster = 4 : i64
// VOCABULARY-NOT: gpu.func
func.func @vocabulary(%x: tensor<2x50000xbf16>) -> tensor<2x50000xbf16> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<2x50000xbf16>) -> tensor<2x50000xbf16>
  return %0 : tensor<2x50000xbf16>
}

// Up to so many elements are one block's, even if it is alone and reads them one by one.
func.func @row_of_a_block(%x: tensor<1x8191xbf16>) -> tensor<1xbf16> {
  %0 = fxgraph.mul %x, %x : (tensor<1x8191xbf16>, tensor<1x8191xbf16>) -> tensor<1x8191xbf16>
  %1 = fxgraph.sum %0 dims [1] : (tensor<1x8191xbf16>) -> tensor<1xbf16>
  return %1 : tensor<1xbf16>
}

// Few long rows that lie across, all of them in each sector: as rows they fill more processors. Not many of them, or short ones.
// NEIGHBOURS: cluster = 8 : i64
// NEIGHBOURS-SAME: kind = "rows"
// ACROSS: kind = "strips"
func.func @few_neighbours(%x: tensor<10007x3xf32>, %w: tensor<10007xf32>) -> tensor<3x10007xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<10007x3xf32>) -> tensor<3x10007xf32>
  %1 = fxgraph.layer_norm %0 weight %w over [10007] eps 1.0e-05 : (tensor<3x10007xf32>, tensor<10007xf32>) -> tensor<3x10007xf32>
  return %1 : tensor<3x10007xf32>
}

func.func @neighbours(%x: tensor<8301x15xf32>, %y: tensor<2001x3xf32>) -> (tensor<15x8301xf32>, tensor<3x2001xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<8301x15xf32>) -> tensor<15x8301xf32>
  %1 = fxgraph.layer_norm %0 over [8301] eps 1.0e-05 : (tensor<15x8301xf32>) -> tensor<15x8301xf32>
  %2 = fxgraph.permute %y dims [1, 0] : (tensor<2001x3xf32>) -> tensor<3x2001xf32>
  %3 = fxgraph.layer_norm %2 over [2001] eps 1.0e-05 : (tensor<3x2001xf32>) -> tensor<3x2001xf32>
  return %1, %3 : tensor<15x8301xf32>, tensor<3x2001xf32>
}
