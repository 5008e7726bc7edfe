// The op of the group fusions: a range for each operand of the members, one result each.
// RUN: fx-opt %s | FileCheck %s

// CHECK-LABEL: func @linears
func.func @linears(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %v: tensor<3x4xf32>, %w: tensor<3x4xf32>) -> tensor<2x3xf32> {
  // CHECK: "fxgraph.group"(%arg0, %arg1, %arg2, %arg3) <{common = {}, member = "fxgraph.linear", operandSegmentSizes = array<i32: 2, 2, 0, 0>}>
  %0:2 = "fxgraph.group"(%x, %y, %v, %w) <{member = "fxgraph.linear", common = {}, operandSegmentSizes = array<i32: 2, 2, 0, 0>}>
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %1 = fxgraph.add %0#0, %0#1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return %1 : tensor<2x3xf32>
}
