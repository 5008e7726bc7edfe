// mode=best keeps what leaves fewer ops, step by step: here the batched product, but not
// what the passes on splits would make of its stack.
// RUN: fx-opt %s --fxgraph-pre-grad=mode=best | FileCheck %s

// CHECK-LABEL: func.func @pieces_twice
// CHECK: fxgraph.split_with_sizes
// CHECK: fxgraph.baddbmm
// CHECK: fxgraph.unbind
// CHECK-NOT: fxgraph.linear
func.func @pieces_twice(%x: tensor<3x6xf32>,
    %w0: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b0: tensor<1xf32> {fxgraph.kind = "parameter"},
    %w1: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b1: tensor<1xf32> {fxgraph.kind = "parameter"},
    %w2: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b2: tensor<1xf32> {fxgraph.kind = "parameter"},
    %w3: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b3: tensor<1xf32> {fxgraph.kind = "parameter"},
    %w4: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b4: tensor<1xf32> {fxgraph.kind = "parameter"},
    %w5: tensor<1x2xf32> {fxgraph.kind = "parameter"}, %b5: tensor<1xf32> {fxgraph.kind = "parameter"}) -> tensor<3x1xf32> {
  %0:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (tensor<3x6xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>)
  %1 = fxgraph.linear %0#0, %w0, %b0 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %2 = fxgraph.linear %0#1, %w1, %b1 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %3 = fxgraph.linear %0#2, %w2, %b2 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %4 = fxgraph.linear %0#0, %w3, %b3 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %5 = fxgraph.linear %0#1, %w4, %b4 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %6 = fxgraph.linear %0#2, %w5, %b5 : (tensor<3x2xf32>, tensor<1x2xf32>, tensor<1xf32>) -> tensor<3x1xf32>
  %7 = fxgraph.add %1, %2 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %8 = fxgraph.add %7, %3 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %9 = fxgraph.add %8, %4 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %10 = fxgraph.add %9, %5 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  %11 = fxgraph.add %10, %6 : (tensor<3x1xf32>, tensor<3x1xf32>) -> tensor<3x1xf32>
  return %11 : tensor<3x1xf32>
}
