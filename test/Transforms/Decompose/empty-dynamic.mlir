// RUN: fx-opt %s --fxgraph-decompose | FileCheck %s

// The one dynamic extent of an empty tensor cannot be inferred from the others.
// CHECK-LABEL: func @no_rows
// CHECK: fxgraph.linear
func.func @no_rows(%x: tensor<?x0x0x3xf32, #fxgraph.meta<dims = [s1]>>, %w: tensor<4x3xf32>) -> tensor<?x0x0x4xf32, #fxgraph.meta<dims = [s1]>> {
  %0 = fxgraph.linear %x, %w : (tensor<?x0x0x3xf32, #fxgraph.meta<dims = [s1]>>, tensor<4x3xf32>) -> tensor<?x0x0x4xf32, #fxgraph.meta<dims = [s1]>>
  return %0 : tensor<?x0x0x4xf32, #fxgraph.meta<dims = [s1]>>
}

// CHECK-LABEL: func @nothing_summed
// CHECK: fxgraph.linear
func.func @nothing_summed(%x: tensor<6x?x0xf32, #fxgraph.meta<dims = [s1]>>, %w: tensor<2x0xf32>) -> tensor<6x?x2xf32, #fxgraph.meta<dims = [s1]>> {
  %0 = fxgraph.linear %x, %w : (tensor<6x?x0xf32, #fxgraph.meta<dims = [s1]>>, tensor<2x0xf32>) -> tensor<6x?x2xf32, #fxgraph.meta<dims = [s1]>>
  return %0 : tensor<6x?x2xf32, #fxgraph.meta<dims = [s1]>>
}

// CHECK-LABEL: func @flatten
// CHECK: fxgraph.flatten
func.func @flatten(%x: tensor<?x3x0xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x0xf32, #fxgraph.meta<dims = [s1]>> {
  %0 = fxgraph.flatten %x dims 1 to 2 : (tensor<?x3x0xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x0xf32, #fxgraph.meta<dims = [s1]>>
  return %0 : tensor<?x0xf32, #fxgraph.meta<dims = [s1]>>
}
