// RUN: fx-opt %s --fxgraph-splitcat-sink-cat-after-pointwise=max-chain=1 --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @cat_has_other_user
// CHECK-NEXT: fxgraph.cat
func.func @cat_has_other_user(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // expected-remark @below {{the cat or a view of it has other users}}
  %c = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  return %r, %c : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @view_has_other_user
// CHECK-NEXT: fxgraph.cat
func.func @view_has_other_user(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // expected-remark @below {{the cat or a view of it has other users}}
  %c = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %v = fxgraph.view %c shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %r = fxgraph.relu %v : tensor<2x2xf32>
  %n = fxgraph.neg %v : tensor<2x2xf32>
  return %r, %n : tensor<2x2xf32>, tensor<2x2xf32>
}

// A slice drops elements: relu behind it computes less.
// CHECK-LABEL: func @slice
// CHECK-NEXT: fxgraph.cat
func.func @slice(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %s = fxgraph.slice %c dim 0 from 1 to 3 : (tensor<4xf32>) -> tensor<2xf32>
  %r = fxgraph.relu %s : tensor<2xf32>
  return %r : tensor<2xf32>
}

// Two tensor operands, and a stack.
// CHECK-LABEL: func @others
// CHECK-NEXT: fxgraph.cat
// CHECK-NEXT: fxgraph.add
// CHECK-NEXT: fxgraph.stack
// CHECK-NEXT: fxgraph.relu
func.func @others(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %a = fxgraph.add %c, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %s = fxgraph.stack %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %r = fxgraph.relu %s : tensor<2x2xf32>
  return %a, %r : tensor<4xf32>, tensor<2x2xf32>
}

// More ops than max-chain stay together.
// CHECK-LABEL: func @long_chain
// CHECK-NEXT: fxgraph.cat
func.func @long_chain(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<4xf32> {
  // expected-remark @below {{more ops follow than max-chain}}
  %c = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  %t = fxgraph.tanh %r : tensor<4xf32>
  return %t : tensor<4xf32>
}
