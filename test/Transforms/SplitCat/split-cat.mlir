// RUN: fx-opt %s --fxgraph-splitcat-split-cat > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-split-cat | diff %t.once -

// CHECK-LABEL: func @stack_same_dim
// CHECK-NEXT: %[[U:.*]] = fxgraph.reshape %{{.*}} shape [2, 3, 4]
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[U]]
// CHECK-NEXT: return %[[R]]
func.func @stack_same_dim(%x: tensor<2x12xf32>) -> tensor<2x3x4xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [4, 4, 4] dim 1 : (tensor<2x12xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %s = fxgraph.stack %p#0, %p#1, %p#2 dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x3x4xf32>
  %r = fxgraph.relu %s : tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// stack(dim=-1) of a split(dim=-1): r[n, i, j] = x[n, 2j + i].
// CHECK-LABEL: func @stack_last_dim
// CHECK-NEXT: %[[U:.*]] = fxgraph.reshape %{{.*}} shape [2, 3, 2]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [0, 2, 1]
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[M]]
func.func @stack_last_dim(%x: tensor<2x6xf32>) -> tensor<2x2x3xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim -1 : (tensor<2x6xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %s = fxgraph.stack %p#0, %p#1, %p#2 dim -1 : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2x3xf32>
  %r = fxgraph.relu %s : tensor<2x2x3xf32>
  return %r : tensor<2x2x3xf32>
}

// The dimension moves over two others: a move, not a swap.
// CHECK-LABEL: func @stack_far_dim
// CHECK-NEXT: %[[U:.*]] = fxgraph.reshape %{{.*}} shape [2, 2, 3, 5]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [1, 2, 3, 0]
func.func @stack_far_dim(%x: tensor<4x3x5xf32>) -> tensor<2x3x5x2xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x3x5xf32>) -> (tensor<2x3x5xf32>, tensor<2x3x5xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 3 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5x2xf32>
  %r = fxgraph.relu %s : tensor<2x3x5x2xf32>
  return %r : tensor<2x3x5x2xf32>
}

// CHECK-LABEL: func @cat_other_dim
// CHECK-NEXT: %[[U:.*]] = fxgraph.reshape %{{.*}} shape [2, 3, 4, 5]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [0, 2, 1, 3]
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[M]] shape [2, 4, 15]
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[F]]
// CHECK-NEXT: return %[[R]]
func.func @cat_other_dim(%x: tensor<2x12x5xf32>) -> tensor<2x4x15xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [4, 4, 4] dim 1 : (tensor<2x12x5xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>)
  %s = fxgraph.cat %p#0, %p#1, %p#2 dim 2 : (tensor<2x4x5xf32>, tensor<2x4x5xf32>, tensor<2x4x5xf32>) -> tensor<2x4x15xf32>
  %r = fxgraph.relu %s : tensor<2x4x15xf32>
  return %r : tensor<2x4x15xf32>
}

// Further operands: the pieces are one operand now.
// CHECK-LABEL: func @cat_more
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6xf32>, %[[A:[a-z0-9]+]]: tensor<2x1xf32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[X]], %[[A]] dim 1
// CHECK-NEXT: return %[[C]]
func.func @cat_more(%x: tensor<2x6xf32>, %a: tensor<2x1xf32>) -> tensor<2x8xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 2, 3] dim 1 : (tensor<2x6xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>)
  %c = fxgraph.cat %a, %p#0, %p#1, %p#2, %a dim -1 : (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x8xf32>
  return %c : tensor<2x8xf32>
}

