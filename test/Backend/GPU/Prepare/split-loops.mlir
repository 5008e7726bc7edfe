// Loops that are too long for few threads run in two steps, with the same values.
// RUN: fx-opt %s --fxgraph-gpu-prepare=chip=sm_89 | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=2e-4 --atol=2e-4 | FileCheck %s --check-prefix=VALUES
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=chip=sm_89 --compare-target=ref --rtol=2e-4 --atol=2e-4 | FileCheck %s --check-prefix=VALUES
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s --check-prefix=CLUSTERS
// VALUES-COUNT-39: max abs
// VALUES-NOT: differ

// 256 rows for each of 128 columns, and what they gave.
// CHECK-LABEL: func.func @columns
// CHECK: fxgraph.reshape {{.*}} tensor<10x256x128xf32>
// CHECK: fxgraph.sum {{.*}} dims [1] : (tensor<10x256x128xf32>) -> tensor<10x128xf32>
// CHECK: fxgraph.sum {{.*}} dims [0] : (tensor<10x128xf32>) -> tensor<128xf32>
func.func @columns(%x: tensor<2560x128xf32>) -> tensor<128xf32> {
  %0 = fxgraph.sum %x dims [0] : (tensor<2560x128xf32>) -> tensor<128xf32>
  return %0 : tensor<128xf32>
}

// Nothing divides 2651: padded with zeros; f16 is added up in f32 and rounded once.
// CHECK-LABEL: func.func @odd_columns
// CHECK: fxgraph.constant_pad_nd
// CHECK: fxgraph.convert_element_type {{.*}} -> tensor<7xf16>
func.func @odd_columns(%x: tensor<2651x7xf16>) -> tensor<7xf16> {
  %0 = fxgraph.mean %x dims [0] : (tensor<2651x7xf16>) -> tensor<7xf16>
  return %0 : tensor<7xf16>
}

// Columns of memory though the last of the other dimensions is none.
// CHECK-LABEL: func.func @columns_behind_another
// CHECK: fxgraph.sum {{.*}} dims [3] : (tensor<128x2x{{[0-9]+}}x{{[0-9]+}}xf32>)
func.func @columns_behind_another(%x: tensor<2x2560x128xf32>) -> tensor<128x2xf32> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<2x2560x128xf32>) -> tensor<128x2x2560xf32>
  %1 = fxgraph.sum %0 dims [2] : (tensor<128x2x2560xf32>) -> tensor<128x2xf32>
  return %1 : tensor<128x2xf32>
}

// CHECK-LABEL: func.func @middle
// CHECK: fxgraph.amax {{.*}} dims [2] : (tensor<2x{{[0-9]+}}x{{[0-9]+}}x5xf32>)
func.func @middle(%x: tensor<2x2467x5xf32>) -> tensor<2x1x5xf32> {
  %0 = fxgraph.amax %x dims [-2] keepdim true : (tensor<2x2467x5xf32>) -> tensor<2x1x5xf32>
  return %0 : tensor<2x1x5xf32>
}

