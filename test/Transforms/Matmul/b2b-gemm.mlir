// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-b2b-gemm{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-b2b-gemm{default-device=cuda}))' | diff %t.once -
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-b2b-gemm{default-device=gpu}))' 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: error: fxgraph-matmul-b2b-gemm: expected a device type among {{.*}} but got 'gpu'

!t = tensor<16x128xf16>
!w = tensor<128x16xf16>
!s = tensor<128x128xf16>
!u = tensor<16x16xf16>

// From the right: the whole of a tanh gelu, with numbers, several uses inside and a widened part.
// CHECK-LABEL: func.func @right
// CHECK-NOT: fxgraph.mm
// CHECK: fxgraph.b2b_gemm %arg0, %arg1, %arg2 left false {
// CHECK: fxgraph.convert_element_type
// CHECK: fxgraph.constant
// CHECK: fxgraph.tanh
// CHECK: fxgraph.yield
// CHECK-NOT: fxgraph.mm
func.func @right(%a: !t, %b: !w, %c: !t) -> !t {
  %half = fxgraph.constant dense<5.0e-01> : tensor<f64>
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %x = fxgraph.mm %b, %c : (!w, !t) -> !s
  %wide = fxgraph.convert_element_type %x : (!s) -> tensor<128x128xf32>
  %0 = fxgraph.mul %wide, %half : (tensor<128x128xf32>, tensor<f64>) -> tensor<128x128xf32>
  %1 = fxgraph.tanh %wide : tensor<128x128xf32>
  %2 = fxgraph.add %1, %one : (tensor<128x128xf32>, tensor<f64>) -> tensor<128x128xf32>
  %3 = fxgraph.mul %0, %2 : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %y = fxgraph.convert_element_type %3 : (tensor<128x128xf32>) -> !s
  %r = fxgraph.mm %a, %y : (!t, !s) -> !t
  return %r : !t
}

// Nothing between, from both sides (Inductor's trivial cases).
// CHECK-LABEL: func.func @trivial
// CHECK: fxgraph.b2b_gemm %arg0, %arg1, %arg0 left true {
// CHECK-NEXT: ^bb0(%[[X:.+]]: tensor<128x128xf16>):
// CHECK-NEXT: fxgraph.yield %[[X]]
// CHECK: fxgraph.b2b_gemm %arg1, %arg0, %arg1 left false {
func.func @trivial(%w: !w, %t: !t) -> (!w, !t) {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.mm %0, %w : (!s, !w) -> !w
  %2 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %3 = fxgraph.mm %t, %2 : (!t, !s) -> !t
  return %1, %3 : !w, !t
}

// Of three products in a row the last two; the first stays.
// CHECK-LABEL: func.func @three
// CHECK: %[[X:.+]] = fxgraph.mm %arg0, %arg1
// CHECK: fxgraph.b2b_gemm %[[X]], %arg2, %arg0
func.func @three(%w: !w, %t: !t, %s: !s) -> !w {
  %0 = fxgraph.mm %w, %t : (!w, !t) -> !s
  %1 = fxgraph.mm %0, %s : (!s, !s) -> !s
  %2 = fxgraph.mm %1, %w : (!s, !w) -> !w
  return %2 : !w
}

// Other floats (Inductor writes f16 whatever they are), a dead user.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: fxgraph.mm
// CHECK: fxgraph.b2b_gemm %arg0, %arg1, %arg0 left true
func.func @floats(%a: tensor<128x16xf32>, %b: tensor<16x128xf32>) -> tensor<128x16xf32> {
  %0 = fxgraph.mm %a, %b : (tensor<128x16xf32>, tensor<16x128xf32>) -> tensor<128x128xf32>
  %dead = fxgraph.neg %0 : tensor<128x128xf32>
  %1 = fxgraph.mm %0, %a : (tensor<128x128xf32>, tensor<128x16xf32>) -> tensor<128x16xf32>
  return %1 : tensor<128x16xf32>
}
