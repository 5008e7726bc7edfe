// Pieces of the rows of a result are one launch, however large; with them nothing else is.
// RUN: fx-opt %s --fxgraph-to-gpu="processors=132" | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu="processors=132 libraries=none" | FileCheck %s
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
