// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-bmm-to-mm{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-bmm-to-mm{default-device=cuda}))' | diff %t.once -

// One matrix twice, with several users; 16 bits; nothing summed; symbols inside.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-4: fxgraph.mm{{ }}
// CHECK-NOT: fxgraph.bmm
func.func @kinds(%a: tensor<1x4x4xf32>, %h: tensor<1x4x4xbf16>, %e: tensor<1x4x0xf32>, %f: tensor<1x0x3xf32>, %s: tensor<1x?x4xf32, #fxgraph.meta<dims = [s0]>>)
    -> (tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1x4x4xbf16>, tensor<1x4x3xf32>, tensor<1x?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.bmm %a, %a : (tensor<1x4x4xf32>, tensor<1x4x4xf32>) -> tensor<1x4x4xf32>
  %1 = fxgraph.relu %0 : tensor<1x4x4xf32>
  %2 = fxgraph.bmm %h, %h : (tensor<1x4x4xbf16>, tensor<1x4x4xbf16>) -> tensor<1x4x4xbf16>
  %3 = fxgraph.bmm %e, %f : (tensor<1x4x0xf32>, tensor<1x0x3xf32>) -> tensor<1x4x3xf32>
  %4 = fxgraph.bmm %s, %a : (tensor<1x?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x4x4xf32>) -> tensor<1x?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %0, %1, %2, %3, %4 : tensor<1x4x4xf32>, tensor<1x4x4xf32>, tensor<1x4x4xbf16>, tensor<1x4x3xf32>, tensor<1x?x4xf32, #fxgraph.meta<dims = [s0]>>
}
