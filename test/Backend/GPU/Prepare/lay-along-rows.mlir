// What long rows are read from again and again, and lies across them, gets memory in which it lies along them.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=matrix | FileCheck %s --check-prefix=COPY
// RUN: fx-opt %s --fxgraph-to-gpu=entry=mixed | FileCheck %s --check-prefix=MIXED
// RUN: fx-run %s --entry=long_columns --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-run %s --entry=columns --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=mixed --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-gpu=entry=also_read | FileCheck %s --check-prefix=ALSO
// RUN: fx-run %s --entry=also_read --inputs=seed:5 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=matrix --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=1e-3 --atol=2e-3

// A permuted matrix with few long rows: a copy through boxes, then rows in vectors.
// CHECK-LABEL: func.func @matrix
// CHECK: fxgraph.permute {{.*}} {fxgraph.in_memory}
// COPY: gpu.func @k0_permute
// COPY-SAME: kind = "boxes"
// COPY: gpu.func @k1_layer_norm
// COPY-SAME: kind = "rows", lanes = 8
// COPY-NOT: fxgraph.in_memory
func.func @matrix(%x: tensor<16384x72xf16>, %w: tensor<16384xf16>) -> tensor<72x16384xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<16384x72xf16>) -> tensor<72x16384xf16>
  %1 = fxgraph.layer_norm %0 weight %w over [16384] eps 1.000000e-05 : (tensor<72x16384xf16>, tensor<16384xf16>) -> tensor<72x16384xf16>
  return %1 : tensor<72x16384xf16>
}

// The sum of a permuted matrix and one that is not: rows are read along the latter.
// CHECK-LABEL: func.func @mixed
// CHECK: fxgraph.add {{.*}} {fxgraph.in_memory}
// MIXED: gpu.func @k0_add
// MIXED-SAME: kind = "boxes"
// MIXED: gpu.func @k1_softmax
// MIXED-SAME: kind = "rows", lanes = 4
func.func @mixed(%x: tensor<512x1025xf32>, %y: tensor<1025x512xf32>) -> tensor<1025x512xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<512x1025xf32>) -> tensor<1025x512xf32>
  %1 = fxgraph.add %0, %y : (tensor<1025x512xf32>, tensor<1025x512xf32>) -> tensor<1025x512xf32>
  %2 = fxgraph.softmax %1 dim 1 : (tensor<1025x512xf32>) -> tensor<1025x512xf32>
  return %2 : tensor<1025x512xf32>
}

// Memory lies along one of the dimensions in front of rows, whichever.
// CHECK-LABEL: func.func @behind_another
// CHECK: fxgraph.gelu {{.*}} {fxgraph.in_memory}
func.func @behind_another(%x: tensor<8x9279x17xf16>) -> tensor<17x8x9279xf16> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<8x9279x17xf16>) -> tensor<17x8x9279xf16>
  %1 = fxgraph.gelu %0 : tensor<17x8x9279xf16>
  %2 = fxgraph.log_softmax %1 dim 2 : (tensor<17x8x9279xf16>) -> tensor<17x8x9279xf16>
  return %2 : tensor<17x8x9279xf16>
}
// None of them: rows, in another order.
// CHECK-LABEL: func.func @other_order
// CHECK-NOT: fxgraph.in_memory
func.func @other_order(%x: tensor<8x17x9279xf16>) -> tensor<17x8x9279xf16> {
  %0 = fxgraph.permute %x dims [1, 0, 2] : (tensor<8x17x9279xf16>) -> tensor<17x8x9279xf16>
  %1 = fxgraph.gelu %0 : tensor<17x8x9279xf16>
  %2 = fxgraph.log_softmax %1 dim 2 : (tensor<17x8x9279xf16>) -> tensor<17x8x9279xf16>
  return %2 : tensor<17x8x9279xf16>
}

// In the type in which there is less of it, and where a mean and what is beside it are computed from it.
// CHECK-LABEL: func.func @narrow
// CHECK: fxgraph.permute {{.*}} {fxgraph.in_memory}
// CHECK: fxgraph.convert_element_type
// CHECK-NOT: fxgraph.in_memory
func.func @narrow(%x: tensor<16384x72xf16>) -> tensor<72x16384xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<16384x72xf16>) -> tensor<72x16384xf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<72x16384xf16>) -> tensor<72x16384xf32>
  %2 = fxgraph.amax %1 dims [1] keepdim true : (tensor<72x16384xf32>) -> tensor<72x1xf32>
  %3 = fxgraph.sub %1, %2 : (tensor<72x16384xf32>, tensor<72x1xf32>) -> tensor<72x16384xf32>
  return %3 : tensor<72x16384xf32>
}

