// Schedules at extents that nothing divides, with views that nothing aligns, on a large device and on a small one, which gives
// threads more to do: values against the reference interpreter, and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=1e-5
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-gpu="entry=ragged processors=1" | FileCheck %s --check-prefix=RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=transposed processors=1" | FileCheck %s --check-prefix=TRANSPOSED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=idle_threads processors=1" | FileCheck %s --check-prefix=IDLE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=scan_across | FileCheck %s --check-prefix=SCAN-ACROSS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=results_across | FileCheck %s --check-prefix=RESULTS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=not_across processors=1" | FileCheck %s --check-prefix=NOT-ACROSS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_rows processors=1" | FileCheck %s --check-prefix=ODD-ROWS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=odd_rows | FileCheck %s --check-prefix=FEW-ODD-ROWS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=softmax_middle processors=1" | FileCheck %s --check-prefix=MIDDLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long_columns processors=1" | FileCheck %s --check-prefix=LONG
// RUN: fx-opt %s --fxgraph-to-gpu="entry=read_across processors=1" | FileCheck %s --check-prefix=READ-ACROSS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=across_and_along processors=1" | FileCheck %s --check-prefix=EXCHANGE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=scan_after | FileCheck %s --check-prefix=SCAN-AFTER
// RUN: not fx-run %s --entry=ragged --inputs=seed:1 --target=gpu-emulator --target-option=processors=0 2>&1 | FileCheck %s --check-prefix=INVALID
// INVALID: expected a setting chip=…, libraries=none|cublaslt|all|always, tf32=true|false, processors=1…, products=never|measured|all, product-config=…, nest-config=…, seed=0…, row-major-results=true|false, overlap-launches=true|false but got 'processors=0'

// Rows of 37 with an operand a row, one of a view at column 3: several single elements a thread.
// RAGGED: fxgraph.schedule = {kind = "flat", lanes = 1 : i64, unroll = 4 : i64}
func.func @ragged(%x: tensor<53x5x37xf32>, %y: tensor<53x5x41xf32>, %z: tensor<53x1x37xf32>) -> tensor<53x5x37xf32> {
  %0 = fxgraph.slice %y dim 2 from 3 to 40 : (tensor<53x5x41xf32>) -> tensor<53x5x37xf32>
  %1 = fxgraph.mul %x, %0 : (tensor<53x5x37xf32>, tensor<53x5x37xf32>) -> tensor<53x5x37xf32>
  %2 = fxgraph.add %1, %z : (tensor<53x5x37xf32>, tensor<53x1x37xf32>) -> tensor<53x5x37xf32>
  return %2 : tensor<53x5x37xf32>
}

func.func @unaligned(%x: tensor<9001xf16>, %y: tensor<9002xf16>) -> tensor<8997xf16> {
  %0 = fxgraph.slice %x dim 0 from 3 to 9000 : (tensor<9001xf16>) -> tensor<8997xf16>
  %1 = fxgraph.slice %y dim 0 from 5 to 9002 : (tensor<9002xf16>) -> tensor<8997xf16>
  %2 = fxgraph.maximum %0, %1 : (tensor<8997xf16>, tensor<8997xf16>) -> tensor<8997xf16>
  return %2 : tensor<8997xf16>
}

// TRANSPOSED: fxgraph.schedule = {across = array<i64: 0>, along = array<i64: 1>, box = array<i64: {{.*}}>, kind = "boxes", lanes = 1 : i64, ragged, read_lanes = 2 : i64, strides = array<i64: {{.*}}>}
func.func @transposed(%x: tensor<141x97xf32>, %y: tensor<97x141xf32>) -> tensor<97x141xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<141x97xf32>) -> tensor<97x141xf32>
  %1 = fxgraph.relu %0 : tensor<97x141xf32>
  %2 = fxgraph.add %1, %y : (tensor<97x141xf32>, tensor<97x141xf32>) -> tensor<97x141xf32>
  return %2 : tensor<97x141xf32>
}

// Rows stay rows: nothing goes through shared memory.
// NOT-ACROSS: kind = "flat"
// NOT-ACROSS-NOT: gpu.barrier
func.func @not_across(%x: tensor<13x29x31xf32>) -> tensor<29x13x31xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<13x29x31xf32>) -> tensor<29x13x31xf32>
  %1 = fxgraph.contiguous %0 : tensor<29x13x31xf32>
  return %1 : tensor<29x13x31xf32>
}

