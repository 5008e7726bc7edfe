// The host function of a compiled graph, and the launch plan that is made of it.
// RUN: fx-opt %s --fxgraph-to-gpu=libraries=always | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=libraries=always | fx-opt --verify-roundtrip | FileCheck %s
// RUN: fx-translate %s --to=plan --option=libraries=always -o %t.direct
// RUN: fx-opt %s --fxgraph-to-gpu=libraries=always | fx-opt --mlir-print-debuginfo -o %t.mlir
// RUN: fx-translate %t.mlir --to=plan --option=libraries=always -o %t.staged
// RUN: grep -v '"loc"' %t.direct > %t.a
// RUN: grep -v '"loc"' %t.staged > %t.b
// RUN: diff %t.a %t.b
// RUN: not fx-translate %t.mlir --to=plan --option=libraries=always --chip=sm_80 2>&1 | FileCheck %s --check-prefix=CHIP

// CHIP: was made for chip "sm_90a" but chip=sm_80 is asked for

// CHECK: memref.global "private" constant @constant0 : memref<16xi8>
// CHECK: func.func @main(%[[X:.*]]: memref<4x4xf32> {fxgraph.name = "x", fxgraph.written}, %[[W:.*]]: memref<4x4xf32>,
// CHECK-SAME: %[[R:[a-z0-9]*]]: memref<4x4xf32> {fxgraph.result}, %[[WORKSPACE:.*]]: memref<{{[0-9]+}}xi8> {fxgraph.workspace})
// CHECK-SAME: fxgraph.chip = "sm_90a"
// CHECK: %[[C:.*]] = memref.get_global @constant0
// CHECK: %[[A:.*]] = fxgraph.buffer %[[X]] offset 0 : memref<4x4xf32> to memref<f32>
// CHECK: fxgraph.library_call "matmul"(%[[A]], %{{.*}}, %{{.*}}) as ["a", "b", "d"] {dtype = f32, k = 4 : i64,
// CHECK: fxgraph.buffer %[[C]] offset 0
// CHECK: gpu.launch_func @kernels::@k0_mul blocks in
// CHECK: memref.copy
// CHECK: return
func.func @main(%x: tensor<4x4xf32> {fxgraph.name = "x"}, %w: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %2 = fxgraph.mul %0, %1 : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  fxgraph.copy_ %2 into %x : tensor<4x4xf32>, tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}
