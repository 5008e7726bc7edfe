// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=cuda}))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{enable-concat-linear=true}))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=cuda numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-freezing-matmul-concat{default-device=tpu}))' 2>&1 | FileCheck %s --check-prefix=DEVICE

// CPU: remark: [Missed] matmul-concat | Category:fxgraph-freezing-matmul-concat | Remark="on the CPU enable-concat-linear is off"
// CPU-NOT: fxgraph.cat
// EXACT-NOT: fxgraph.cat
// DEVICE: error: fxgraph-freezing-matmul-concat: expected a device type among {{.*}} but got 'tpu'

// Biases are joined too; products with and without are two groups. The weights are made of parameters.
// CHECK-LABEL: func.func @biases
// CHECK: fxgraph.cat %arg3, %arg4 dim 0
// CHECK: fxgraph.addmm
// CHECK: fxgraph.split_with_sizes
// CHECK: fxgraph.cat %arg1, %{{.+}} dim 1
// CHECK: fxgraph.mm
// CHECK: fxgraph.split_with_sizes
func.func @biases(%x: tensor<3x8xf32>, %w: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %b: tensor<4xf32> {fxgraph.kind = "parameter"}, %c: tensor<4xf32> {fxgraph.kind = "buffer"})
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %n = fxgraph.neg %v : tensor<8x4xf32>
  %0 = fxgraph.addmm %b, %x, %w : (tensor<4xf32>, tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = fxgraph.mm %x, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %2 = fxgraph.addmm %c, %x, %v : (tensor<4xf32>, tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %3 = fxgraph.mm %x, %n : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %4 = fxgraph.relu %0 : tensor<3x4xf32>
  %5 = fxgraph.relu %1 : tensor<3x4xf32>
  %6 = fxgraph.relu %2 : tensor<3x4xf32>
  %7 = fxgraph.relu %3 : tensor<3x4xf32>
  return %4, %5, %6, %7 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}

// Results of the graph stay apart: the pieces of one product are cloned.
// CHECK-LABEL: func.func @returned
// CHECK: %[[S:.+]]:2 = fxgraph.split_with_sizes
// CHECK: fxgraph.clone %[[S]]#
// CHECK: return
func.func @returned(%x: tensor<?x8xf32>, %w: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x3xf32> {fxgraph.kind = "parameter"}) -> (tensor<?x4xf32>, tensor<?x3xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = fxgraph.mm %x, %v : (tensor<?x8xf32>, tensor<8x3xf32>) -> tensor<?x3xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x3xf32>
}

// A piece without elements shares nothing.
// CHECK-LABEL: func.func @returned_empty
// CHECK: fxgraph.split_with_sizes
// CHECK-NOT: fxgraph.clone
// CHECK: return
func.func @returned_empty(%x: tensor<?x8xf32>, %w: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x0xf32> {fxgraph.kind = "parameter"}) -> (tensor<?x4xf32>, tensor<?x0xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<?x8xf32>, tensor<8x4xf32>) -> tensor<?x4xf32>
  %1 = fxgraph.mm %x, %v : (tensor<?x8xf32>, tensor<8x0xf32>) -> tensor<?x0xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x0xf32>
}

// The same weights twice: a product each. Weights that are made behind the first product are made before it.
// CHECK-LABEL: func.func @groups
// CHECK: %[[N:.+]] = fxgraph.neg %arg3
// CHECK: %[[M:.+]] = fxgraph.relu %[[N]]
// CHECK: fxgraph.cat %arg1, %arg2, %[[M]] dim 1
// CHECK: fxgraph.mm
// CHECK: fxgraph.cat %arg2, %arg1 dim 1
// CHECK: fxgraph.mm
// CHECK-NOT: fxgraph.mm
func.func @groups(%x: tensor<3x8xf32>, %w: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %v: tensor<8x4xf32> {fxgraph.kind = "parameter"}, %u: tensor<8x4xf32> {fxgraph.kind = "parameter"}) -> tensor<3x4xf32> {
  %0 = fxgraph.mm %x, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %1 = fxgraph.mm %x, %v : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %2 = fxgraph.mm %x, %v : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %3 = fxgraph.mm %x, %w : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %6 = fxgraph.add %0, %1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %n = fxgraph.neg %u : tensor<8x4xf32>
  %m = fxgraph.relu %n : tensor<8x4xf32>
  %4 = fxgraph.mm %x, %m : (tensor<3x8xf32>, tensor<8x4xf32>) -> tensor<3x4xf32>
  %7 = fxgraph.add %2, %3 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %8 = fxgraph.mul %6, %7 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  %9 = fxgraph.mul %4, %8 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %9 : tensor<3x4xf32>
}
