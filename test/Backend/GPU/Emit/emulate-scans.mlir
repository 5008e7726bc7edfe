// Running sums in shared memory: along any dimension of operands in any order, at extents that nothing divides, in one box, in
// several of a block, and spread over blocks. Values against the reference interpreter, and what was chosen.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=5e-5
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-5 --atol=5e-5
// RUN: fx-opt %s --fxgraph-to-gpu=entry=turned | FileCheck %s --check-prefix=TURNED
// RUN: fx-opt %s --fxgraph-to-gpu=entry=wide | FileCheck %s --check-prefix=WIDE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=two_sums | FileCheck %s --check-prefix=TWO
// RUN: fx-opt %s --fxgraph-to-gpu=entry=behind_sums | FileCheck %s --check-prefix=BEHIND
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many_columns processors=1" | FileCheck %s --check-prefix=MANY
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many_columns processors=40" | FileCheck %s --check-prefix=FEW
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole_block processors=1" | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=near | FileCheck %s --check-prefix=NEAR
// RUN: fx-opt %s --fxgraph-to-gpu=entry=short | FileCheck %s --check-prefix=SHORT

// Read across the rows that are added up and written: with a pointwise op on each side, and the operand once more.
// TURNED: fxgraph.schedule = {box = array<i64: 8, 160>, chunks = 1 : i64, kind = "scans", lanes = 1 : i64, read_lanes = 1 : i64, strides = array<i64: 1, 9>, threads = 32 : i64}
// TURNED-NOT: gpu.func
func.func @turned(%x: tensor<149x67xf32>) -> (tensor<67x149xf32>, tensor<67x149xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<149x67xf32>) -> tensor<67x149xf32>
  %1 = fxgraph.relu %0 : tensor<67x149xf32>
  %2 = fxgraph.cumsum %1 dim 1 : (tensor<67x149xf32>) -> tensor<67x149xf32>
  %3 = fxgraph.sub %2, %0 : (tensor<67x149xf32>, tensor<67x149xf32>) -> tensor<67x149xf32>
  return %2, %3 : tensor<67x149xf32>, tensor<67x149xf32>
}

// Rows that are read and written across, and the other way round; the dimension that is added up is neither's fastest.
func.func @orders(%x: tensor<9x21x33xf32>, %y: tensor<40x17x12xf64>, %z: tensor<5x34x7x6xi32>)
    -> (tensor<33x9x21xf32>, tensor<12x17x40xf64>, tensor<6x34x5x7xi64>) {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<9x21x33xf32>) -> tensor<33x9x21xf32>
  %1 = fxgraph.cumsum %0 dim 0 : (tensor<33x9x21xf32>) -> tensor<33x9x21xf32>
  %2 = fxgraph.permute %y dims [2, 1, 0] : (tensor<40x17x12xf64>) -> tensor<12x17x40xf64>
  %3 = fxgraph.cumprod %2 dim 1 : (tensor<12x17x40xf64>) -> tensor<12x17x40xf64>
  %4 = fxgraph.permute %z dims [3, 1, 0, 2] : (tensor<5x34x7x6xi32>) -> tensor<6x34x5x7xi32>
  %5 = fxgraph.cumsum %4 dim 1 : (tensor<6x34x5x7xi32>) -> tensor<6x34x5x7xi64>
  return %1, %3, %5 : tensor<33x9x21xf32>, tensor<12x17x40xf64>, tensor<6x34x5x7xi64>
}

// An element more, and one less, than boxes have.
func.func @beside(%x: tensor<3x4353xf32>, %y: tensor<3x4351xf32>, %z: tensor<33x13057xf32>, %u: tensor<129x31xf32>, %v: tensor<1x5000xf32>)
    -> (tensor<3x4353xf32>, tensor<3x4351xf32>, tensor<33x13057xf32>, tensor<31x129xf32>, tensor<1x5000xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<3x4353xf32>) -> tensor<3x4353xf32>
  %1 = fxgraph.cumprod %y dim 1 : (tensor<3x4351xf32>) -> tensor<3x4351xf32>
  %2 = fxgraph.tanh %z : tensor<33x13057xf32>
  %3 = fxgraph.cumsum %2 dim 1 : (tensor<33x13057xf32>) -> tensor<33x13057xf32>
  %4 = fxgraph.permute %u dims [1, 0] : (tensor<129x31xf32>) -> tensor<31x129xf32>
  %5 = fxgraph.cumsum %4 dim -1 : (tensor<31x129xf32>) -> tensor<31x129xf32>
  %6 = fxgraph.cumsum %v dim 1 : (tensor<1x5000xf32>) -> tensor<1x5000xf32>
  return %0, %1, %3, %5, %6 : tensor<3x4353xf32>, tensor<3x4351xf32>, tensor<33x13057xf32>, tensor<31x129xf32>, tensor<1x5000xf32>
}

// Rows and columns that are spread over blocks, with groups of boxes behind each other.
func.func @long(%x: tensor<7x20011xf32>, %y: tensor<300001xf32>) -> (tensor<20011x7xf32>, tensor<300001xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<7x20011xf32>) -> tensor<20011x7xf32>
  %1 = fxgraph.cumsum %0 dim 0 : (tensor<20011x7xf32>) -> tensor<20011x7xf32>
  %2 = fxgraph.tanh %y : tensor<300001xf32>
  %3 = fxgraph.cumsum %2 dim 0 : (tensor<300001xf32>) -> tensor<300001xf32>
  return %1, %3 : tensor<20011x7xf32>, tensor<300001xf32>
}