// Runs of a split with gaps; what is no run stays stacked. One operand alone is
// unsqueezed.
// CHECK-LABEL: func @stack_runs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<8x3xf32>, %[[A:[a-z0-9]+]]: tensor<1x3xf32>
// CHECK-NEXT: %[[Q:.*]]:4 = fxgraph.split_with_sizes %[[X]] sizes [1, 3, 1, 3] dim 0
// CHECK-NEXT: %[[A0:.*]] = fxgraph.stack %[[A]], %[[A]] dim 1
// CHECK-NEXT: %[[U1:.*]] = fxgraph.reshape %[[Q]]#1 shape [3, 1, 3]
// CHECK-NEXT: %[[M1:.*]] = fxgraph.permute %[[U1]] dims [1, 0, 2]
// CHECK-NEXT: %[[A1:.*]] = fxgraph.unsqueeze %[[A]] dim 1
// CHECK-NEXT: %[[U2:.*]] = fxgraph.reshape %[[Q]]#3 shape [3, 1, 3]
// CHECK-NEXT: %[[M2:.*]] = fxgraph.permute %[[U2]] dims [1, 0, 2]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A0]], %[[M1]], %[[A1]], %[[M2]] dim 1
// CHECK-NEXT: return %[[C]]
func.func @stack_runs(%x: tensor<8x3xf32>, %a: tensor<1x3xf32>) -> tensor<1x9x3xf32> {
  %p:8 = fxgraph.split_with_sizes %x sizes [1, 1, 1, 1, 1, 1, 1, 1] dim 0 : (tensor<8x3xf32>)
      -> (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>)
  %c = fxgraph.stack %a, %a, %p#1, %p#2, %p#3, %a, %p#5, %p#6, %p#7 dim 1
      : (tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<1x9x3xf32>
  return %c : tensor<1x9x3xf32>
}

// Two users with runs of their own, a third with one piece; unequal sections. The
// same run twice is one piece.
// CHECK-LABEL: func @several_users
// CHECK-NEXT: %[[Q:.*]]:4 = fxgraph.split_with_sizes %{{.*}} sizes [2, 6, 5, 1] dim 0
// CHECK: fxgraph.cat %[[Q]]#1, %{{.*}}, %[[Q]]#1 dim 0
// CHECK: fxgraph.reshape %[[Q]]#1 shape [2, 3]
// CHECK: fxgraph.relu %[[Q]]#2
func.func @several_users(%x: tensor<14xf32>, %a: tensor<3xf32>) -> (tensor<15xf32>, tensor<2x3xf32>, tensor<5xf32>) {
  %p:5 = fxgraph.split_with_sizes %x sizes [2, 3, 3, 5, 1] dim 0 : (tensor<14xf32>) -> (tensor<2xf32>, tensor<3xf32>, tensor<3xf32>, tensor<5xf32>, tensor<1xf32>)
  %c = fxgraph.cat %p#1, %p#2, %a, %p#1, %p#2 dim 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<15xf32>
  %s = fxgraph.stack %p#1, %p#2 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %n = fxgraph.neg %s : tensor<2x3xf32>
  %r = fxgraph.relu %p#3 : tensor<5xf32>
  return %c, %n, %r : tensor<15xf32>, tensor<2x3xf32>, tensor<5xf32>
}

// Pieces of two splits in one cat, which is rebuilt once.
// CHECK-LABEL: func @two_splits
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[X]], %[[Y]] dim 0
// CHECK-NEXT: return %[[C]]
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<6xf32>) -> tensor<10xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  %q:2 = fxgraph.split_with_sizes %y sizes [2, 4] dim 0 : (tensor<6xf32>) -> (tensor<2xf32>, tensor<4xf32>)
  %c = fxgraph.cat %p#0, %p#1, %q#0, %q#1 dim 0 : (tensor<1xf32>, tensor<3xf32>, tensor<2xf32>, tensor<4xf32>) -> tensor<10xf32>
  return %c : tensor<10xf32>
}

// Sections of 1 that are squeezed.
// CHECK-LABEL: func @squeeze
// CHECK-NEXT: %[[U:.*]]:3 = fxgraph.unbind %{{.*}} dim 1
// CHECK-NEXT: fxgraph.relu %[[U]]#0
// CHECK-NEXT: fxgraph.relu %[[U]]#2
// CHECK-NEXT: fxgraph.tanh %[[U]]#2
func.func @squeeze(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 1, 1] dim 1 : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  %a = fxgraph.squeeze %p#0 dims [1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %c = fxgraph.squeeze %p#2 dims [-1] : (tensor<2x1xf32>) -> tensor<2xf32>
  %r = fxgraph.relu %a : tensor<2xf32>
  %s = fxgraph.relu %c : tensor<2xf32>
  %t = fxgraph.tanh %c : tensor<2xf32>
  return %r, %s, %t : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// Another extent is symbolic: no reshape to a static shape.
// CHECK-LABEL: func @symbolic
// CHECK-NEXT: %[[U:.*]] = fxgraph.unflatten %{{.*}} dim 1 sizes [2, 2]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[U]] dims [1, 0, 2] {{.*}} -> tensor<2x?x2xf32, #fxgraph.meta<dims = [s0]>>
func.func @symbolic(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x?x2xf32, #fxgraph.meta<dims = [s0]>> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1
      : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>)
  %s = fxgraph.stack %p#0, %p#1 dim 0
      : (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x?x2xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.relu %s : tensor<2x?x2xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<2x?x2xf32, #fxgraph.meta<dims = [s0]>>
}

// Empty pieces along the dimension.
// CHECK-LABEL: func @empty
// CHECK-NEXT: fxgraph.reshape %{{.*}} shape [2, 0, 3]
func.func @empty(%x: tensor<0x3xf32>) -> tensor<2x0x3xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [0, 0] dim 0 : (tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<0x3xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<0x3xf32>, tensor<0x3xf32>) -> tensor<2x0x3xf32>
  %r = fxgraph.relu %s : tensor<2x0x3xf32>
  return %r : tensor<2x0x3xf32>
}
