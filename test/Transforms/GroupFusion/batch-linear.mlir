// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=3 max-fuse-set-size=4}))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=3 max-fuse-set-size=4},fxgraph-group-batch-linear{min-fuse-set-size=3 max-fuse-set-size=4}))' | FileCheck %s

!x = tensor<2x4xf32>
!w = tensor<3x4xf32>
!y = tensor<2x3xf32>

// Pieces are stacked in the order of the pieces, whatever the order of the ops.
// CHECK-LABEL: func.func @pieces_of_a_split
// CHECK-SAME: (%[[X:.+]]: tensor<2x12xf32>, %[[W0:.+]]: tensor<3x4xf32>, %[[W1:.+]]: tensor<3x4xf32>, %[[W2:.+]]: tensor<3x4xf32>)
// CHECK: %[[P:.+]]:3 = fxgraph.chunk %[[X]]
// CHECK: fxgraph.stack %[[P]]#0, %[[P]]#1, %[[P]]#2 dim 0
// CHECK: fxgraph.stack %[[W0]], %[[W1]], %[[W2]] dim 0
// CHECK: %[[Z:.+]] = fxgraph.bmm
// CHECK: %[[Y:.+]]:3 = fxgraph.unbind %[[Z]] dim 0
// CHECK: fxgraph.cat %[[Y]]#0, %[[Y]]#1, %[[Y]]#2 dim 1
func.func @pieces_of_a_split(%x: tensor<2x12xf32>, %w0: !w, %w1: !w, %w2: !w) -> tensor<2x9xf32> {
  %p:3 = fxgraph.chunk %x chunks 3 dim 1 : (tensor<2x12xf32>) -> (!x, !x, !x)
  %y2 = fxgraph.linear %p#2, %w2 : (!x, !w) -> !y
  %y0 = fxgraph.linear %p#0, %w0 : (!x, !w) -> !y
  %y1 = fxgraph.linear %p#1, %w1 : (!x, !w) -> !y
  %r = fxgraph.cat %y0, %y1, %y2 dim 1 : (!y, !y, !y) -> tensor<2x9xf32>
  return %r : tensor<2x9xf32>
}

// -----

!x = tensor<2x4xf32>
!w = tensor<3x4xf32>
!y = tensor<2x3xf32>

// A user of the first member stands before an operand of the last: it moves, and
// nothing else does. Two results that were separate tensors stay so: one is cloned.
// CHECK-LABEL: func.func @users_between_members
// CHECK-NEXT: %[[FREE:.+]] = fxgraph.neg %arg0
// CHECK-NEXT: %[[LATE:.+]] = fxgraph.exp %arg0
// CHECK: %[[Y:.+]]:3 = fxgraph.unbind
// CHECK-NEXT: %[[R0:.+]] = fxgraph.relu %[[Y]]#0
// CHECK-NEXT: %[[R1:.+]] = fxgraph.abs %[[R0]]
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[Y]]#2
// CHECK-NEXT: return %[[R1]], %[[Y]]#1, %[[C]], %[[FREE]]
func.func @users_between_members(%x: !x, %w0: !w, %w1: !w, %w2: !w) -> (!y, !y, !y, !x) {
  %y0 = fxgraph.linear %x, %w0 : (!x, !w) -> !y
  %r0 = fxgraph.relu %y0 : !y
  %r1 = fxgraph.abs %r0 : !y
  %free = fxgraph.neg %x : !x
  %y1 = fxgraph.linear %x, %w1 : (!x, !w) -> !y
  %late = fxgraph.exp %x : !x
  %y2 = fxgraph.linear %late, %w2 : (!x, !w) -> !y
  return %r1, %y1, %y2, %free : !y, !y, !y, !x
}