// Several dimensions on either side, an operand that some of them broadcast, two results.
func.func @permuted(%x: tensor<7x11x5x23xf32>, %y: tensor<11x7x1x1xf32>, %z: tensor<23x7xf32>) -> (tensor<23x5x7x11xf32>, tensor<23x5x7x11xf32>) {
  %0 = fxgraph.permute %x dims [3, 2, 0, 1] : (tensor<7x11x5x23xf32>) -> tensor<23x5x7x11xf32>
  %1 = fxgraph.permute %y dims [3, 2, 1, 0] : (tensor<11x7x1x1xf32>) -> tensor<1x1x7x11xf32>
  %2 = fxgraph.reshape %z shape [23, 1, 7, 1] : tensor<23x7xf32> -> tensor<23x1x7x1xf32>
  %3 = fxgraph.add %0, %1 : (tensor<23x5x7x11xf32>, tensor<1x1x7x11xf32>) -> tensor<23x5x7x11xf32>
  %4 = fxgraph.mul %3, %2 : (tensor<23x5x7x11xf32>, tensor<23x1x7x1xf32>) -> tensor<23x5x7x11xf32>
  return %3, %4 : tensor<23x5x7x11xf32>, tensor<23x5x7x11xf32>
}

func.func @bytes(%x: tensor<121x67xi8>, %y: tensor<68x132xi1>) -> (tensor<67x121xi8>, tensor<132x68xi1>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<121x67xi8>) -> tensor<67x121xi8>
  %1 = fxgraph.transpose %y dims 0, 1 : (tensor<68x132xi1>) -> tensor<132x68xi1>
  return %0, %1 : tensor<67x121xi8>, tensor<132x68xi1>
}

func.func @words(%x: tensor<71x65xi64>, %y: tensor<3x44x52xf64>) -> (tensor<65x71xi64>, tensor<52x3x44xf64>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<71x65xi64>) -> tensor<65x71xi64>
  %1 = fxgraph.permute %y dims [2, 0, 1] : (tensor<3x44x52xf64>) -> tensor<52x3x44xf64>
  return %0, %1 : tensor<65x71xi64>, tensor<52x3x44xf64>
}

// A view at an odd place, read across; and one whose step along every dimension is two.
func.func @part(%x: tensor<70x75xf32>, %y: tensor<142x132xf16>) -> (tensor<71x68xf32>, tensor<66x71xf16>) {
  %0 = fxgraph.slice %x dim 0 from 1 to 69 : (tensor<70x75xf32>) -> tensor<68x75xf32>
  %1 = fxgraph.slice %0 dim 1 from 3 to 74 : (tensor<68x75xf32>) -> tensor<68x71xf32>
  %2 = fxgraph.transpose %1 dims 0, 1 : (tensor<68x71xf32>) -> tensor<71x68xf32>
  %3 = fxgraph.slice %y dim 0 from 0 to 142 step 2 : (tensor<142x132xf16>) -> tensor<71x132xf16>
  %4 = fxgraph.slice %3 dim 1 from 0 to 132 step 2 : (tensor<71x132xf16>) -> tensor<71x66xf16>
  %5 = fxgraph.transpose %4 dims 0, 1 : (tensor<71x66xf16>) -> tensor<66x71xf16>
  return %2, %5 : tensor<71x68xf32>, tensor<66x71xf16>
}

// Short odd rows: neighbouring threads, each of which has some of a row's elements; where there are few rows, one.
// ODD-ROWS: chunks = 4 : i64, {{.*}}kind = "rows", lanes = 1 : i64, threads = 4 : i64
// FEW-ODD-ROWS: chunks = 1 : i64, {{.*}}kind = "rows", lanes = 1 : i64, threads = 16 : i64
func.func @odd_rows(%x: tensor<403x13xf32>) -> (tensor<403x13xf32>, tensor<403xf32>, tensor<403xi64>) {
  %0 = fxgraph.softmax %x dim -1 : (tensor<403x13xf32>) -> tensor<403x13xf32>
  %1 = fxgraph.sum %x dims [1] : (tensor<403x13xf32>) -> tensor<403xf32>
  %2 = fxgraph.argmax %x dim 1 : (tensor<403x13xf32>) -> tensor<403xi64>
  return %0, %1, %2 : tensor<403x13xf32>, tensor<403xf32>, tensor<403xi64>
}

// MIDDLE: kept = true, kind = "strips"
func.func @softmax_middle(%x: tensor<3x83x21xf32>) -> (tensor<3x83x21xf32>, tensor<3x21xf32>, tensor<3x21xf32>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<3x83x21xf32>) -> tensor<3x83x21xf32>
  %1 = fxgraph.amax %x dims [1] : (tensor<3x83x21xf32>) -> tensor<3x21xf32>
  %2 = fxgraph.prod %x dims [1] : (tensor<3x83x21xf32>) -> tensor<3x21xf32>
  return %0, %1, %2 : tensor<3x83x21xf32>, tensor<3x21xf32>, tensor<3x21xf32>
}

