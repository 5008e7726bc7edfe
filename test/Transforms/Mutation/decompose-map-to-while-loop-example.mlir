// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-map-to-while-loop))' | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK-NOT: fxgraph.map
// CHECK: fxgraph.while_loop(%{{.*}}, %{{.*}}) additional(%arg0, %arg1) cond {
func.func @rows(%xs: tensor<5x3xf32>, %w: tensor<3xf32>) -> tensor<5x3xf32> {
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = fxgraph.mul %x, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}
