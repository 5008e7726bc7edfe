// RUN: fx-opt %s --fxgraph-splitcat-remove-split-with-size-one --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @two_pieces
// CHECK: fxgraph.split_with_sizes
func.func @two_pieces(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [4, 0] dim 0 : (tensor<4xf32>) -> (tensor<4xf32>, tensor<0xf32>)
  %r = fxgraph.relu %p#0 : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The one piece of an unbind has lost a dimension.
// CHECK-LABEL: func @unbind
// CHECK: fxgraph.unbind
func.func @unbind(%x: tensor<1x4xf32>) -> tensor<4xf32> {
  %p = fxgraph.unbind %x dim 0 : (tensor<1x4xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %p : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The extent is checked when the graph runs: it is not known to be 4 here.
// CHECK-LABEL: func @dynamic
// CHECK: fxgraph.split_with_sizes
func.func @dynamic(%x: tensor<?xf32>) -> tensor<4xf32> {
  // expected-remark @below {{the piece and the input differ in type}}
  %p = fxgraph.split_with_sizes %x sizes [4] dim 0 : (tensor<?xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %p : tensor<4xf32>
  return %r : tensor<4xf32>
}

// Dead code goes, without a count.
// CHECK-LABEL: func @unused
// CHECK-NEXT: fxgraph.relu %arg0
func.func @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p = fxgraph.split_with_sizes %x sizes [4] dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %x : tensor<4xf32>
  return %r : tensor<4xf32>
}

// The result of the graph would be its argument.
// CHECK-LABEL: func @returned
// CHECK: fxgraph.split_with_sizes
func.func @returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-remark @below {{a result of the graph would become an argument or another result}}
  %p = fxgraph.split_with_sizes %x sizes [4] dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %p : tensor<4xf32>
}