// CHECK-LABEL: func.func @variance
// CHECK-COUNT-4: fxgraph.sum
func.func @variance(%x: tensor<5120x6xf32>) -> tensor<6xf32> {
  %0 = fxgraph.var %x dims [0] correction 1.0 : (tensor<5120x6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}

// One long row; a cluster of blocks takes it whole.
// CLUSTERS-LABEL: func.func @all
// CLUSTERS: fxgraph.sum
// CLUSTERS-NOT: fxgraph.sum
// CLUSTERS: return
// CHECK-LABEL: func.func @all
// CHECK: fxgraph.sum
// CHECK: fxgraph.sum
func.func @all(%x: tensor<40001xf32>) -> tensor<f32> {
  %0 = fxgraph.sum %x : (tensor<40001xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// The neutral element of a maximum of integers is no double: only where it divides.
// CHECK-LABEL: func.func @integers
// CHECK-COUNT-2: fxgraph.amax
func.func @integers(%x: tensor<5120x3xi64>) -> tensor<3xi64> {
  %0 = fxgraph.amax %x dims [0] : (tensor<5120x3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Whatever the elements: true where they are not 0, NaN too.
// CHECK-LABEL: func.func @truths
// CHECK-COUNT-2: fxgraph.any
// CHECK-COUNT-2: fxgraph.all
// CHECK-COUNT-2: fxgraph.all
// CHECK: return
func.func @truths(%x: tensor<5120x3xf32>, %y: tensor<2x40001xi1>, %z: tensor<5121x2xui8>) -> (tensor<3xi1>, tensor<2x1xi1>, tensor<2xui8>) {
  %0 = fxgraph.any %x dims [0] : (tensor<5120x3xf32>) -> tensor<3xi1>
  %1 = fxgraph.all %y dims [1] keepdim true : (tensor<2x40001xi1>) -> tensor<2x1xi1>
  %2 = fxgraph.all %z dims [0] : (tensor<5121x2xui8>) -> tensor<2xui8>
  return %0, %1, %2 : tensor<3xi1>, tensor<2x1xi1>, tensor<2xui8>
}

// One element decides, the last one; or none does.
// CHECK-LABEL: func.func @last_truth
// CHECK-COUNT-4: fxgraph.any
// CHECK-COUNT-4: fxgraph.all
func.func @last_truth() -> (tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>) {
  %i = fxgraph.arange from 0.0 : tensor<40001xi64>
  %last = fxgraph.constant dense<40000> : tensor<i64>
  %behind = fxgraph.constant dense<40001> : tensor<i64>
  %is_last = fxgraph.eq %i, %last : (tensor<40001xi64>, tensor<i64>) -> tensor<40001xi1>
  %is_behind = fxgraph.eq %i, %behind : (tensor<40001xi64>, tensor<i64>) -> tensor<40001xi1>
  %is_other = fxgraph.ne %i, %last : (tensor<40001xi64>, tensor<i64>) -> tensor<40001xi1>
  %is_before = fxgraph.ne %i, %behind : (tensor<40001xi64>, tensor<i64>) -> tensor<40001xi1>
  %0 = fxgraph.any %is_last : (tensor<40001xi1>) -> tensor<i1>
  %1 = fxgraph.any %is_behind : (tensor<40001xi1>) -> tensor<i1>
  %2 = fxgraph.all %is_other : (tensor<40001xi1>) -> tensor<i1>
  %3 = fxgraph.all %is_before : (tensor<40001xi1>) -> tensor<i1>
  return %0, %1, %2, %3 : tensor<i1>, tensor<i1>, tensor<i1>, tensor<i1>
}

// CHECK-LABEL: func.func @integers_odd
// CHECK-NEXT: fxgraph.amax
// CHECK-NEXT: return
func.func @integers_odd(%x: tensor<5121x3xi64>) -> tensor<3xi64> {
  %0 = fxgraph.amax %x dims [0] : (tensor<5121x3xi64>) -> tensor<3xi64>
  return %0 : tensor<3xi64>
}

// Running sums in 64 bits: of pieces, and what comes before each.
// CHECK-LABEL: func.func @scan
// CHECK: fxgraph.cumsum {{.*}} dim 2 : (tensor<2x10x2048xf64>)
// CHECK: fxgraph.sum {{.*}} dims [2] : (tensor<2x10x2048xf64>) -> tensor<2x10xf64>
// CHECK: fxgraph.cumsum {{.*}} dim 1 : (tensor<2x10xf64>)
func.func @scan(%x: tensor<2x20480xf64>) -> tensor<2x20480xf64> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<2x20480xf64>) -> tensor<2x20480xf64>
  return %0 : tensor<2x20480xf64>
}

// Across rows; the totals are few.
// CHECK-LABEL: func.func @long_scan
// CHECK-COUNT-2: fxgraph.cumsum
func.func @long_scan(%x: tensor<20002x2xf64>) -> tensor<20002x2xf64> {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<20002x2xf64>) -> tensor<20002x2xf64>
  return %0 : tensor<20002x2xf64>
}

// CHECK-LABEL: func.func @products
// CHECK: fxgraph.prod
func.func @products(%x: tensor<7000x10xi32>) -> tensor<7000x10xi64> {
  %0 = fxgraph.cumprod %x dim 0 : (tensor<7000x10xi32>) -> tensor<7000x10xi64>
  return %0 : tensor<7000x10xi64>
}

// Running sums of normalised rows, which would be computed row by row with them.
// CHECK-LABEL: func.func @scan_normalised
// CHECK-COUNT-2: fxgraph.cumsum
func.func @scan_normalised(%x: tensor<2x20480xf32>) -> tensor<2x20480xf32> {
  %0 = fxgraph.layer_norm %x over [20480] eps 1.0e-05 : (tensor<2x20480xf32>) -> tensor<2x20480xf32>
  %1 = fxgraph.abs %0 : tensor<2x20480xf32>
  %2 = fxgraph.cumsum %1 dim 1 : (tensor<2x20480xf32>) -> tensor<2x20480xf32>
  return %2 : tensor<2x20480xf32>
}

// The twins: so few elements are one kernel's, and blocks pass on sums in f32.
// CHECK-LABEL: func.func @few
// CHECK-NOT: fxgraph.sum
func.func @few(%x: tensor<2002x2xf64>, %y: tensor<50002x2xf32>) -> (tensor<2002x2xf64>, tensor<50002x2xf32>) {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<2002x2xf64>) -> tensor<2002x2xf64>
  %1 = fxgraph.cumsum %y dim 0 : (tensor<50002x2xf32>) -> tensor<50002x2xf32>
  return %0, %1 : tensor<2002x2xf64>, tensor<50002x2xf32>
}

// A softmax of a long row is its reductions, each of pieces; what it is computed from stays in no memory.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-2: fxgraph.amax
// CHECK-COUNT-2: fxgraph.sum
// CHECK-NOT: fxgraph.softmax
func.func @softmax(%x: tensor<2x32771xf32>, %y: tensor<4099x3xf32>) -> (tensor<2x32771xf32>, tensor<4099x3xf32>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<2x32771xf32>) -> tensor<2x32771xf32>
  %1 = fxgraph.log_softmax %y dim 0 : (tensor<4099x3xf32>) -> tensor<4099x3xf32>
  return %0, %1 : tensor<2x32771xf32>, tensor<4099x3xf32>
}