// Results across rows, of what lies across them and what does not: columns.
// CHECK-LABEL: func.func @columns
// CHECK: fxgraph.add {{.*}} {{{.*}}fxgraph.in_memory}
func.func @columns(%x: tensor<1359x1024xf16>, %y: tensor<1024x1359xf16>) -> tensor<1024x1359xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1359x1024xf16>) -> tensor<1024x1359xf16>
  %1 = fxgraph.add %0, %y : (tensor<1024x1359xf16>, tensor<1024x1359xf16>) -> tensor<1024x1359xf16>
  %2 = fxgraph.softmax %1 dim 0 : (tensor<1024x1359xf16>) -> tensor<1024x1359xf16>
  return %2 : tensor<1024x1359xf16>
}
// Long ones in pieces, and the results row-major whatever they are computed from.
// CHECK-LABEL: func.func @long_columns
// CHECK: fxgraph.add {{.*}} {{{.*}}fxgraph.in_memory}
// CHECK: fxgraph.amax {{.*}} dims [1]
// CHECK: fxgraph.contiguous
// CHECK-NEXT: return
func.func @long_columns(%x: tensor<72x9001xf32>, %y: tensor<9001x72xf32>) -> tensor<9001x72xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<72x9001xf32>) -> tensor<9001x72xf32>
  %1 = fxgraph.add %0, %y : (tensor<9001x72xf32>, tensor<9001x72xf32>) -> tensor<9001x72xf32>
  %2 = fxgraph.log_softmax %1 dim 0 : (tensor<9001x72xf32>) -> tensor<9001x72xf32>
  return %2 : tensor<9001x72xf32>
}
// All along rows, all across them, or a few next to each other: no.
// CHECK-LABEL: func.func @no_columns
// CHECK-NOT: fxgraph.in_memory
func.func @no_columns(%x: tensor<1359x1024xf16>, %y: tensor<1024x1359xf16>, %z: tensor<7x201359xf16>, %w: tensor<201359x7xf16>)
    -> (tensor<1024x1359xf16>, tensor<1024x1359xf16>, tensor<201359x7xf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1359x1024xf16>) -> tensor<1024x1359xf16>
  %1 = fxgraph.relu %y : tensor<1024x1359xf16>
  %2 = fxgraph.log_softmax %1 dim 0 : (tensor<1024x1359xf16>) -> tensor<1024x1359xf16>
  %3 = fxgraph.permute %z dims [1, 0] : (tensor<7x201359xf16>) -> tensor<201359x7xf16>
  %4 = fxgraph.add %3, %w : (tensor<201359x7xf16>, tensor<201359x7xf16>) -> tensor<201359x7xf16>
  %5 = fxgraph.rms_norm %4 over [7] eps 1.000000e-05 : (tensor<201359x7xf16>) -> tensor<201359x7xf16>
  return %0, %2, %5 : tensor<1024x1359xf16>, tensor<1024x1359xf16>, tensor<201359x7xf16>
}

// Not so: rows that blocks keep as they read them across; what is read once; what lies along rows, or is small; results that lie across
// rows as well.
// CHECK-LABEL: func.func @kept
// CHECK-NOT: fxgraph.in_memory
func.func @kept(%x: tensor<1024x2048xf16>) -> tensor<2048x1024xf16> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<1024x2048xf16>) -> tensor<2048x1024xf16>
  %1 = fxgraph.layer_norm %0 over [1024] eps 1.000000e-05 : (tensor<2048x1024xf16>) -> tensor<2048x1024xf16>
  return %1 : tensor<2048x1024xf16>
}
func.func @once(%x: tensor<16384x72xf32>) -> tensor<72xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<16384x72xf32>) -> tensor<72x16384xf32>
  %1 = fxgraph.sum %0 dims [1] : (tensor<72x16384xf32>) -> tensor<72xf32>
  return %1 : tensor<72xf32>
}
func.func @along(%x: tensor<72x16384xf32>, %y: tensor<16384x16xf16>) -> (tensor<72x16384xf32>, tensor<16x16384xf16>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<72x16384xf32>) -> tensor<72x16384xf32>
  %1 = fxgraph.permute %y dims [1, 0] : (tensor<16384x16xf16>) -> tensor<16x16384xf16>
  %2 = fxgraph.softmax %1 dim 1 : (tensor<16x16384xf16>) -> tensor<16x16384xf16>
  return %0, %2 : tensor<72x16384xf32>, tensor<16x16384xf16>
}
func.func @results_across(%x: tensor<16384x72xf32>) -> tensor<16384x72xf32> {
  %0 = fxgraph.softmax %x dim 0 : (tensor<16384x72xf32>) -> tensor<16384x72xf32>
  return %0 : tensor<16384x72xf32>
}

