// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-int-mm-mul{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-int-mm-mul{default-device=cuda}))' | diff %t.once -

// The scale on either side, of each shape; 16 bits, and a cast behind; nothing summed; symbols.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-4: fxgraph.int_mm_mul
// CHECK-NOT: fxgraph.mul
func.func @kinds(%a: tensor<4x8xi8>, %b: tensor<8x3xi8>, %s: tensor<4x1xbf16>, %t: tensor<4x3xf32>, %e: tensor<4x0xi8>, %f: tensor<0x3xi8>, %u: tensor<1x1xf64>, %c: tensor<?x8xi8, #fxgraph.meta<dims = [s0]>>, %v: tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.int_mm %a, %b : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4x3xi32>) -> tensor<4x3xbf16>
  %2 = fxgraph.mul %s, %1 : (tensor<4x1xbf16>, tensor<4x3xbf16>) -> tensor<4x3xbf16>
  %3 = fxgraph.convert_element_type %2 : (tensor<4x3xbf16>) -> tensor<4x3xf32>
  %4 = fxgraph.int_mm %a, %b : (tensor<4x8xi8>, tensor<8x3xi8>) -> tensor<4x3xi32>
  %5 = fxgraph.convert_element_type %4 : (tensor<4x3xi32>) -> tensor<4x3xf32>
  %6 = fxgraph.mul %5, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %7 = fxgraph.int_mm %e, %f : (tensor<4x0xi8>, tensor<0x3xi8>) -> tensor<4x3xi32>
  %8 = fxgraph.convert_element_type %7 : (tensor<4x3xi32>) -> tensor<4x3xf64>
  %9 = fxgraph.mul %8, %u : (tensor<4x3xf64>, tensor<1x1xf64>) -> tensor<4x3xf64>
  %10 = fxgraph.int_mm %c, %b : (tensor<?x8xi8, #fxgraph.meta<dims = [s0]>>, tensor<8x3xi8>) -> tensor<?x3xi32, #fxgraph.meta<dims = [s0]>>
  %11 = fxgraph.convert_element_type %10 : (tensor<?x3xi32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %12 = fxgraph.mul %11, %v : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %3, %6, %9, %12 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf64>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}
