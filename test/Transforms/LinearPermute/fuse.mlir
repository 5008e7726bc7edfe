// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse,fxgraph-linear-permute-fuse))' | FileCheck %s

// All spellings of one permutation.
// CHECK-LABEL: func.func @spellings
// CHECK-COUNT-6: fxgraph.linear_transpose
// CHECK-NOT: fxgraph.{{permute|transpose }}
func.func @spellings(%x: tensor<4x8xf32>, %y: tensor<2x4x8xf32>, %z: tensor<5x2x4x8xf32>, %w: tensor<3x8xf32>)
    -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<5x2x3x4xf32>) {
  %x0 = fxgraph.linear %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.permute %x0 dims [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %x1 = fxgraph.linear %x, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.transpose %x1 dims 0, -1 : (tensor<4x3xf32>) -> tensor<3x4xf32>
  %y0 = fxgraph.linear %y, %w : (tensor<2x4x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %y0 dims [-3, -1, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %y1 = fxgraph.linear %y, %w : (tensor<2x4x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3xf32>
  %3 = fxgraph.transpose %y1 dims -1, -2 : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  %z0 = fxgraph.linear %z, %w : (tensor<5x2x4x8xf32>, tensor<3x8xf32>) -> tensor<5x2x4x3xf32>
  %4 = fxgraph.permute %z0 dims [0, 1, 3, 2] : (tensor<5x2x4x3xf32>) -> tensor<5x2x3x4xf32>
  %z1 = fxgraph.linear %z, %w : (tensor<5x2x4x8xf32>, tensor<3x8xf32>) -> tensor<5x2x4x3xf32>
  %5 = fxgraph.transpose %z1 dims 2, 3 : (tensor<5x2x4x3xf32>) -> tensor<5x2x3x4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<5x2x3x4xf32>, tensor<5x2x3x4xf32>
}

// CHECK-LABEL: func.func @transpose_before_linear
// CHECK: fxgraph.transpose_linear %arg0, %arg1 : (tensor<8x4xbf16>, tensor<3x8xbf16>) -> tensor<4x3xbf16>
// CHECK-NOT: fxgraph.transpose{{ }}
func.func @transpose_before_linear(%x: tensor<8x4xbf16>, %w: tensor<3x8xbf16>) -> tensor<4x3xbf16> {
  %p = fxgraph.transpose %x dims 1, 0 : (tensor<8x4xbf16>) -> tensor<4x8xbf16>
  %r = fxgraph.linear %p, %w : (tensor<4x8xbf16>, tensor<3x8xbf16>) -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

// The permute has another user: it stays for that one.
// CHECK-LABEL: func.func @permute_with_other_users
// CHECK: %[[P:.+]] = fxgraph.permute
// CHECK: fxgraph.transpose_linear %arg0, %arg1
// CHECK: fxgraph.relu %[[P]]
func.func @permute_with_other_users(%x: tensor<8x4xf32>, %w: tensor<3x8xf32>) -> (tensor<4x3xf32>, tensor<4x8xf32>) {
  %p = fxgraph.permute %x dims [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %r = fxgraph.linear %p, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %q = fxgraph.relu %p : tensor<4x8xf32>
  return %r, %q : tensor<4x3xf32>, tensor<4x8xf32>
}

// Both sides: linear-permute comes first.
// CHECK-LABEL: func.func @permutes_on_both_sides
// CHECK: %[[P:.+]] = fxgraph.permute %arg0
// CHECK: fxgraph.linear_transpose %[[P]], %arg1
func.func @permutes_on_both_sides(%x: tensor<8x4xf32>, %w: tensor<3x8xf32>) -> tensor<3x4xf32> {
  %p = fxgraph.permute %x dims [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %l = fxgraph.linear %p, %w : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
  %r = fxgraph.permute %l dims [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// CHECK-LABEL: func.func @matmuls
// CHECK-DAG: fxgraph.transpose_matmul %arg0 trans true, %arg1 trans true
// CHECK-DAG: fxgraph.transpose_matmul %arg0 trans true, %arg2
// CHECK-DAG: fxgraph.transpose_matmul %arg2{{( trans false)?}}, %arg1 trans true
// CHECK-DAG: fxgraph.transpose_matmul %arg0 trans true, %arg3
// CHECK-NOT: fxgraph.{{permute|transpose }}
func.func @matmuls(%a: tensor<2x8x4xf32>, %b: tensor<3x8xf32>, %c: tensor<2x8x8xf32>, %v: tensor<8xf32>)
    -> (tensor<2x4x3xf32>, tensor<2x4x8xf32>, tensor<2x8x3xf32>, tensor<2x4xf32>) {
  %p = fxgraph.permute %a dims [0, 2, 1] : (tensor<2x8x4xf32>) -> tensor<2x4x8xf32>
  %q = fxgraph.transpose %b dims 0, 1 : (tensor<3x8xf32>) -> tensor<8x3xf32>
  %0 = fxgraph.matmul %p, %q : (tensor<2x4x8xf32>, tensor<8x3xf32>) -> tensor<2x4x3xf32>
  %1 = fxgraph.matmul %p, %c : (tensor<2x4x8xf32>, tensor<2x8x8xf32>) -> tensor<2x4x8xf32>
  %2 = fxgraph.matmul %c, %q : (tensor<2x8x8xf32>, tensor<8x3xf32>) -> tensor<2x8x3xf32>
  %3 = fxgraph.matmul %p, %v : (tensor<2x4x8xf32>, tensor<8xf32>) -> tensor<2x4xf32>
  return %0, %1, %2, %3 : tensor<2x4x3xf32>, tensor<2x4x8xf32>, tensor<2x8x3xf32>, tensor<2x4xf32>
}

// One permuted value on both sides; empty and dynamic extents.
// CHECK-LABEL: func.func @repeated_empty_dynamic
// CHECK: fxgraph.transpose_matmul %arg0 trans true, %arg0 trans true
// CHECK: fxgraph.transpose_matmul %arg1 trans true, %arg2
// CHECK: fxgraph.linear_transpose %arg3, %arg4
func.func @repeated_empty_dynamic(%a: tensor<2x4x4xf32>, %b: tensor<2x0x4xf32>, %c: tensor<2x0x3xf32>, %d: tensor<?x?x8xf32>, %w: tensor<3x8xf32>)
    -> (tensor<2x4x4xf32>, tensor<2x4x3xf32>, tensor<?x3x?xf32>) {
  %p = fxgraph.permute %a dims [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %0 = fxgraph.bmm %p, %p : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %q = fxgraph.permute %b dims [0, 2, 1] : (tensor<2x0x4xf32>) -> tensor<2x4x0xf32>
  %1 = fxgraph.bmm %q, %c : (tensor<2x4x0xf32>, tensor<2x0x3xf32>) -> tensor<2x4x3xf32>
  %l = fxgraph.linear %d, %w : (tensor<?x?x8xf32>, tensor<3x8xf32>) -> tensor<?x?x3xf32>
  %2 = fxgraph.permute %l dims [0, 2, 1] : (tensor<?x?x3xf32>) -> tensor<?x3x?xf32>
  return %0, %1, %2 : tensor<2x4x4xf32>, tensor<2x4x3xf32>, tensor<?x3x?xf32>
}
