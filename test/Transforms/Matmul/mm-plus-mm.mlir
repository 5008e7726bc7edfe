// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm{numerics=relaxed}))' | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-mm-plus-mm{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: mm_plus_mm

// One matrix in all places, in two products.
// CHECK-LABEL: func.func @one_matrix
// CHECK: fxgraph.mm_plus_mm %arg0, %arg0, %arg0, %arg0
func.func @one_matrix(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.add %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Of three products two.
// CHECK-LABEL: func.func @three
// CHECK: fxgraph.mm_plus_mm
// CHECK: fxgraph.add
func.func @three(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %s = fxgraph.mm %b, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %t = fxgraph.add %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.add %t, %s : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Nothing summed; one symbol; integers.
// CHECK-LABEL: func.func @empty_symbol_integers
// CHECK-COUNT-3: fxgraph.mm_plus_mm
func.func @empty_symbol_integers(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>, %c: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %d: tensor<4x3xf32>, %e: tensor<3x3xi64>)
    -> (tensor<4x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x3xi64>) {
  %p = fxgraph.mm %a, %b : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %a, %b : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.add %p, %q : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %s = fxgraph.mm %c, %d : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %t = fxgraph.mm %c, %d : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.add %s, %t : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %u = fxgraph.mm %e, %e : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
  %v = fxgraph.mm %e, %e : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
  %2 = fxgraph.add %u, %v : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x3xi64>
}

// CHECK-LABEL: func.func @sixteen_bits
// RELAXED: fxgraph.mm_plus_mm
func.func @sixteen_bits(%a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %p = fxgraph.mm %a, %a : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %q = fxgraph.mm %a, %a : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %r = fxgraph.add %p, %q : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  return %r : tensor<4x4xf16>
}