// Less than two megabytes, of which no block keeps a sector's worth of rows; the twin's are kept, and are read across.
// CHECK-LABEL: func.func @long_rows
// CHECK: fxgraph.permute {{.*}} {fxgraph.in_memory}
// CHECK: fxgraph.layer_norm
// CHECK: fxgraph.permute %{{.*}} dims [1, 0] : (tensor<2048x300xf16>) -> tensor<300x2048xf16>
// CHECK-NEXT: fxgraph.layer_norm
func.func @long_rows(%x: tensor<13192x64xf16>, %y: tensor<2048x300xf16>) -> (tensor<64x13192xf16>, tensor<300x2048xf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<13192x64xf16>) -> tensor<64x13192xf16>
  %1 = fxgraph.layer_norm %0 over [13192] eps 1.000000e-05 : (tensor<64x13192xf16>) -> tensor<64x13192xf16>
  %2 = fxgraph.permute %y dims [1, 0] : (tensor<2048x300xf16>) -> tensor<300x2048xf16>
  %3 = fxgraph.layer_norm %2 over [2048] eps 1.000000e-05 : (tensor<300x2048xf16>) -> tensor<300x2048xf16>
  return %1, %3 : tensor<64x13192xf16>, tensor<300x2048xf16>
}

// What else is computed of a view reads the memory behind it, not the copy.
// CHECK-LABEL: func.func @also_read
// CHECK: [[VIEW:%.*]] = fxgraph.permute %{{.*}} dims [1, 0] :
// CHECK: [[LAID:%.*]] = fxgraph.permute {{.*}} {fxgraph.in_memory}
// CHECK: fxgraph.layer_norm [[LAID]]
// CHECK: fxgraph.mul [[VIEW]], [[VIEW]]
// ALSO-COUNT-3: gpu.func
// ALSO-SAME: kind = "flat", lanes = 8
func.func @also_read(%x: tensor<16384x72xf16>) -> (tensor<72x16384xf16>, tensor<72x16384xf16>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<16384x72xf16>) -> tensor<72x16384xf16>
  %1 = fxgraph.layer_norm %0 over [16384] eps 1.000000e-05 : (tensor<72x16384xf16>) -> tensor<72x16384xf16>
  %2 = fxgraph.mul %0, %0 : (tensor<72x16384xf16>, tensor<72x16384xf16>) -> tensor<72x16384xf16>
  return %1, %2 : tensor<72x16384xf16>, tensor<72x16384xf16>
}

// So few rows that blocks of a sector's worth of them would leave most multiprocessors without work, if there is enough memory.
// CHECK-LABEL: func.func @few_rows
// CHECK: fxgraph.permute {{.*}} {fxgraph.in_memory}
func.func @few_rows(%x: tensor<4048x512xf32>, %w: tensor<4048xf32>) -> tensor<512x4048xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<4048x512xf32>) -> tensor<512x4048xf32>
  %1 = fxgraph.rms_norm %0 weight %w over [4048] eps 1.000000e-05 : (tensor<512x4048xf32>, tensor<4048xf32>) -> tensor<512x4048xf32>
  return %1 : tensor<512x4048xf32>
}
// CHECK-LABEL: func.func @some_rows
// CHECK-NOT: fxgraph.in_memory
// CHECK: return
func.func @some_rows(%x: tensor<4048x1024xf32>, %w: tensor<4048xf32>) -> tensor<1024x4048xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<4048x1024xf32>) -> tensor<1024x4048xf32>
  %1 = fxgraph.rms_norm %0 weight %w over [4048] eps 1.000000e-05 : (tensor<1024x4048xf32>, tensor<4048xf32>) -> tensor<1024x4048xf32>
  return %1 : tensor<1024x4048xf32>
}