// CHECK-LABEL: func.func @norms
// CHECK-NOT: fxgraph.logsumexp
// CHECK-NOT: fxgraph.vector_norm {{.*}} ord 2
// CHECK: fxgraph.vector_norm {{.*}} ord 3
func.func @norms(%x: tensor<5120x3xf32>) -> (tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0 = fxgraph.logsumexp %x dims [0] keepdim true : (tensor<5120x3xf32>) -> tensor<1x3xf32>
  %1 = fxgraph.vector_norm %x ord 2.0 dims [0] : (tensor<5120x3xf32>) -> tensor<3xf32>
  %2 = fxgraph.vector_norm %x ord 3.0 dims [0] : (tensor<5120x3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<1x3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Infinite maxima: -inf and NaN.
func.func @infinite(%x: tensor<2x32771xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2x32771xf32>) {
  %low = fxgraph.constant dense<0xFF800000> : tensor<1xf32>
  %high = fxgraph.constant dense<0x7F800000> : tensor<1xf32>
  %0 = fxgraph.add %x, %low alpha 1.0 : (tensor<2x32771xf32>, tensor<1xf32>) -> tensor<2x32771xf32>
  %1 = fxgraph.add %x, %high alpha 1.0 : (tensor<2x32771xf32>, tensor<1xf32>) -> tensor<2x32771xf32>
  %2 = fxgraph.logsumexp %0 dims [1] : (tensor<2x32771xf32>) -> tensor<2xf32>
  %3 = fxgraph.logsumexp %1 dims [1] : (tensor<2x32771xf32>) -> tensor<2xf32>
  %4 = fxgraph.softmax %0 dim 1 : (tensor<2x32771xf32>) -> tensor<2x32771xf32>
  return %2, %3, %4 : tensor<2xf32>, tensor<2xf32>, tensor<2x32771xf32>
}

// Short ones, rows that fill a device, and nothing at all stay.
// CHECK-LABEL: func.func @short
// CHECK-NEXT: fxgraph.cumsum
// CHECK-NEXT: fxgraph.sum
// CHECK-NEXT: fxgraph.sum
// CHECK-NEXT: return
func.func @short(%x: tensor<3x16384xf32>, %y: tensor<600x33xf32>, %z: tensor<0x4xf32>) -> (tensor<3x16384xf32>, tensor<600xf32>, tensor<4xf32>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<3x16384xf32>) -> tensor<3x16384xf32>
  %1 = fxgraph.sum %y dims [1] : (tensor<600x33xf32>) -> tensor<600xf32>
  %2 = fxgraph.sum %z dims [0] : (tensor<0x4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<3x16384xf32>, tensor<600xf32>, tensor<4xf32>
}

// Pieces of which the last one has fewer elements: one sweep as well, with the elements of each as numbers.
// CHECK-LABEL: func.func @uneven_variance
// CHECK: fxgraph.constant dense<[2.570000e+02, {{.*}}2.510000e+02]> : tensor<9xf32>
// CHECK-COUNT-4: fxgraph.sum
// CHECK-NOT: fxgraph.sum
// CHECK: return
func.func @uneven_variance(%x: tensor<2x2307x6xf32>) -> tensor<2x6xf32> {
  %0 = fxgraph.var %x dims [1] correction 1.0 : (tensor<2x2307x6xf32>) -> tensor<2x6xf32>
  return %0 : tensor<2x6xf32>
}

// Rows that lie across memory are columns of it; and columns that lie along it are rows, of which a cluster takes one whole.
// CHECK-LABEL: func.func @permuted_rows
// CHECK-COUNT-2: fxgraph.sum
// CLUSTERS-LABEL: func.func @permuted_rows
// CLUSTERS-COUNT-2: fxgraph.sum
func.func @permuted_rows(%x: tensor<9001x11xf32>) -> tensor<11xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<9001x11xf32>) -> tensor<11x9001xf32>
  %1 = fxgraph.relu %0 : tensor<11x9001xf32>
  %2 = fxgraph.sum %1 dims [1] : (tensor<11x9001xf32>) -> tensor<11xf32>
  return %2 : tensor<11xf32>
}

