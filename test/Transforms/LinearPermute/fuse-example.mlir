// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse))' | FileCheck %s

!x = tensor<2x4x8xf32>
!xt = tensor<2x8x4xf32>
!w = tensor<3x8xf32>
!b = tensor<3xf32>

// CHECK-LABEL: func.func @linear_permute
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_transpose %arg0, %arg1, %arg2 : (tensor<2x4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @linear_permute(%x: !x, %w: !w, %b: !b) -> tensor<2x3x4xf32> {
  %y = fxgraph.linear %x, %w, %b : (!x, !w, !b) -> tensor<2x4x3xf32>
  %r = fxgraph.permute %y dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @permute_linear
// CHECK-NEXT: %[[R:.+]] = fxgraph.transpose_linear %arg0, %arg1, %arg2 : (tensor<2x8x4xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @permute_linear(%x: !xt, %w: !w, %b: !b) -> tensor<2x4x3xf32> {
  %p = fxgraph.permute %x dims [0, 2, 1] : (!xt) -> !x
  %r = fxgraph.linear %p, %w, %b : (!x, !w, !b) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// CHECK-LABEL: func.func @permute_bmm
// CHECK-NEXT: %[[R:.+]] = fxgraph.transpose_matmul %arg0 trans true, %arg1 {{.*}}: (tensor<2x8x4xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @permute_bmm(%a: !xt, %b: tensor<2x8x3xf32>) -> tensor<2x4x3xf32> {
  %p = fxgraph.permute %a dims [0, 2, 1] : (!xt) -> !x
  %r = fxgraph.bmm %p, %b : (!x, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}
