// Running sums of short rows, or of few neighbouring ones, whose accesses would be narrow: the block's elements are one run of
// memory that goes through shared memory in vectors, and a thread has all of a row.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=4e-3 --atol=2e-2
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=4e-3 --atol=2e-2
// RUN: fx-opt %s --fxgraph-to-gpu="entry=rows processors=1" | FileCheck %s --check-prefixes=SCAN,ROWS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=neighbours processors=1" | FileCheck %s --check-prefix=SCAN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=behind_softmax processors=1" | FileCheck %s --check-prefix=SCAN
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole_vectors processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=whole_vectors processors=1 nest-config=kind=strips,run=8" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=long processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=backwards processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=many_neighbours processors=1" | FileCheck %s --check-prefix=NONE
// SCAN: fxgraph.schedule = {{.*}}kind = "strips"{{.*}} run = {{[0-9]+}} : i64, threads = 1 : i64
// NONE: fxgraph.schedule
// NONE-NOT: run = 

// ROWS: vector.load {{.*}} {alignment = 16 : i64} : memref<{{.*}}xf16{{.*}}>, vector<8xf16>
// ROWS: gpu.barrier
// ROWS-NOT: gpu.shuffle
// ROWS: vector.store {{.*}} {alignment = 16 : i64}
func.func @rows(%x: tensor<601x27xf16>) -> (tensor<601x27xf16>, tensor<601x27xf16>) {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<601x27xf16>) -> tensor<601x27xf16>
  %1 = fxgraph.relu %0 : tensor<601x27xf16>
  return %0, %1 : tensor<601x27xf16>, tensor<601x27xf16>
}

func.func @neighbours(%x: tensor<101x21x3xi32>) -> tensor<101x21x3xi64> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<101x21x3xi32>) -> tensor<101x21x3xi64>
  return %0 : tensor<101x21x3xi64>
}

func.func @behind_softmax(%x: tensor<601x11xbf16>) -> (tensor<601x11xbf16>, tensor<601xbf16>) {
  %0 = fxgraph.softmax %x dim 1 : (tensor<601x11xbf16>) -> tensor<601x11xbf16>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<601x11xbf16>) -> tensor<601x11xbf16>
  %2 = fxgraph.amax %x dims [1] : (tensor<601x11xbf16>) -> tensor<601xbf16>
  return %1, %2 : tensor<601x11xbf16>, tensor<601xbf16>
}

func.func @whole_vectors(%x: tensor<600x32xf16>) -> tensor<600x32xf16> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<600x32xf16>) -> tensor<600x32xf16>
  return %0 : tensor<600x32xf16>
}

// More than a thread keeps in registers.
func.func @long(%x: tensor<601x49xf16>) -> tensor<601x49xf16> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<601x49xf16>) -> tensor<601x49xf16>
  return %0 : tensor<601x49xf16>
}

func.func @backwards(%x: tensor<601x27xf16>) -> tensor<601x27xf16> {
  %0 = fxgraph.flip %x dims [1] : (tensor<601x27xf16>) -> tensor<601x27xf16>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<601x27xf16>) -> tensor<601x27xf16>
  %2 = fxgraph.flip %1 dims [1] : (tensor<601x27xf16>) -> tensor<601x27xf16>
  return %2 : tensor<601x27xf16>
}

func.func @few(%x: tensor<40x27xf16>) -> tensor<40x27xf16> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<40x27xf16>) -> tensor<40x27xf16>
  return %0 : tensor<40x27xf16>
}

func.func @many_neighbours(%x: tensor<50x21x101xf32>) -> tensor<50x21x101xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<50x21x101xf32>) -> tensor<50x21x101xf32>
  return %0 : tensor<50x21x101xf32>
}
