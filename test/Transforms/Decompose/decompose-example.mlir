// The example of the pass's documentation.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-decompose))' | FileCheck %s

// CHECK-LABEL: @example
// CHECK: %[[T:.*]] = fxgraph.permute %{{.*}} dims [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK: %[[R:.*]] = fxgraph.addmm %{{.*}}, %{{.*}}, %[[T]]
// CHECK: return %[[R]]
func.func @example(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
