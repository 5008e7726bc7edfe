// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-b2b-gemm{default-device=cuda}))' | FileCheck %s

// CHECK-LABEL: func.func @left
// CHECK-NEXT: %[[R:.+]] = fxgraph.b2b_gemm %arg0, %arg1, %arg2 left true {
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<128x128xf16>):
// CHECK-NEXT: %[[Y:.+]] = fxgraph.relu %[[X]]
// CHECK-NEXT: fxgraph.yield %[[Y]]
// CHECK-NEXT: } : (tensor<128x2xf16>, tensor<2x128xf16>, tensor<128x2xf16>) -> tensor<128x2xf16>
// CHECK-NEXT: return %[[R]]
func.func @left(%a: tensor<128x2xf16>, %b: tensor<2x128xf16>, %c: tensor<128x2xf16>) -> tensor<128x2xf16> {
  %x = fxgraph.mm %a, %b : (tensor<128x2xf16>, tensor<2x128xf16>) -> tensor<128x128xf16>
  %y = fxgraph.relu %x : tensor<128x128xf16>
  %r = fxgraph.mm %y, %c : (tensor<128x128xf16>, tensor<128x2xf16>) -> tensor<128x2xf16>
  return %r : tensor<128x2xf16>
}
