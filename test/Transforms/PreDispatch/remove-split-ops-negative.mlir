// RUN: fx-opt %s --fxgraph-predispatch-remove-split-ops --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @two_pieces_used
// CHECK: fxgraph.split
func.func @two_pieces_used(%x: tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %p:4 = fxgraph.split %x size 2 dim 0 : (tensor<8x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %n = fxgraph.neg %p#1 : tensor<2x4xf32>
  %m = fxgraph.neg %p#2 : tensor<2x4xf32>
  return %n, %m : tensor<2x4xf32>, tensor<2x4xf32>
}

// CHECK-LABEL: func @out_of_order
// CHECK: fxgraph.cat
func.func @out_of_order(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %c = fxgraph.cat %p#1, %p#0 dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %c : tensor<8x4xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<8x4xf32>) -> tensor<12x4xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %c = fxgraph.cat %p#0, %p#1, %p#1 dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<12x4xf32>
  return %c : tensor<12x4xf32>
}

// CHECK-LABEL: func @other_dimension
// CHECK: fxgraph.cat
func.func @other_dimension(%x: tensor<4x4xf32>) -> tensor<2x8xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // expected-remark @below {{split and cat are along different dimensions}}
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// CHECK-LABEL: func @unknown_op_writes
// CHECK: fxgraph.cat
func.func @unknown_op_writes(%x: tensor<8x4xf32>) {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<8x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  fxgraph.opaque "mine.write_.default"(%c) : (tensor<8x4xf32>) -> ()
  return
}

// The piece is what keeps the result from being the argument.
// CHECK-LABEL: func @one_section_returned
// CHECK: fxgraph.split
func.func @one_section_returned(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @below {{a result of the graph would become an argument or another result}}
  %p = fxgraph.split %x size 8 dim 0 : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return %p : tensor<8x4xf32>
}

// CHECK-LABEL: func @one_section_of_unknown
// CHECK: fxgraph.split
func.func @one_section_of_unknown(%x: tensor<?x4xf32>) -> tensor<8x4xf32> {
  // expected-remark @below {{the piece and the input differ in type}}
  %p = fxgraph.split_with_sizes %x sizes [8] dim 0 : (tensor<?x4xf32>) -> tensor<8x4xf32>
  %n = fxgraph.neg %p : tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}
