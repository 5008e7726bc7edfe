// RUN: fx-opt %s --fxgraph-splitcat-remove-split-with-size-one > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-remove-split-with-size-one | diff %t.once -

// CHECK-LABEL: func @one_piece
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu
// CHECK-NEXT: return %[[R]]
func.func @one_piece(%x: tensor<2x32xf32>) -> tensor<2x32xf32> {
  %p = fxgraph.split_with_sizes %x sizes [32] dim 1 : (tensor<2x32xf32>) -> tensor<2x32xf32>
  %q = fxgraph.split %p size 99 dim -1 : (tensor<2x32xf32>) -> tensor<2x32xf32>
  %c = fxgraph.chunk %q chunks 1 dim 0 : (tensor<2x32xf32>) -> tensor<2x32xf32>
  %r = fxgraph.relu %c : tensor<2x32xf32>
  return %r : tensor<2x32xf32>
}

// The pieces of a split, split into one piece each, are returned themselves.
// CHECK-LABEL: func @inner
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split
// CHECK-NEXT: return %[[P]]#0, %[[P]]#1
func.func @inner(%x: tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %q = fxgraph.split %p#0 size 2 dim 1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %r = fxgraph.split %p#1 size 2 dim 1 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %q, %r : tensor<2x2xf32>, tensor<2x2xf32>
}

// An empty tensor, and a symbol beside the split dimension.
// CHECK-LABEL: func @empty_and_symbol
// CHECK-NOT: fxgraph.split
func.func @empty_and_symbol(%x: tensor<0x4xf32>, %y: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<0x4xf32>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  %p = fxgraph.split_with_sizes %x sizes [0] dim 0 : (tensor<0x4xf32>) -> tensor<0x4xf32>
  %q = fxgraph.split_with_sizes %y sizes [4] dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %a = fxgraph.relu %p : tensor<0x4xf32>
  %b = fxgraph.relu %q : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %a, %b : tensor<0x4xf32>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// A piece is a view of its input, for an unknown op that writes, too; and a value that
// is read before an argument is written.
// CHECK-LABEL: func @writers
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: fxgraph.opaque "custom.add_.default"(%[[X]], %[[Y]])
// CHECK-NEXT: fxgraph.copy_ %{{.*}} into %[[X]]
// CHECK-NEXT: fxgraph.relu %[[X]]
func.func @writers(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p = fxgraph.split_with_sizes %x sizes [4] dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%p, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %o into %x : tensor<4xf32>, tensor<4xf32>
  %r = fxgraph.relu %p : tensor<4xf32>
  return %o, %r : tensor<4xf32>, tensor<4xf32>
}
