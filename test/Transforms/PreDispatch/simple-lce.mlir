// RUN: fx-opt %s --fxgraph-predispatch-simple-lce -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-simple-lce -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --fxgraph-predispatch-simple-lce=numerics=exact | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: fxgraph.lce

// Any spelling of the permutation, dims of either sign; no bias; an unknown batch.
// CHECK-LABEL: func @spellings
// CHECK-NEXT: fxgraph.lce %{{.+}}, %{{.+}} : (tensor<?x6x4xbf16>, tensor<3x6xbf16>) -> tensor<?x3x4xbf16>
// CHECK-NEXT: return
func.func @spellings(%x: tensor<?x6x4xbf16>, %w: tensor<3x6xbf16>) -> tensor<?x3x4xbf16> {
  %0 = fxgraph.transpose %x dims 2, -2 : (tensor<?x6x4xbf16>) -> tensor<?x4x6xbf16>
  %1 = fxgraph.linear %0, %w : (tensor<?x4x6xbf16>, tensor<3x6xbf16>) -> tensor<?x4x3xbf16>
  %2 = fxgraph.permute %1 dims [-3, -1, 1] : (tensor<?x4x3xbf16>) -> tensor<?x3x4xbf16>
  return %2 : tensor<?x3x4xbf16>
}

// CHECK-LABEL: func @transposed_at_the_end
// CHECK-NEXT: fxgraph.lce
// CHECK-NEXT: return
func.func @transposed_at_the_end(%x: tensor<2x6x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.transpose %1 dims 1, 2 : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}