// Read across and written along: threads exchange what they have computed. Not so where results are written as they are read.
// EXCHANGE: exchanges = 1 : i64, {{.*}}kind = "strips"
// MIDDLE-NOT: exchanges
func.func @across_and_along(%x: tensor<61x3x40xf32>, %w: tensor<61xf32>, %b: tensor<61xf32>, %y: tensor<67x91xf16>) -> (tensor<3x40x61xf32>, tensor<3x40x61xf32>, tensor<91x67xf16>) {
  %0 = fxgraph.permute %x dims [1, 2, 0] : (tensor<61x3x40xf32>) -> tensor<3x40x61xf32>
  %1 = fxgraph.layer_norm %0 weight %w bias %b over [61] eps 1.0e-05 : (tensor<3x40x61xf32>, tensor<61xf32>, tensor<61xf32>) -> tensor<3x40x61xf32>
  %2 = fxgraph.softmax %0 dim -1 : (tensor<3x40x61xf32>) -> tensor<3x40x61xf32>
  %3 = fxgraph.transpose %y dims 0, 1 : (tensor<67x91xf16>) -> tensor<91x67xf16>
  %4 = fxgraph.softmax %3 dim 1 : (tensor<91x67xf16>) -> tensor<91x67xf16>
  return %1, %2, %4 : tensor<3x40x61xf32>, tensor<3x40x61xf32>, tensor<91x67xf16>
}

// The same of rows too long for registers.
func.func @long_across_and_along(%x: tensor<1901x10xf32>) -> tensor<10x1901xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<1901x10xf32>) -> tensor<10x1901xf32>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<10x1901xf32>) -> tensor<10x1901xf32>
  return %1 : tensor<10x1901xf32>
}

// Read across the dimension that is reduced, in any order of the others, and written along it.
// READ-ACROSS: exchanges = 1 : i64, kept = true, kind = "strips"
func.func @read_across(%x: tensor<21x67x24xf32>, %w: tensor<67xf32>) -> tensor<24x21x67xf32> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<21x67x24xf32>) -> tensor<24x21x67xf32>
  %1 = fxgraph.layer_norm %0 weight %w over [67] eps 1.0e-05 : (tensor<24x21x67xf32>, tensor<67xf32>) -> tensor<24x21x67xf32>
  %2 = fxgraph.contiguous %1 : tensor<24x21x67xf32>
  return %2 : tensor<24x21x67xf32>
}

// Columns in vectors, whose elements are read again for every reduction.
// LONG: kept = false, kind = "strips"
func.func @long_columns(%x: tensor<4801x40xf32>, %y: tensor<4801x40xf32>) -> (tensor<4801x40xf32>, tensor<40xf32>) {
  %0 = fxgraph.log_softmax %x dim 0 : (tensor<4801x40xf32>) -> tensor<4801x40xf32>
  %1 = fxgraph.amin %y dims [0] : (tensor<4801x40xf32>) -> tensor<40xf32>
  return %0, %1 : tensor<4801x40xf32>, tensor<40xf32>
}

// Running sums: within a thread, a warp, a block and from one access to the next; of rows that stay in registers and of
// longer ones; across rows; after other reductions.
func.func @scans(%x: tensor<37x5xf32>, %y: tensor<3x1021xf32>, %z: tensor<2x16384xf64>, %w: tensor<7x63x10xf32>) -> (tensor<37x5xf32>, tensor<3x1021xf32>, tensor<2x16384xf64>, tensor<7x63x10xf32>) {
  %0 = fxgraph.cumsum %x dim -1 : (tensor<37x5xf32>) -> tensor<37x5xf32>
  %1 = fxgraph.cumsum %y dim 1 : (tensor<3x1021xf32>) -> tensor<3x1021xf32>
  %2 = fxgraph.cumsum %z dim 1 : (tensor<2x16384xf64>) -> tensor<2x16384xf64>
  %3 = fxgraph.cumprod %w dim 1 : (tensor<7x63x10xf32>) -> tensor<7x63x10xf32>
  return %0, %1, %2, %3 : tensor<37x5xf32>, tensor<3x1021xf32>, tensor<2x16384xf64>, tensor<7x63x10xf32>
}

// A softmax, its running sum and what follows are one kernel; a maximum of a running sum is another one.
// SCAN-AFTER-COUNT-2: gpu.func
// SCAN-AFTER-NOT: gpu.func
func.func @scan_after(%x: tensor<21x203xf32>, %y: tensor<21x1xf32>) -> (tensor<21x203xf32>, tensor<21xf32>) {
  %0 = fxgraph.softmax %x dim -1 : (tensor<21x203xf32>) -> tensor<21x203xf32>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<21x203xf32>) -> tensor<21x203xf32>
  %2 = fxgraph.mul %1, %y : (tensor<21x203xf32>, tensor<21x1xf32>) -> tensor<21x203xf32>
  %3 = fxgraph.amax %2 dims [1] : (tensor<21x203xf32>) -> tensor<21xf32>
  return %2, %3 : tensor<21x203xf32>, tensor<21xf32>
}

