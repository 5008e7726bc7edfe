// RUN: fx-opt %s --fxgraph-splitcat-cancel > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-cancel | diff %t.once -

// CHECK-LABEL: func @split_cat
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7x2xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @split_cat(%x: tensor<7x2xf32>) -> tensor<7x2xf32> {
  %p:4 = fxgraph.split_with_sizes %x sizes [2, 0, 1, 4] dim 0 : (tensor<7x2xf32>) -> (tensor<2x2xf32>, tensor<0x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>)
  %c = fxgraph.cat %p#0, %p#1, %p#2, %p#3 dim -2 : (tensor<2x2xf32>, tensor<0x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<7x2xf32>
  %r = fxgraph.relu %c : tensor<7x2xf32>
  return %r : tensor<7x2xf32>
}

// CHECK-LABEL: func @cat_split
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x1xf32>, %[[Y:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: %[[A:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.relu %[[Y]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @cat_split(%x: tensor<2x1xf32>, %y: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x1xf32>) {
  %c = fxgraph.cat %x, %y, %x dim 1 : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x5xf32>
  %p:3 = fxgraph.split_with_sizes %c sizes [1, 3, 1] dim -1 : (tensor<2x5xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x1xf32>)
  %a = fxgraph.relu %p#0 : tensor<2x1xf32>
  %b = fxgraph.relu %p#1 : tensor<2x3xf32>
  return %a, %b, %p#2 : tensor<2x1xf32>, tensor<2x3xf32>, tensor<2x1xf32>
}

// Unknown ops that read it: one writes nothing, the other one its other operand.
// CHECK-LABEL: func @opaque_reads
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: fxgraph.opaque "custom.f.default"(%[[X]])
// CHECK-NEXT: fxgraph.opaque "custom.add_.default"(%[[Y]], %[[X]])
func.func @opaque_reads(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %n = fxgraph.opaque "custom.f.default"(%c) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%y, %c) args {args = ["%0", "%1"], writes = array<i64: 0>} {effects = "operands"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %n, %o : tensor<4xf32>, tensor<4xf32>
}

// One after the other, and a symbol beside the dimension.
// CHECK-LABEL: func @chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x4xf32
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[R]]
func.func @chain(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 3] dim 1
      : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>)
  %c = fxgraph.cat %p#0, %p#1 dim 1
      : (tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %q:2 = fxgraph.split_with_sizes %c sizes [2, 2] dim 1
      : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>)
  %d = fxgraph.cat %q#0, %q#1 dim 1
      : (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.relu %d : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// A piece with another user keeps the split.
// CHECK-LABEL: func @piece_has_other_user
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[P:.*]]:2 = fxgraph.split_with_sizes %[[X]]
// CHECK-NEXT: fxgraph.relu %[[X]]
// CHECK-NEXT: fxgraph.neg %[[P]]#0
func.func @piece_has_other_user(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<1xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<1xf32>, tensor<3xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  %n = fxgraph.neg %p#0 : tensor<1xf32>
  return %r, %n : tensor<4xf32>, tensor<1xf32>
}
