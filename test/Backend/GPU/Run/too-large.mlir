// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s
// CHECK: error: not supported on gpu: 2 ops
// CHECK: note: fxgraph.expand has a tensor of more than 2^47 bytes
// CHECK: note: fxgraph.amax has a tensor of more than 2^47 bytes
func.func @main(%x: tensor<1x1xf32>) -> tensor<f32> {
  %0 = fxgraph.expand %x shape [4611686018427387904, 4] : tensor<1x1xf32> -> tensor<4611686018427387904x4xf32>
  %1 = fxgraph.amax %0 : (tensor<4611686018427387904x4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