// CLUSTERS-LABEL: func.func @permuted_columns
// CLUSTERS: fxgraph.sum
// CLUSTERS-NOT: fxgraph.sum
// CLUSTERS: return
func.func @permuted_columns(%x: tensor<11x9001xf32>) -> tensor<11xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<11x9001xf32>) -> tensor<9001x11xf32>
  %1 = fxgraph.sum %0 dims [0] : (tensor<9001x11xf32>) -> tensor<11xf32>
  return %1 : tensor<11xf32>
}

// The result of a softmax is row-major, whatever order its steps are computed in.
// CHECK-LABEL: func.func @permuted_softmax
// CHECK: fxgraph.contiguous
// CHECK-NEXT: return
func.func @permuted_softmax(%x: tensor<140001x3xf32>) -> tensor<3x140001xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<140001x3xf32>) -> tensor<3x140001xf32>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<3x140001xf32>) -> tensor<3x140001xf32>
  return %1 : tensor<3x140001xf32>
}

// Columns that lie along memory, padded: their pieces are rows, which are long enough.
// CLUSTERS-LABEL: func.func @softmax_along_memory
// CLUSTERS-COUNT-2: fxgraph.amax
// CLUSTERS-NOT: fxgraph.amax
// CLUSTERS: return
func.func @softmax_along_memory(%x: tensor<3x140003xf16>) -> tensor<140003x3xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<3x140003xf16>) -> tensor<140003x3xf16>
  %1 = fxgraph.softmax %0 dim 0 : (tensor<140003x3xf16>) -> tensor<140003x3xf16>
  return %1 : tensor<140003x3xf16>
}

// A function of what lies so is stored as it lies, if it is stored; the result is row-major.
// CHECK-LABEL: func.func @function_along_memory
// CHECK: fxgraph.exp
// CHECK: fxgraph.permute {{.*}} dims [1, 2, 0] {fxgraph.in_memory}
// CHECK: fxgraph.amax {{.*}} -> tensor<2x3x
// CHECK: fxgraph.permute {{.*}} dims [2, 0, 1]
// CHECK-NEXT: fxgraph.contiguous
func.func @function_along_memory(%x: tensor<2x3x70001xf32>) -> tensor<70001x2x3xf32> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<2x3x70001xf32>) -> tensor<70001x2x3xf32>
  %1 = fxgraph.exp %0 : tensor<70001x2x3xf32>
  %2 = fxgraph.log_softmax %1 dim 0 : (tensor<70001x2x3xf32>) -> tensor<70001x2x3xf32>
  return %2 : tensor<70001x2x3xf32>
}

// Columns that no block keeps in registers are cut however many there are: they are read twice instead of three times.
// CHECK-LABEL: func.func private @long_columns
// CHECK: fxgraph.amax {{.*}} dims [1] : (tensor<13x512x4099xf32>) -> tensor<13x4099xf32>
// CHECK-NOT: fxgraph.softmax
func.func private @long_columns(%x: tensor<6656x4099xf32>) -> tensor<6656x4099xf32> {
  %0 = fxgraph.softmax %x dim 0 : (tensor<6656x4099xf32>) -> tensor<6656x4099xf32>
  return %0 : tensor<6656x4099xf32>
}

// CHECK-LABEL: func.func private @kept_columns
// CHECK: fxgraph.softmax
// A reduction reads them once.
// CHECK: fxgraph.sum {{.*}} dims [0] : (tensor<6656x4099xf32>) -> tensor<4099xf32>
func.func private @kept_columns(%x: tensor<6000x4099xf32>, %y: tensor<6656x4099xf32>) -> (tensor<6000x4099xf32>, tensor<4099xf32>) {
  %0 = fxgraph.softmax %x dim 0 : (tensor<6000x4099xf32>) -> tensor<6000x4099xf32>
  %1 = fxgraph.sum %y dims [0] : (tensor<6656x4099xf32>) -> tensor<4099xf32>
  return %0, %1 : tensor<6000x4099xf32>, tensor<4099xf32>
}

// The same where memory lies across rows of too few elements to be cut as rows: in the order of memory they are columns.
// CHECK-LABEL: func.func @long_columns_in_memory
// CHECK: fxgraph.permute {{.*}} dims [2, 1, 0]
// CHECK: fxgraph.amax {{.*}} dims [2] : (tensor<2x{{.*}}x35xf32>)
// CHECK: fxgraph.contiguous
func.func @long_columns_in_memory(%x: tensor<2x6501x35xf16>) -> tensor<35x6501x2xf16> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<2x6501x35xf16>) -> tensor<35x6501x2xf16>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<35x6501x2xf16>) -> tensor<35x6501x2xf16>
  return %1 : tensor<35x6501x2xf16>
}
