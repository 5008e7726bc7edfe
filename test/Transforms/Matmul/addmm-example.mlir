// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm))' | FileCheck %s

!x = tensor<4x8xf32>
!w = tensor<8x3xf32>
!y = tensor<4x3xf32>

// CHECK-LABEL: func.func @linear
// CHECK-NEXT: %[[R:.+]] = fxgraph.addmm %arg2, %arg0, %arg1 {{.*}}: (tensor<3xf32>, tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
// CHECK-NEXT: return %[[R]]
func.func @linear(%x: !x, %w: !w, %bias: tensor<3xf32>) -> !y {
  %p = fxgraph.mm %x, %w : (!x, !w) -> !y
  %r = fxgraph.add %p, %bias : (!y, tensor<3xf32>) -> !y
  return %r : !y
}

// CHECK-LABEL: func.func @residual
// CHECK-NEXT: %[[R:.+]] = fxgraph.addmm %arg2, %arg0, %arg1
// CHECK-NEXT: return %[[R]]
func.func @residual(%x: !x, %w: !w, %y: !y) -> !y {
  %p = fxgraph.mm %x, %w : (!x, !w) -> !y
  %r = fxgraph.add %y, %p : (!y, !y) -> !y
  return %r : !y
}