// -----

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// Two layers: one group each.
// CHECK-LABEL: func.func @layers
// CHECK-COUNT-2: fxgraph.bmm
// CHECK-NOT: fxgraph.bmm
func.func @layers(%a: !x, %b: !x, %c: !x, %w: !w) -> (!x, !x, !x) {
  %a1 = fxgraph.linear %a, %w : (!x, !w) -> !x
  %a2 = fxgraph.linear %a1, %w : (!x, !w) -> !x
  %b1 = fxgraph.linear %b, %w : (!x, !w) -> !x
  %b2 = fxgraph.linear %b1, %w : (!x, !w) -> !x
  %c1 = fxgraph.linear %c, %w : (!x, !w) -> !x
  %c2 = fxgraph.linear %c1, %w : (!x, !w) -> !x
  return %a2, %b2, %c2 : !x, !x, !x
}

// -----

!x = tensor<2x4xf32>
!w = tensor<3x4xf32>
!y = tensor<2x3xf32>

// Seven members in sets of at most four: 3 and 4. A repeated operand is stacked
// twice.
// CHECK-LABEL: func.func @cut_into_equal_parts
// CHECK: fxgraph.stack %arg0, %arg0, %arg0 dim 0
// CHECK: fxgraph.bmm {{.*}} -> tensor<3x2x3xf32>
// CHECK: fxgraph.stack %arg0, %arg0, %arg0, %arg0 dim 0
// CHECK: fxgraph.bmm {{.*}} -> tensor<4x2x3xf32>
// CHECK-NOT: fxgraph.linear
func.func @cut_into_equal_parts(%x: !x, %w: !w) -> (!y, !y, !y, !y, !y, !y, !y) {
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %1 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %2 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %3 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %4 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %5 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %6 = fxgraph.linear %x, %w : (!x, !w) -> !y
  return %0, %1, %2, %3, %4, %5, %6 : !y, !y, !y, !y, !y, !y, !y
}

// -----

!x = tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>
!w = tensor<3x4xbf16>
!b = tensor<3xbf16>
!y = tensor<?x3xbf16, #fxgraph.meta<dims = [s0]>>

// A symbol equals itself; zero-extent and 16-bit inputs are fine.
// CHECK-LABEL: func.func @symbolic_extent
// CHECK: fxgraph.baddbmm {{.*}} -> tensor<3x?x3xbf16, #fxgraph.meta<dims = [s0]>>
func.func @symbolic_extent(%x0: !x, %x1: !x, %x2: !x, %w: !w, %b: !b) -> (!y, !y, !y) {
  %0 = fxgraph.linear %x0, %w, %b : (!x, !w, !b) -> !y
  %1 = fxgraph.linear %x1, %w, %b : (!x, !w, !b) -> !y
  %2 = fxgraph.linear %x2, %w, %b : (!x, !w, !b) -> !y
  return %0, %1, %2 : !y, !y, !y
}

// -----

!x = tensor<0x4xf32>
!w = tensor<3x4xf32>
!y = tensor<0x3xf32>

// CHECK-LABEL: func.func @empty_batch
// CHECK: fxgraph.bmm {{.*}} -> tensor<3x0x3xf32>
func.func @empty_batch(%x: !x, %w: !w) -> (!y, !y, !y) {
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %1 = fxgraph.linear %x, %w : (!x, !w) -> !y
  %2 = fxgraph.linear %x, %w : (!x, !w) -> !y
  return %0, %1, %2 : !y, !y, !y
}

// -----

!x = tensor<2x4xf32>
!w = tensor<3x4xf32>
!y = tensor<2x3xf32>

// Writes and random draws stand between the members: values do not change by a
// write, so the members may meet, but the effects keep their order.
// CHECK-LABEL: func.func @effects_between_members
// CHECK: fxgraph.copy_
// CHECK: fxgraph.rand
// CHECK: fxgraph.bmm
func.func @effects_between_members(%x: !x, %w0: !w, %w1: !w, %w2: !w) -> (!y, !y, !y, !x) {
  %0 = fxgraph.linear %x, %w0 : (!x, !w) -> !y
  fxgraph.copy_ %w1 into %w0 : !w, !w
  %1 = fxgraph.linear %x, %w1 : (!x, !w) -> !y
  %r = fxgraph.rand : !x
  %2 = fxgraph.linear %x, %w2 : (!x, !w) -> !y
  return %0, %1, %2, %r : !y, !y, !y, !x
}
