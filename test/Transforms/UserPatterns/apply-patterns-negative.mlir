// What kept a rule from firing: a missed remark at each op that a rule starts from.
// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-apply-patterns=%S/Inputs/near.pdll --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.contiguous

func.func @other_producer(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  // expected-remark@below {{the root, operands from #0: expected fxgraph.split_with_sizes but got fxgraph.relu}}
  %1 = fxgraph.cat %0, %0 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @argument(%x: tensor<4xf32>) -> tensor<8xf32> {
  // expected-remark@below {{the root, operands from #0: expected fxgraph.split_with_sizes but got an argument}}
  %1 = fxgraph.cat %x, %x dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

func.func @attribute(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  // expected-remark@below {{the root, attribute dim: expected 0 : i64 but got 1 : i64}}
  %1 = fxgraph.cat %0#0, %0#1 dim 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @inner_attribute(%x: tensor<4x4xf32>) -> tensor<8x2xf32> {
  %0:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  // expected-remark@below {{the root, operands from #0, attribute dim: expected 0 : i64 but got 1 : i64}}
  %1 = fxgraph.cat %0#0, %0#1 dim 0 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<8x2xf32>
  return %1 : tensor<8x2xf32>
}

// -----

func.func @order(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // expected-remark@below {{expected all 2 results of fxgraph.split_with_sizes, in order, but got 2 values}}
  %1 = fxgraph.cat %0#1, %0#0 dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// -----

func.func @constraint(%x: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<2x4xf32>) {
  %0:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1 = fxgraph.cat %0#0, %0#1 dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  // expected-remark@above {{the constraint CatRejoinsSplit at near.pdll:6:3 refused: an unknown op may write to the cat}}
  %2 = fxgraph.opaque "mylib.write_.default"(%1) : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2, %0#0 : tensor<4x4xf32>, tensor<2x4xf32>
}

// -----

func.func @same_value(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@below {{the root, operand #1: expected what stands at another place of the rule too}}
  %0 = fxgraph.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @operand_type(%x: tensor<4xf64>) -> tensor<4xf64> {
  // expected-remark@below {{the root, result #0: expected type tensor<4xf32> but got tensor<4xf64>}}
  %0 = fxgraph.sigmoid %x : tensor<4xf64>
  return %0 : tensor<4xf64>
}

// -----

// Constraints hold of no op that is not of their kind.
func.func @other_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark@below {{the constraint CatRejoinsSplit at near.pdll:23:3 refused}}
  %0 = fxgraph.tanh %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
