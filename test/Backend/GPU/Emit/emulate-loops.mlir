// Loops of known numbers of steps.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=1e-6 --atol=1e-6
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s

// CHECK-LABEL: func @sums
// CHECK-COUNT-5: fxgraph.select
// CHECK-NOT: fxgraph.scan
func.func @sums(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %w: tensor<3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>, tensor<5xf32>) {
  %0:3 = fxgraph.scan (%init) over (%xs) additional (%w) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>, %v: tensor<3xf32>):
    %1 = fxgraph.mul %c, %v : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %2 = fxgraph.add %1, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    %3 = fxgraph.sum %2 : (tensor<3xf32>) -> tensor<f32>
    fxgraph.yield %2, %1, %3 : tensor<3xf32>, tensor<3xf32>, tensor<f32>
  } : (tensor<3xf32>, tensor<5x3xf32>, tensor<3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>, tensor<5xf32>)
  return %0#0, %0#1, %0#2 : tensor<3xf32>, tensor<5x3xf32>, tensor<5xf32>
}

// No step: the first values, and nothing stacked.
func.func @none(%init: tensor<3xf32>, %xs: tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.add %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %c : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<0x3xf32>) -> (tensor<3xf32>, tensor<0x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<0x3xf32>
}

// A loop in a loop; what the body gives as it took it.
// CHECK-LABEL: func @nested
// CHECK-NOT: fxgraph.map
// CHECK: return
func.func @nested(%x: tensor<3x4xf32>, %y: tensor<3x2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>) {
  %0:2 = fxgraph.map (%x, %y) {
  ^bb0(%row: tensor<4xf32>, %other: tensor<2xf32>):
    %1 = fxgraph.map (%row) {
    ^bb0(%element: tensor<f32>):
      %2 = fxgraph.exp %element : tensor<f32>
      fxgraph.yield %2 : tensor<f32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1, %other : tensor<4xf32>, tensor<2xf32>
  } : (tensor<3x4xf32>, tensor<3x2xf32>) -> (tensor<3x4xf32>, tensor<3x2xf32>)
  return %0#0, %0#1 : tensor<3x4xf32>, tensor<3x2xf32>
}