// The twin: sums of 64 bits are no part of a word, and come in several kernels.
// WIDE-NOT: spread
// WIDE: kind = "scans"
func.func @wide(%x: tensor<60001xf64>) -> tensor<60001xf64> {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<60001xf64>) -> tensor<60001xf64>
  return %0 : tensor<60001xf64>
}

// Several running sums of a launch have words of their own, which are cleared at once.
// TWO: gpu.func {{.*}}clear
// TWO: gpu.func {{.*}}spread{{.*}}spread
func.func @two_sums(%x: tensor<2x20011xf32>, %y: tensor<2x20011xf32>) -> (tensor<2x20011xf32>, tensor<2x20011xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<2x20011xf32>) -> tensor<2x20011xf32>
  %1 = fxgraph.tanh %y : tensor<2x20011xf32>
  %2 = fxgraph.cumsum %1 dim 1 : (tensor<2x20011xf32>) -> tensor<2x20011xf32>
  return %0, %2 : tensor<2x20011xf32>, tensor<2x20011xf32>
}

// What is computed of running sums that blocks pass on is computed where they are.
// BEHIND: gpu.func {{.*}}clear
// BEHIND: gpu.func {{.*}}cumsum_abs_add{{.*}}spread
// BEHIND-NOT: gpu.func
func.func @behind_sums(%x: tensor<2x20011xf32>, %y: tensor<2x20011xf32>) -> tensor<2x20011xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<2x20011xf32>) -> tensor<2x20011xf32>
  %1 = fxgraph.abs %0 : tensor<2x20011xf32>
  %2 = fxgraph.add %1, %y : (tensor<2x20011xf32>, tensor<2x20011xf32>) -> tensor<2x20011xf32>
  return %2 : tensor<2x20011xf32>
}

// Rows that some threads have in registers, and columns of few elements, stay there.
// SHORT-DAG: kind = "rows"
// SHORT-DAG: kind = "strips"
// SHORT-NOT: kind = "scans"
func.func @short(%x: tensor<600x49xf32>, %y: tensor<7x4000xf32>, %z: tensor<0x5xf32>, %w: tensor<5x0xf32>)
    -> (tensor<600x49xf32>, tensor<7x4000xf32>, tensor<0x5xf32>, tensor<5x0xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<600x49xf32>) -> tensor<600x49xf32>
  %1 = fxgraph.cumsum %y dim 0 : (tensor<7x4000xf32>) -> tensor<7x4000xf32>
  %2 = fxgraph.cumsum %z dim 0 : (tensor<0x5xf32>) -> tensor<0x5xf32>
  %3 = fxgraph.cumprod %w dim 1 : (tensor<5x0xf32>) -> tensor<5x0xf32>
  return %0, %1, %2, %3 : tensor<600x49xf32>, tensor<7x4000xf32>, tensor<0x5xf32>, tensor<5x0xf32>
}

// So many columns next to each other that each may be a thread's, which are read and written as memory lies; for more processors
// they are few. The twin has as many, but not next to each other.
// MANY: kind = "strips"
// MANY-SAME: kind = "scans"
// FEW-NOT: kind = "strips"
func.func @many_columns(%x: tensor<21x8201xf32>, %y: tensor<9x21x901xf32>) -> (tensor<21x8201xf32>, tensor<9x21x901xf32>) {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<21x8201xf32>) -> tensor<21x8201xf32>
  %1 = fxgraph.cumsum %y dim 1 : (tensor<9x21x901xf32>) -> tensor<9x21x901xf32>
  return %0, %1 : tensor<21x8201xf32>, tensor<9x21x901xf32>
}

// Every second element of rows; the twin has elements a line of memory apart.
// NEAR: kind = "rows"
// NEAR: kind = "scans"
func.func @near(%x: tensor<300x128xf32>, %y: tensor<300x64x64xf32>) -> (tensor<300x64xf32>, tensor<300x64xf32>) {
  %0 = fxgraph.slice %x dim 1 from 0 to 128 step 2 : (tensor<300x128xf32>) -> tensor<300x64xf32>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<300x64xf32>) -> tensor<300x64xf32>
  %2 = fxgraph.select %y dim 2 at 1 : (tensor<300x64x64xf32>) -> tensor<300x64xf32>
  %3 = fxgraph.cumsum %2 dim 1 : (tensor<300x64xf32>) -> tensor<300x64xf32>
  return %1, %3 : tensor<300x64xf32>, tensor<300x64xf32>
}

// Rows of about as many elements as a block has threads: an odd number for each thread would go beyond, the box is padded instead.
// WHOLE: box = array<i64: 16, 256>, {{.*}}strides = array<i64: 257, 1>, threads = 16 : i64
func.func @whole_block(%x: tensor<53x255xf32>) -> tensor<53x255xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<53x255xf32>) -> tensor<53x255xf32>
  return %0 : tensor<53x255xf32>
}
