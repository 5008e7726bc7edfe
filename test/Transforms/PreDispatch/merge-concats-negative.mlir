// RUN: fx-opt %s --fxgraph-predispatch-merge-concats --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @different_dims
// CHECK-COUNT-2: fxgraph.cat
func.func @different_dims(%a: tensor<2x3xf32>, %b: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // expected-remark @below {{the cats join different dimensions}}
  %1 = fxgraph.cat %0, %b dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// CHECK-LABEL: func @other_users
// CHECK-COUNT-2: fxgraph.cat
func.func @other_users(%a: tensor<2x3xf32>) -> (tensor<6x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  // expected-remark @below {{the inner cat has other users}}
  %1 = fxgraph.cat %0, %a dim 0 : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  return %1, %0 : tensor<6x3xf32>, tensor<4x3xf32>
}

// CHECK-LABEL: func @twice_in_one
// CHECK-COUNT-2: fxgraph.cat
func.func @twice_in_one(%a: tensor<2xf32>, %b: tensor<3xf32>) -> tensor<10xf32> {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<5xf32>
  // expected-remark @below {{the inner cat has other users}}
  %1 = fxgraph.cat %0, %0 dim 0 : (tensor<5xf32>, tensor<5xf32>) -> tensor<10xf32>
  return %1 : tensor<10xf32>
}

// CHECK-LABEL: func @order_matters
// CHECK-COUNT-2: fxgraph.cat
func.func @order_matters(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.cat %b, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @equal_but_written
// CHECK-COUNT-2: fxgraph.cat
func.func @equal_but_written(%a: tensor<2xf32>) -> tensor<4xf32> {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  fxgraph.opaque "mine.write_.default"(%0) : (tensor<4xf32>) -> ()
  // expected-remark @below {{an unknown op may write to one of the cats}}
  %1 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
