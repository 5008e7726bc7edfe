// RUN: fx-opt %s --fxgraph-predispatch-dot-compress -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-dot-compress -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @transpose_and_bmm
// CHECK-NEXT: fxgraph.dot_compress %{{.+}}, %{{.+}} : (tensor<?x6x4xbf16>, tensor<6x3xbf16>) -> tensor<?x6x3xbf16>
// CHECK-NEXT: return
func.func @transpose_and_bmm(%x: tensor<?x6x4xbf16>, %w: tensor<6x3xbf16>) -> tensor<?x6x3xbf16> {
  %0 = fxgraph.transpose %x dims -1, -2 : (tensor<?x6x4xbf16>) -> tensor<?x4x6xbf16>
  %1 = fxgraph.matmul %0, %w : (tensor<?x4x6xbf16>, tensor<6x3xbf16>) -> tensor<?x4x3xbf16>
  %2 = fxgraph.bmm %x, %1 : (tensor<?x6x4xbf16>, tensor<?x4x3xbf16>) -> tensor<?x6x3xbf16>
  return %2 : tensor<?x6x3xbf16>
}

// Without features or width there is nothing to sum.
// CHECK-LABEL: func @empty
// CHECK-NEXT: fxgraph.dot_compress
func.func @empty(%x: tensor<2x6x0xf16>, %w: tensor<6x3xf16>) -> tensor<2x6x3xf16> {
  %0 = fxgraph.permute %x dims [0, -1, -2] : (tensor<2x6x0xf16>) -> tensor<2x0x6xf16>
  %1 = fxgraph.matmul %0, %w : (tensor<2x0x6xf16>, tensor<6x3xf16>) -> tensor<2x0x3xf16>
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x0xf16>, tensor<2x0x3xf16>) -> tensor<2x6x3xf16>
  return %2 : tensor<2x6x3xf16>
}

// The permutation has another user and stays for it.
// CHECK-LABEL: func @shared_permutation
// CHECK: fxgraph.permute
// CHECK: fxgraph.dot_compress
// CHECK-NOT: fxgraph.matmul
func.func @shared_permutation(%x: tensor<2x6x4xf32>, %w: tensor<6x3xf32>) -> (tensor<2x6x3xf32>, tensor<2x4x6xf32>) {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf32>, tensor<6x3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x4xf32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  %3 = fxgraph.neg %0 : tensor<2x4x6xf32>
  return %2, %3 : tensor<2x6x3xf32>, tensor<2x4x6xf32>
}
