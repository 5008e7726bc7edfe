// The twin of shared-launches.mlir: a launch is little of what large kernels take.
// RUN: fx-opt %s --fxgraph-to-gpu | FileCheck %s

// CHECK-COUNT-2: gpu.func
// CHECK-NOT: gpu.func
func.func @large(%x: tensor<8388609xf16>, %y: tensor<8388610xf16>) -> (tensor<8388609xf16>, tensor<8388610xf16>) {
  %0 = fxgraph.neg %x : tensor<8388609xf16>
  %1 = fxgraph.neg %y : tensor<8388610xf16>
  return %0, %1 : tensor<8388609xf16>, tensor<8388610xf16>
}
