// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise))' -o %t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise))' -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise{numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED

// Blanks, other letters, a user besides the add, the add's second operand.
// CHECK-LABEL: func.func @other_letters
// CHECK-NOT: fxgraph.einsum
// CHECK: fxgraph.sum
func.func @other_letters(%x: tensor<2x3x4xf64>, %w: tensor<2x3x4x5xf64>) -> (tensor<2x3x5xf64>, tensor<2x3x5xf64>) {
  %0 = fxgraph.einsum " zqB, zqBa -> zqa ", %x, %w : (tensor<2x3x4xf64>, tensor<2x3x4x5xf64>) -> tensor<2x3x5xf64>
  %1 = fxgraph.relu %0 : tensor<2x3x5xf64>
  %2 = fxgraph.add %1, %0 : (tensor<2x3x5xf64>, tensor<2x3x5xf64>) -> tensor<2x3x5xf64>
  return %1, %2 : tensor<2x3x5xf64>, tensor<2x3x5xf64>
}

// -----

// An extent of 1 broadcasts in both forms; nothing to sum; symbols.
// CHECK-LABEL: func.func @extents
// CHECK-NOT: fxgraph.einsum
// CHECK: return
func.func @extents(%x: tensor<2x1x4xf32>, %w: tensor<2x3x1x5xf32>, %e: tensor<2x3x0xf32>, %f: tensor<2x3x0x5xf32>,
                   %d: tensor<?x3x4xf32, #fxgraph.meta<dims = [s0]>>, %g: tensor<?x3x4x5xf32, #fxgraph.meta<dims = [s0]>>)
    -> (tensor<2x3x5xf32>, tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.einsum "abc,abcd->abd", %x, %w : (tensor<2x1x4xf32>, tensor<2x3x1x5xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.einsum "abc,abcd->abd", %e, %f : (tensor<2x3x0xf32>, tensor<2x3x0x5xf32>) -> tensor<2x3x5xf32>
  %2 = fxgraph.add %0, %1 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  %3 = fxgraph.einsum "abc,abcd->abd", %d, %g : (tensor<?x3x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3x4x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>
  %4 = fxgraph.add %3, %3 : (tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>
  return %2, %4 : tensor<2x3x5xf32>, tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>
}

// -----

// CHECK-LABEL: func.func @sixteen_bits
// CHECK: fxgraph.einsum
// RELAXED-LABEL: func.func @sixteen_bits
// RELAXED-NOT: fxgraph.einsum
func.func @sixteen_bits(%x: tensor<2x3x4xbf16>, %w: tensor<2x3x4x5xbf16>) -> tensor<2x3x5xbf16> {
  %0 = fxgraph.einsum "abc,abcd->abd", %x, %w : (tensor<2x3x4xbf16>, tensor<2x3x4x5xbf16>) -> tensor<2x3x5xbf16>
  %1 = fxgraph.add %0, %0 : (tensor<2x3x5xbf16>, tensor<2x3x5xbf16>) -> tensor<2x3x5xbf16>
  return %1 : tensor<2x3x5xbf16>
}
