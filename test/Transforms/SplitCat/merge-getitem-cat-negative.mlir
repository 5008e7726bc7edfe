// RUN: fx-opt %s --fxgraph-splitcat-merge-getitem-cat --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires: every function keeps its cat.

// CHECK-LABEL: func @permuted
// CHECK: fxgraph.cat
func.func @permuted(%x: tensor<7xf32>) -> tensor<3xf32> {
  %s:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %c = fxgraph.cat %s#1, %s#0 dim 0 : (tensor<1xf32>, tensor<2xf32>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}

// CHECK-LABEL: func @gap
// CHECK: fxgraph.cat
func.func @gap(%x: tensor<7xf32>) -> tensor<6xf32> {
  %s:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %c = fxgraph.cat %s#0, %s#2 dim 0 : (tensor<2xf32>, tensor<4xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{a piece has other users}}
  %c = fxgraph.cat %s#0, %s#0 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func @other_user
// CHECK: fxgraph.cat
func.func @other_user(%x: tensor<7xf32>) -> (tensor<3xf32>, tensor<1xf32>) {
  %s:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  // expected-remark @below {{a piece has other users}}
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %c, %s#1 : tensor<3xf32>, tensor<1xf32>
}

// CHECK-LABEL: func @other_dim
// CHECK: fxgraph.cat
func.func @other_dim(%x: tensor<3x2xf32>) -> tensor<1x6xf32> {
  %s:3 = fxgraph.split %x size 1 dim 0 : (tensor<3x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  // expected-remark @below {{split and cat are along different dimensions}}
  %c = fxgraph.cat %s#0, %s#1, %s#2 dim -1 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x6xf32>
  return %c : tensor<1x6xf32>
}

// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %t:2 = fxgraph.split %y size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the operands are pieces of different splits}}
  %c = fxgraph.cat %s#0, %t#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// A legacy empty tensor is no piece.
// CHECK-LABEL: func @legacy_empty
// CHECK: fxgraph.cat
func.func @legacy_empty(%x: tensor<4x2xf32>, %e: tensor<0xf32>) -> tensor<4x2xf32> {
  %s:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  // expected-remark @below {{an operand is not a piece of a split}}
  %c = fxgraph.cat %s#0, %e, %s#1 dim 0 : (tensor<2x2xf32>, tensor<0xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// CHECK-LABEL: func @stack
// CHECK: fxgraph.stack
func.func @stack(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %s:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.stack %s#0, %s#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// All pieces of an unknown extent: the cat knows more than the input.
// CHECK-LABEL: func @dynamic_extent
// CHECK: fxgraph.cat
func.func @dynamic_extent(%x: tensor<?xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<?xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the cat and the input of the split differ in type}}
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %n = fxgraph.neg %c : tensor<4xf32>
  return %n : tensor<4xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.cat
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%c, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}