// One element of a running sum is no row of a kernel: what is before it is added up elsewhere.
func.func @scan_element(%x: tensor<5x2x8xf32>, %y: tensor<12000x8xf32>) -> (tensor<5x1x8xf32>, tensor<12000x8xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<5x2x8xf32>) -> tensor<5x2x8xf32>
  %1 = fxgraph.slice %0 dim 1 from 0 to 1 : (tensor<5x2x8xf32>) -> tensor<5x1x8xf32>
  %2 = fxgraph.abs %1 : tensor<5x1x8xf32>
  %3 = fxgraph.sign %y : tensor<12000x8xf32>
  %4 = fxgraph.cumsum %3 dim 0 : (tensor<12000x8xf32>) -> tensor<12000x8xf32>
  return %2, %4 : tensor<5x1x8xf32>, tensor<12000x8xf32>
}

// Read backwards, a running sum is no longer one of the kernel's rows.
func.func @scan_flipped(%x: tensor<9x65xf32>, %i: tensor<1xf32>, %b: tensor<5x33xi1>, %n: tensor<0x4xf32>, %s: tensor<f32>) -> (tensor<9x65xf32>, tensor<1xf32>, tensor<5x33xi64>, tensor<0x4xf32>, tensor<f32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<9x65xf32>) -> tensor<9x65xf32>
  %1 = fxgraph.flip %0 dims [1] : (tensor<9x65xf32>) -> tensor<9x65xf32>
  %2 = fxgraph.cumsum %i dim 0 : (tensor<1xf32>) -> tensor<1xf32>
  %3 = fxgraph.cumsum %b dim 0 : (tensor<5x33xi1>) -> tensor<5x33xi64>
  %4 = fxgraph.cumsum %n dim 1 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %5 = fxgraph.cumsum %s dim 0 : (tensor<f32>) -> tensor<f32>
  return %1, %2, %3, %4, %5 : tensor<9x65xf32>, tensor<1xf32>, tensor<5x33xi64>, tensor<0x4xf32>, tensor<f32>
}

func.func @columns_of_integers(%x: tensor<57x33xi64>, %y: tensor<57x34xi1>) -> (tensor<33xi64>, tensor<33xi64>, tensor<34xi1>) {
  %0 = fxgraph.sum %x dims [0] : (tensor<57x33xi64>) -> tensor<33xi64>
  %1 = fxgraph.argmin %x dim 0 : (tensor<57x33xi64>) -> tensor<33xi64>
  %2 = fxgraph.any %y dims [0] : (tensor<57x34xi1>) -> tensor<34xi1>
  return %0, %1, %2 : tensor<33xi64>, tensor<33xi64>, tensor<34xi1>
}

// Rows of 37: a part of the threads has nothing to do, and each of the others computes where it is once. What is read as it is
// written is loaded before the threads wait for each other.
// IDLE: box = array<i64: 37, 32>, kind = "boxes"
// IDLE: arith.minui %thread_id_x
// IDLE-COUNT-2: memref.load
// IDLE: gpu.barrier
// IDLE-NOT: memref.load %reinterpret_cast
func.func @idle_threads(%x: tensor<205x37xf32>, %y: tensor<37x205xf32>) -> tensor<37x205xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<205x37xf32>) -> tensor<37x205xf32>
  %1 = fxgraph.add %y, %0 : (tensor<37x205xf32>, tensor<37x205xf32>) -> tensor<37x205xf32>
  return %1 : tensor<37x205xf32>
}

// Running sums along what lies apart in memory: in shared memory.
// SCAN-ACROSS: kind = "scans"
// SCAN-ACROSS-NOT: gpu.func
func.func @scan_across(%x: tensor<3x93x10xf16>) -> tensor<3x93x5xf16> {
  %0 = fxgraph.slice %x dim 2 from 0 to 10 step 2 : (tensor<3x93x10xf16>) -> tensor<3x93x5xf16>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<3x93x5xf16>) -> tensor<3x93x5xf16>
  return %1 : tensor<3x93x5xf16>
}

// Results in the order in which the operand has them, whatever theirs is.
// RESULTS: kind = "strips"
func.func @results_across(%x: tensor<19x5x61x16xf32>) -> tensor<5x16x19xf32> {
  %0 = fxgraph.permute %x dims [1, 3, 2, 0] : (tensor<19x5x61x16xf32>) -> tensor<5x16x61x19xf32>
  %1 = fxgraph.vector_norm %0 ord 2.0 dims [2] : (tensor<5x16x61x19xf32>) -> tensor<5x16x19xf32>
  return %1 : tensor<5x16x19xf32>
}
