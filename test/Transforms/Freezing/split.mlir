// What is moved and what is not; the two parts alone; bad options.

// RUN: fx-opt %s --fxgraph-freezing-split | FileCheck %s
// RUN: fx-opt %s --fxgraph-freezing-split=part=main | FileCheck %s --check-prefix=MAIN
// RUN: fx-opt %s --fxgraph-freezing-split="part=prepare prefix=folded" | FileCheck %s --check-prefix=PREPARE
// RUN: not fx-opt %s --fxgraph-freezing-split=part=half 2>&1 | FileCheck %s --check-prefix=PART
// PART: error: fxgraph-freezing-split: expected part to be both, main or prepare but got half
// MAIN-NOT: .prepare
// MAIN: func @returned(%{{.*}}: tensor<4xf32> {fxgraph.kind = "constant", fxgraph.name = "frozen0"})
// PREPARE-NOT: .prepare
// PREPARE: func @returned(%{{.*}}: tensor<4xf32> {fxgraph.kind = "parameter", fxgraph.name = "w"}) -> tensor<4xf32>
// PREPARE-NEXT: fxgraph.exp
// Twice is the same as once: nothing is left to move.
// RUN: fx-opt %s --fxgraph-freezing-split=part=main -o %t.once
// RUN: fx-opt %t.once --fxgraph-freezing-split=part=main | diff - %t.once

// A result is a copy; a parameter that the graph does not use any more is dropped.
// CHECK-LABEL: func @returned(
// CHECK-SAME: %[[F:[^:]*]]: tensor<4xf32> {fxgraph.kind = "constant", fxgraph.name = "frozen0"})
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[F]]
// CHECK-NEXT: return %[[C]]
func.func @returned(%w: tensor<4xf32> {fxgraph.kind = "parameter", fxgraph.name = "w"}) -> tensor<4xf32> {
  %0 = fxgraph.exp %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Views, work on constants, random numbers, inputs, arguments without a kind, and
// parameters that the graph writes stay.
// CHECK-LABEL: func @stays.prepare()
// CHECK-NEXT: return
// CHECK-LABEL: func @stays(
// CHECK-NOT: frozen0
// CHECK: fxgraph.full
// CHECK: fxgraph.exp
// CHECK: fxgraph.permute
// CHECK: fxgraph.rand
// CHECK: fxgraph.exp
// CHECK: fxgraph.exp
// CHECK: fxgraph.exp
func.func @stays(%x: tensor<4x4xf32> {fxgraph.kind = "input", fxgraph.name = "x"}, %y: tensor<4x4xf32>,
                 %w: tensor<4x4xf32> {fxgraph.kind = "parameter", fxgraph.name = "w"},
                 %b: tensor<4x4xf32> {fxgraph.kind = "buffer", fxgraph.name = "b"}) -> tensor<4x4xf32> {
  %one = fxgraph.full 1.0 : tensor<4x4xf32>
  %e = fxgraph.exp %one : tensor<4x4xf32>
  %t = fxgraph.permute %w dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.rand : tensor<4x4xf32>
  %0 = fxgraph.exp %x : tensor<4x4xf32>
  %1 = fxgraph.exp %y : tensor<4x4xf32>
  %2 = fxgraph.exp %b : tensor<4x4xf32>
  fxgraph.copy_ %x into %b : tensor<4x4xf32>, tensor<4x4xf32>
  %3 = fxgraph.add %0, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.add %2, %e : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = fxgraph.add %t, %r : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %6 = fxgraph.add %3, %4 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = fxgraph.add %5, %6 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %7 : tensor<4x4xf32>
}

// An unknown op may write to a parameter through a view of it; of an input it cannot tell.
// CHECK-LABEL: func @view_is_written.prepare(
// CHECK-SAME: fxgraph.name = "v"})
// CHECK-LABEL: func @view_is_written(
// CHECK-SAME: fxgraph.name = "w"}
// CHECK: fxgraph.exp %arg0
// CHECK-NOT: fxgraph.exp
func.func @view_is_written(%w: tensor<4x2xf32> {fxgraph.kind = "parameter", fxgraph.name = "w"},
                           %v: tensor<4x2xf32> {fxgraph.kind = "parameter", fxgraph.name = "v"}) -> tensor<4x2xf32> {
  %t = fxgraph.transpose %w dims 0, 1 : (tensor<4x2xf32>) -> tensor<2x4xf32>
  fxgraph.opaque "torch.foo_"(%t) : (tensor<2x4xf32>) -> ()
  %0 = fxgraph.exp %w : tensor<4x2xf32>
  %1 = fxgraph.exp %v : tensor<4x2xf32>
  %2 = fxgraph.mul %0, %1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// A value and a view of it make one argument.
// CHECK-LABEL: func @shared.prepare(
// CHECK: return %{{.*}} : tensor<2x3xf32>
// CHECK-LABEL: func @shared(
// CHECK: fxgraph.name = "frozen0"
// CHECK-NOT: fxgraph.name = "frozen1"
func.func @shared(%x: tensor<2x3xf32> {fxgraph.kind = "input", fxgraph.name = "x"},
                  %w: tensor<2x3xf32> {fxgraph.kind = "parameter", fxgraph.name = "w"}) -> (tensor<2x3xf32>, tensor<2x2xf32>) {
  %0 = fxgraph.exp %w : tensor<2x3xf32>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %2 = fxgraph.add %x, %0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = fxgraph.mm %x, %1 : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %2, %3 : tensor<2x3xf32>, tensor<2x2xf32>
}
