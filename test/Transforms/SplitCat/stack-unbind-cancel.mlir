// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-stack-unbind-cancel | diff %t.once -

// CHECK-LABEL: func @unbind_stack_same_dim
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @unbind_stack_same_dim(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:3 = fxgraph.unbind %x dim -1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1, %u#2 dim 1 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %s : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// Moved over two dimensions: a move, not a swap.
// CHECK-LABEL: func @unbind_stack_far
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %{{.*}} dims [1, 2, 0]
// CHECK-NEXT: fxgraph.relu %[[M]]
func.func @unbind_stack_far(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim -1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x2xf32>
  %r = fxgraph.relu %s : tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// CHECK-LABEL: func @unbind_cat
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %{{.*}} dims [1, 0, 2]
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[M]] shape [3, 8]
// CHECK-NEXT: fxgraph.relu %[[F]]
func.func @unbind_cat(%x: tensor<2x3x4xf32>) -> tensor<3x8xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %s = fxgraph.cat %u#0, %u#1 dim -1 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x8xf32>
  %r = fxgraph.relu %s : tensor<3x8xf32>
  return %r : tensor<3x8xf32>
}

// Two users, with further operands, along other dimensions.
// CHECK-LABEL: func @further_operands
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>, %[[A:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[X]] shape [2, 12]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[F]], %[[A]] dim 1
// CHECK-NEXT: %[[A0:.*]] = fxgraph.unsqueeze %[[A]] dim 0
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[X]] dims [1, 0, 2]
// CHECK-NEXT: %[[A1:.*]] = fxgraph.stack %[[A]], %[[A]] dim 0
// CHECK-NEXT: %[[S:.*]] = fxgraph.cat %[[A0]], %[[M]], %[[A1]] dim 0
// CHECK-NEXT: return %[[C]], %[[S]]
func.func @further_operands(%x: tensor<2x3x4xf32>, %a: tensor<2x4xf32>) -> (tensor<2x20xf32>, tensor<6x2x4xf32>) {
  %u:3 = fxgraph.unbind %x dim 1 : (tensor<2x3x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %c = fxgraph.cat %a, %u#0, %u#1, %u#2, %a dim 1 : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x20xf32>
  %s = fxgraph.stack %a, %u#0, %u#1, %u#2, %a, %a dim 0
      : (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<6x2x4xf32>
  return %c, %s : tensor<2x20xf32>, tensor<6x2x4xf32>
}

// stack → unbind gives the operands; the stack keeps its other user.
// CHECK-LABEL: func @stack_unbind
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<4xf32>, %[[B:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack %[[A]], %[[B]], %[[A]] dim 1
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[B]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[A]]
// CHECK-NEXT: return %[[S]], %[[R]], %[[C]]
func.func @stack_unbind(%a: tensor<4xf32>, %b: tensor<4xf32>) -> (tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>) {
  %s = fxgraph.stack %a, %b, %a dim 1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  %u:3 = fxgraph.unbind %s dim -1 : (tensor<4x3xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  %r = fxgraph.relu %u#1 : tensor<4xf32>
  return %s, %r, %u#2 : tensor<4x3xf32>, tensor<4xf32>, tensor<4xf32>
}

// Between the batched ops of a tower: stack → unbind → stack → unbind.
// CHECK-LABEL: func @between_batched_ops
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[T]]
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[R]] shape [8]
// CHECK-NEXT: return %[[F]]
func.func @between_batched_ops(%x: tensor<2x4xf32>) -> tensor<8xf32> {
  %t = fxgraph.tanh %x : tensor<2x4xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %v:2 = fxgraph.unbind %s dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %w = fxgraph.stack %v#0, %v#1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %r = fxgraph.relu %w : tensor<2x4xf32>
  %y:2 = fxgraph.unbind %r dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %c = fxgraph.cat %y#0, %y#1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// One piece.
// CHECK-LABEL: func @one_piece
// CHECK-NEXT: fxgraph.permute %{{.*}} dims [1, 0]
func.func @one_piece(%x: tensor<1x4xf32>) -> tensor<4x1xf32> {
  %u = fxgraph.unbind %x dim 0 : (tensor<1x4xf32>) -> tensor<4xf32>
  %s = fxgraph.stack %u dim 1 : (tensor<4xf32>) -> tensor<4x1xf32>
  %r = fxgraph.relu %s : tensor<4x1xf32>
  return %r : tensor<4x1xf32>
}

// A symbolic extent.
// CHECK-LABEL: func @symbolic
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %{{.*}} dims [1, 0]
// CHECK-NEXT: fxgraph.relu %[[M]] : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
func.func @symbolic(%x: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x2xf32, #fxgraph.meta<dims = [s0]>> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>)
  %s = fxgraph.stack %u#0, %u#1 dim 1 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.relu %s : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
}
