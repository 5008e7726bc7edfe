// What the pieces of a concatenation have in common is computed once.
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref --rtol=2e-6 --atol=1e-6
// RUN: fx-opt %s --fxgraph-to-gpu=entry=halves | FileCheck %s --check-prefix=HALVES
// RUN: fx-opt %s --fxgraph-to-gpu=entry=three | FileCheck %s --check-prefix=THREE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=different | FileCheck %s --check-prefix=DIFFERENT
// RUN: fx-opt %s --fxgraph-to-gpu=entry=two_operands | FileCheck %s --check-prefix=TWO
// RUN: fx-opt %s --fxgraph-to-gpu=entry=other_attribute | FileCheck %s --check-prefix=ATTRIBUTE

// HALVES: arith.select
// HALVES: math.tanh
// HALVES-NOT: math.tanh
func.func @halves(%x: tensor<23x98xf32>) -> tensor<23x98xf32> {
  %0 = fxgraph.slice %x dim 1 from 0 to 49 : (tensor<23x98xf32>) -> tensor<23x49xf32>
  %1 = fxgraph.slice %x dim 1 from 49 to 98 : (tensor<23x98xf32>) -> tensor<23x49xf32>
  %2 = fxgraph.tanh %0 : tensor<23x49xf32>
  %3 = fxgraph.tanh %1 : tensor<23x49xf32>
  %4 = fxgraph.cat %3, %2 dim 1 : (tensor<23x49xf32>, tensor<23x49xf32>) -> tensor<23x98xf32>
  %r = fxgraph.abs %4 : tensor<23x98xf32>
  return %r : tensor<23x98xf32>
}

// Through several functions, of three pieces, with an operand in common.
// THREE-COUNT-1: math.exp
// THREE-NOT: math.exp
// THREE-COUNT-1: math.tanh
// THREE-NOT: math.tanh
func.func @three(%x: tensor<5x7xf32>, %y: tensor<3x7xf32>, %z: tensor<4x7xf32>, %w: tensor<7xf32>) -> tensor<12x7xf32> {
  %0 = fxgraph.exp %x : tensor<5x7xf32>
  %1 = fxgraph.exp %y : tensor<3x7xf32>
  %2 = fxgraph.exp %z : tensor<4x7xf32>
  %3 = fxgraph.mul %0, %w : (tensor<5x7xf32>, tensor<7xf32>) -> tensor<5x7xf32>
  %4 = fxgraph.mul %1, %w : (tensor<3x7xf32>, tensor<7xf32>) -> tensor<3x7xf32>
  %5 = fxgraph.mul %2, %w : (tensor<4x7xf32>, tensor<7xf32>) -> tensor<4x7xf32>
  %6 = fxgraph.tanh %3 : tensor<5x7xf32>
  %7 = fxgraph.tanh %4 : tensor<3x7xf32>
  %8 = fxgraph.tanh %5 : tensor<4x7xf32>
  %9 = fxgraph.cat %6, %7, %8 dim 0 : (tensor<5x7xf32>, tensor<3x7xf32>, tensor<4x7xf32>) -> tensor<12x7xf32>
  %r = fxgraph.abs %9 : tensor<12x7xf32>
  return %r : tensor<12x7xf32>
}

// DIFFERENT-DAG: math.tanh
// DIFFERENT-DAG: math.sin
func.func @different(%x: tensor<9x5xf32>, %y: tensor<9x3xf32>) -> tensor<9x8xf32> {
  %0 = fxgraph.tanh %x : tensor<9x5xf32>
  %1 = fxgraph.sin %y : tensor<9x3xf32>
  %2 = fxgraph.cat %0, %1 dim 1 : (tensor<9x5xf32>, tensor<9x3xf32>) -> tensor<9x8xf32>
  %r = fxgraph.abs %2 : tensor<9x8xf32>
  return %r : tensor<9x8xf32>
}

// Two choices for one multiplication gain nothing.
// TWO-COUNT-2: arith.mulf
func.func @two_operands(%x: tensor<9x5xf32>, %y: tensor<9x3xf32>, %z: tensor<9x5xf32>, %w: tensor<9x3xf32>) -> tensor<9x8xf32> {
  %0 = fxgraph.mul %x, %z : (tensor<9x5xf32>, tensor<9x5xf32>) -> tensor<9x5xf32>
  %1 = fxgraph.mul %y, %w : (tensor<9x3xf32>, tensor<9x3xf32>) -> tensor<9x3xf32>
  %2 = fxgraph.cat %0, %1 dim 1 : (tensor<9x5xf32>, tensor<9x3xf32>) -> tensor<9x8xf32>
  %r = fxgraph.abs %2 : tensor<9x8xf32>
  return %r : tensor<9x8xf32>
}

// The same op is another function with another attribute.
// ATTRIBUTE: arith.select
// ATTRIBUTE-NOT: arith.select
func.func @other_attribute(%x: tensor<9x5xf32>, %y: tensor<9x3xf32>) -> tensor<9x8xf32> {
  %0 = fxgraph.clamp %x {min = -1.0 : f64, max = 1.0 : f64} : tensor<9x5xf32>
  %1 = fxgraph.clamp %y {min = -0.5 : f64, max = 0.5 : f64} : tensor<9x3xf32>
  %2 = fxgraph.cat %0, %1 dim 1 : (tensor<9x5xf32>, tensor<9x3xf32>) -> tensor<9x8xf32>
  %r = fxgraph.abs %2 : tensor<9x8xf32>
  return %r : tensor<9x8xf32>
}
