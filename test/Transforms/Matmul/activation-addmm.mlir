// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-activation-addmm{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-activation-addmm{default-device=cuda}))' | diff %t.once -

// 16 bits; nothing summed; a symbol; products and views of them follow.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-3: fxgraph.addmm_activation
// CHECK-NOT: fxgraph.relu
func.func @kinds(%b: tensor<4xbf16>, %x: tensor<4x4xbf16>, %c: tensor<3xf32>, %e: tensor<2x0xf32>, %f: tensor<0x3xf32>, %s: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<4x3xf32>)
    -> (tensor<4x4xbf16>, tensor<2x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.addmm %b, %x, %x : (tensor<4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %1 = fxgraph.relu %0 : tensor<4x4xbf16>
  %2 = fxgraph.permute %1 dims [1, 0] : (tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %3 = fxgraph.mm %2, %1 : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %4 = fxgraph.addmm %c, %e, %f : (tensor<3xf32>, tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  %5 = fxgraph.relu %4 : tensor<2x3xf32>
  %6 = fxgraph.addmm %c, %s, %w : (tensor<3xf32>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %7 = fxgraph.relu %6 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %3, %5, %7 : tensor<4x4xbf16>, tensor<2x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}
