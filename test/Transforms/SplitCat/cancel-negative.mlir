// RUN: fx-opt %s --fxgraph-splitcat-cancel --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @permuted
// CHECK: fxgraph.cat
func.func @permuted(%x: tensor<6xf32>) -> tensor<6xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#1, %p#0, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.cat
func.func @repeated(%x: tensor<6xf32>) -> tensor<6xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#0, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @missing
// CHECK: fxgraph.cat
func.func @missing(%x: tensor<6xf32>) -> tensor<4xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func @one_more
// CHECK: fxgraph.cat
func.func @one_more(%x: tensor<4xf32>, %y: tensor<2xf32>) -> tensor<6xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#1, %y dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %q:2 = fxgraph.split_with_sizes %y sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %q#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// CHECK-LABEL: func @other_dim
// CHECK: fxgraph.cat
func.func @other_dim(%x: tensor<2x2xf32>) -> tensor<1x4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  // expected-remark @below {{split and cat are along different dimensions}}
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x4xf32>
  return %c : tensor<1x4xf32>
}

// Stack joins along a new dimension.
// CHECK-LABEL: func @stack
// CHECK: fxgraph.stack
func.func @stack(%x: tensor<2x1xf32>) -> tensor<2x1x1xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x1xf32>) -> (tensor<1x1xf32>, tensor<1x1xf32>)
  %c = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<2x1x1xf32>
  return %c : tensor<2x1x1xf32>
}

// CHECK-LABEL: func @other_seams
// CHECK: fxgraph.cat
// CHECK: fxgraph.split_with_sizes
func.func @other_seams(%x: tensor<1xf32>, %y: tensor<3xf32>) -> (tensor<3xf32>, tensor<1xf32>) {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  // expected-remark @below {{the split does not cut where the cat has joined}}
  %p:2 = fxgraph.split_with_sizes %c sizes [3, 1] dim 0 : (tensor<4xf32>) -> (tensor<3xf32>, tensor<1xf32>)
  return %p#0, %p#1 : tensor<3xf32>, tensor<1xf32>
}

// CHECK-LABEL: func @cat_split_other_dim
// CHECK: fxgraph.split_with_sizes
func.func @cat_split_other_dim(%x: tensor<1x2xf32>, %y: tensor<1x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>) {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  // expected-remark @below {{cat and split are along different dimensions}}
  %p:2 = fxgraph.split_with_sizes %c sizes [1, 1] dim 1 : (tensor<2x2xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>)
  return %p#0, %p#1 : tensor<2x1xf32>, tensor<2x1xf32>
}

// CHECK-LABEL: func @cat_has_other_user
// CHECK: fxgraph.split_with_sizes
func.func @cat_has_other_user(%x: tensor<1xf32>, %y: tensor<3xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  // expected-remark @below {{the cat has other users}}
  %p:2 = fxgraph.split_with_sizes %c sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  return %c, %p#0 : tensor<4xf32>, tensor<1xf32>
}

// A legacy empty operand gives no piece.
// CHECK-LABEL: func @legacy_empty
// CHECK: fxgraph.split_with_sizes
func.func @legacy_empty(%x: tensor<1x2xf32>, %e: tensor<0xf32>) -> (tensor<1x2xf32>, tensor<0x2xf32>) {
  %c = fxgraph.cat %x, %e dim 0 : (tensor<1x2xf32>, tensor<0xf32>) -> tensor<1x2xf32>
  // expected-remark @below {{the split does not cut where the cat has joined}}
  %p:2 = fxgraph.split_with_sizes %c sizes [1, 0] dim 0 : (tensor<1x2xf32>) -> (tensor<1x2xf32>, tensor<0x2xf32>)
  return %p#0, %p#1 : tensor<1x2xf32>, tensor<0x2xf32>
}

// CHECK-LABEL: func @dynamic_extent
// CHECK: fxgraph.cat
func.func @dynamic_extent(%x: tensor<?xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 3] dim 0 : (tensor<?xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  // expected-remark @below {{the cat and the input of the split differ in type}}
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.cat
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%c) : (tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// Of two operands it writes the cat.
// CHECK-LABEL: func @opaque_writes_by_schema
// CHECK: fxgraph.cat
func.func @opaque_writes_by_schema(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%y, %c) args {args = ["%1", "%0"], writes = array<i64: 1>} {effects = "operands"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// What it returns may be the cat, which the next one writes.
// CHECK-LABEL: func @opaque_view_is_written
// CHECK: fxgraph.cat
func.func @opaque_view_is_written(%x: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the cat}}
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %v = fxgraph.opaque "custom.view.default"(%c) args {args = ["%0"]} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%v) : (tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// CHECK-LABEL: func @opaque_writes_piece
// CHECK: fxgraph.split_with_sizes
func.func @opaque_writes_piece(%x: tensor<1xf32>, %y: tensor<3xf32>) -> tensor<1xf32> {
  %c = fxgraph.cat %x, %y dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  // expected-remark @below {{an unknown op may write to a piece}}
  %p:2 = fxgraph.split_with_sizes %c sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  %o = fxgraph.opaque "custom.add_.default"(%p#0) : (tensor<1xf32>) -> tensor<1xf32>
  return %o : tensor<1xf32>
}

// Another spelling of the split: normalisation comes first.
// CHECK-LABEL: func @split_by_size
// CHECK: fxgraph.cat
func.func @split_by_size(%x: tensor<6xf32>) -> tensor<6xf32> {
  %p:3 = fxgraph.split %x size 2 dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#1, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  %r = fxgraph.relu %c : tensor<6xf32>
  return %r : tensor<6xf32>
}
