// Split, small linears, activations, layer norm, cat and stack: a recommendation tower.
// RUN: fx-run %s --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-5 --atol=2e-5 | FileCheck %s
// RUN: fx-run %s --inputs=seed:2 --target=cpu --target-option=fuse=0 --target-option=parallel=0 --compare-target=ref --rtol=1e-5 --atol=2e-5 | FileCheck %s

// CHECK: out0: equal
// CHECK: out1: equal

func.func @main(%x: tensor<32x512xf32>, %w: tensor<64x128xf32>, %b: tensor<64xf32>, %w2: tensor<64x128xf32>, %g: tensor<64xf32>) -> (tensor<32x256xf32>, tensor<4x32x64xf32>) {
  %p:4 = fxgraph.split %x size 128 dim 1 : (tensor<32x512xf32>) -> (tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>, tensor<32x128xf32>)
  %l0 = fxgraph.linear %p#0, %w, %b : (tensor<32x128xf32>, tensor<64x128xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %l1 = fxgraph.linear %p#1, %w, %b : (tensor<32x128xf32>, tensor<64x128xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %l2 = fxgraph.linear %p#2, %w2, %b : (tensor<32x128xf32>, tensor<64x128xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %l3 = fxgraph.linear %p#3, %w2, %b : (tensor<32x128xf32>, tensor<64x128xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %t0 = fxgraph.tanh %l0 : tensor<32x64xf32>
  %t1 = fxgraph.relu %l1 : tensor<32x64xf32>
  %t2 = fxgraph.tanh %l2 : tensor<32x64xf32>
  %n3 = fxgraph.layer_norm %l3 weight %g bias %b over [64] eps 1.000000e-05 : (tensor<32x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<32x64xf32>
  %c = fxgraph.cat %t0, %t1, %t2, %n3 dim 1 : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x256xf32>
  %s = fxgraph.stack %t0, %t1, %t2, %n3 dim 0 : (tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<4x32x64xf32>
  return %c, %s : tensor<32x256xf32>, tensor<4x32x64xf32>
}
