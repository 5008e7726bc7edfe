// Products whose only reader writes columns apart are turned around, where a kernel of ours computes both.
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare --fxgraph-form-kernels --fxgraph-fuse-kernels=libraries=always --fxgraph-batch-kernels=libraries=none | FileCheck %s
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare --fxgraph-form-kernels --fxgraph-fuse-kernels=libraries=always --fxgraph-batch-kernels | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare --fxgraph-form-kernels --fxgraph-fuse-kernels="chip=sm_80 libraries=none" --fxgraph-batch-kernels=libraries=none | FileCheck %s --check-prefix=OTHER
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare --fxgraph-form-kernels --fxgraph-fuse-kernels=libraries=always --fxgraph-batch-kernels="libraries=none products=never" | FileCheck %s --check-prefix=OTHER

// Few tiles, but a short sum; no warpgroups.
// LIBRARY: memref<3x136x72xbf16, strided<[0, 72, 1]>>
// OTHER-NOT: memref<3x136x72xbf16, strided<[0, 72, 1]>>

// The weight for all problems, the input as columns, the bias as a column; the sums' memory and kernel are those of the launch.
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[W:.*]] = fxgraph.buffer %{{.*}} to memref<3x136x72xbf16, strided<[0, 72, 1]>>
// CHECK-DAG: %[[X:.*]] = fxgraph.buffer %{{.*}} to memref<3x72x40xbf16, strided<[2880, 1, 72]>>
// CHECK-DAG: %[[B:.*]] = fxgraph.buffer %arg2 offset 0 : memref<136xbf16> to memref<136x1xbf16>
// CHECK-NOT: memref.alloc
// CHECK: fxgraph.launch
// CHECK: memref.alloc() : memref<3x136x40xbf16>
// CHECK: fxgraph.matrix_product ["addmm"] %[[W]], %[[X]] plus %[[B]]
// CHECK: fxgraph.loop_nest ["relu"]
// CHECK: fxgraph.nest.load %{{.*}}[%[[P:.*]] * 5440 + %[[N:.*]] * 40 + %[[M:.*]]]
// CHECK: fxgraph.nest.store %{{.*}}[%[[P]] * 5440 + %[[N]] * 40 + %[[M]]]
func.func @main(%x: tensor<3x40x72xbf16>, %w: tensor<136x72xbf16>, %b: tensor<136xbf16>) -> tensor<3x136x40xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<3x40x72xbf16>, tensor<136x72xbf16>, tensor<136xbf16>) -> tensor<3x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<3x40x136xbf16>) -> tensor<3x136x40xbf16>
  %2 = fxgraph.relu %1 : tensor<3x136x40xbf16>
  return %2 : tensor<3x136x40xbf16>
}

// -----

// What is dense is no run of rows that follow each other: a kernel of its own writes it.
// CHECK-LABEL: func.func @main
// CHECK: memref.alloc() : memref<120x136xbf16>
// CHECK: fxgraph.matrix_product
// CHECK: fxgraph.loop_nest
func.func @main(%x: tensor<3x40x72xbf16>, %w: tensor<136x72xbf16>) -> tensor<136x40x3xbf16> {
  %0 = fxgraph.linear %x, %w : (tensor<3x40x72xbf16>, tensor<136x72xbf16>) -> tensor<3x40x136xbf16>
  %1 = fxgraph.permute %0 dims [2, 1, 0] : (tensor<3x40x136xbf16>) -> tensor<136x40x3xbf16>
  return %1 : tensor<136x40x3xbf16>
}

// -----

// Two read the product.
// CHECK-LABEL: func.func @main
// CHECK: fxgraph.matrix_product
// CHECK-NEXT: memref<120x72xbf16>, memref<72x136xbf16, strided<[1, 72]>> to memref<120x136xbf16>
func.func @main(%x: tensor<3x40x72xbf16>, %w: tensor<136x72xbf16>) -> (tensor<3x136x40xbf16>, tensor<3x40x136xbf16>) {
  %0 = fxgraph.linear %x, %w : (tensor<3x40x72xbf16>, tensor<136x72xbf16>) -> tensor<3x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<3x40x136xbf16>) -> tensor<3x136x40xbf16>
  return %1, %0 : tensor<3x136x40xbf16>, tensor<3x40x136xbf16>
}

// -----

// The twin: a long sum for few tiles is the library's, which splits it.
// LIBRARY-LABEL: func.func @long
// LIBRARY-NOT: memref<3x136x1024xbf16, strided<[0, 1024, 1]>>
func.func @long(%x: tensor<3x40x1024xbf16>, %w: tensor<136x1024xbf16>, %b: tensor<136xbf16>) -> tensor<3x136x40xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<3x40x1024xbf16>, tensor<136x1024xbf16>, tensor<136xbf16>) -> tensor<3x40x136xbf16>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<3x40x136xbf16>) -> tensor<3x136x40xbf16>
  %2 = fxgraph.relu %1 : tensor<3x136x40xbf16>
  return %2 : tensor<3x136x40xbf16>
}
