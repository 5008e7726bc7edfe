// RUN: fx-opt %s --fxgraph-splitcat-move-reshape-out-of-split-stack="threshold-to-cat=2" --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// REPORT-NOT: move_reshape_out_of_split_stack_pass

// CHECK-LABEL: func @backwards
// CHECK: fxgraph.stack
func.func @backwards(%x: tensor<4xf32>) -> tensor<2x2x1xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = fxgraph.reshape %p#0 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  %b = fxgraph.reshape %p#1 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %b, %a dim 0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2x1xf32>
  return %s : tensor<2x2x1xf32>
}

// A permute is no reshape.
// CHECK-LABEL: func @permuted
// CHECK: fxgraph.stack
func.func @permuted(%x: tensor<4x2xf32>) -> tensor<2x2x2xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %a = fxgraph.permute %p#0 dims [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = fxgraph.permute %p#1 dims [1, 0] : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %s = fxgraph.stack %a, %b dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x2xf32>
  return %s : tensor<2x2x2xf32>
}

// Without elements sections may differ under one shape.
// CHECK-LABEL: func @no_elements
// CHECK: fxgraph.stack
func.func @no_elements(%x: tensor<0x3xf32>) -> tensor<2x0xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 2] dim 1 : (tensor<0x3xf32>) -> (tensor<0x1xf32>, tensor<0x2xf32>)
  %a = fxgraph.reshape %p#0 shape [0] : tensor<0x1xf32> -> tensor<0xf32>
  %b = fxgraph.reshape %p#1 shape [0] : tensor<0x2xf32> -> tensor<0xf32>
  // expected-remark @below {{there are no elements}}
  %s = fxgraph.stack %a, %b dim 0 : (tensor<0xf32>, tensor<0xf32>) -> tensor<2x0xf32>
  return %s : tensor<2x0xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK: fxgraph.stack
func.func @dynamic(%x: tensor<4x?xf32>) -> tensor<2x?xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x?xf32>) -> (tensor<2x?xf32>, tensor<2x?xf32>)
  %a = fxgraph.flatten %p#0 dims 0 to 1 : (tensor<2x?xf32>) -> tensor<?xf32>
  %b = fxgraph.flatten %p#1 dims 0 to 1 : (tensor<2x?xf32>) -> tensor<?xf32>
  // expected-remark @below {{a shape is not known}}
  %s = fxgraph.stack %a, %b dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  return %s : tensor<2x?xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.stack
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<2x2x1xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = fxgraph.reshape %p#0 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  %b = fxgraph.reshape %p#1 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  // expected-remark @below {{an unknown op may write to the result}}
  %s = fxgraph.stack %a, %b dim 0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2x1xf32>
  %o = fxgraph.opaque "custom.add_.default"(%s) : (tensor<2x2x1xf32>) -> tensor<2x2x1xf32>
  return %o : tensor<2x2x1xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.stack
func.func @repeated(%x: tensor<4xf32>) -> tensor<3x2x1xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = fxgraph.reshape %p#0 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %a, %a, %a dim 0 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<3x2x1xf32>
  return %s : tensor<3x2x1xf32>
}

// Same numbers, two splits.
// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.stack
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<2x2x1xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %q:2 = fxgraph.split %y size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = fxgraph.reshape %p#0 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  %b = fxgraph.reshape %q#1 shape [2, 1] : tensor<2xf32> -> tensor<2x1xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %s = fxgraph.stack %a, %b dim 0 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2x1xf32>
  return %s : tensor<2x2x1xf32>
}

// The input is known, what is made of its pieces not.
// CHECK-LABEL: func @dynamic_reshapes
// CHECK: fxgraph.stack
func.func @dynamic_reshapes(%x: tensor<4xf32>) -> tensor<2x?xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %a = fxgraph.reshape %p#0 shape [2] : tensor<2xf32> -> tensor<?xf32>
  %b = fxgraph.reshape %p#1 shape [2] : tensor<2xf32> -> tensor<?xf32>
  // expected-remark @below {{a shape is not known}}
  %s = fxgraph.stack %a, %b dim 0 : (tensor<?xf32>, tensor<?xf32>) -> tensor<2x?xf32>
  return %s : tensor<2x?xf32>
}
