// RUN: fx-opt %s --fxgraph-splitcat-merge-stack-tanh-unbind > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-merge-stack-tanh-unbind | diff %t.once -

// Pieces of a split in front, a cat behind, a chain of ops between.
// CHECK-LABEL: func @split_and_cat
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x6xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [2, 2, 3]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[R]] dims [1, 0, 2]
// CHECK-NEXT: %[[A:.*]] = fxgraph.sigmoid %[[P]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.leaky_relu %[[A]]
// CHECK-NEXT: %[[Q:.*]] = fxgraph.permute %[[B]] dims [1, 0, 2]
// CHECK-NEXT: %[[C:.*]] = fxgraph.reshape %[[Q]] shape [2, 6]
// CHECK-NEXT: return %[[C]]
func.func @split_and_cat(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %p:2 = fxgraph.split %x size 3 dim 1 : (tensor<2x6xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2x3xf32>
  %a = fxgraph.sigmoid %s : tensor<2x2x3xf32>
  %b = fxgraph.leaky_relu %a slope 0.5 : tensor<2x2x3xf32>
  %u:2 = fxgraph.unbind %b dim 0 : (tensor<2x2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  %c = fxgraph.cat %u#0, %u#1 dim 1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %c : tensor<2x6xf32>
}

// Only one end cancels; the unbind stays for its other user. Other operands stay stacked.
// CHECK-LABEL: func @one_end
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<3xf32>, %[[B:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack %[[A]], %[[B]] dim 0
// CHECK-NEXT: %[[T:.*]] = fxgraph.relu %[[S]]
// CHECK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[T]]
// CHECK-NEXT: %[[O:.*]] = fxgraph.unsqueeze %[[A]] dim 0
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[O]], %[[T]] dim 0
// CHECK-NEXT: return %[[C]], %[[U]]#1
func.func @one_end(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3x3xf32>, tensor<3xf32>) {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.relu %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %r = fxgraph.stack %a, %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  return %r, %u#1 : tensor<3x3xf32>, tensor<3xf32>
}

// Two batched ops in a row: the stack between is the end of one and the head of the other.
// CHECK-LABEL: func @two_in_a_row
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[S]]
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[T]]
// CHECK-NEXT: return %[[R]]
func.func @two_in_a_row(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %p = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %p : tensor<2x3xf32>
  %v:2 = fxgraph.unbind %r dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %q = fxgraph.stack %v#0, %v#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %q : tensor<2x3xf32>
}

// A stack that goes hands the batched value on to the next unbind.
// CHECK-LABEL: func @stacked_again
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack
// CHECK-NEXT: %[[T:.*]] = fxgraph.relu %[[S]]
// CHECK-NEXT: return %[[T]]
func.func @stacked_again(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.relu %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %p = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %v:2 = fxgraph.unbind %p dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %q = fxgraph.stack %v#0, %v#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %q : tensor<2x3xf32>
}

// Stacked and unbound along different dimensions: rows in, columns out.
// CHECK-LABEL: func @other_dims
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[T]] dims [1, 0]
// CHECK-NEXT: return %[[P]]
func.func @other_dims(%x: tensor<3x2xf32>) -> tensor<2x3xf32> {
  %p:3 = fxgraph.unbind %x dim 0 : (tensor<3x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#1, %p#2 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %t = fxgraph.tanh %s : tensor<3x2xf32>
  %u:2 = fxgraph.unbind %t dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// One value is returned twice after all, but cloned; so would be an argument.
// CHECK-LABEL: func @returned
// CHECK: %[[T:.*]] = fxgraph.tanh
// CHECK: %[[C:.*]] = fxgraph.clone %[[T]]
// CHECK-NEXT: return %[[T]], %[[C]]
func.func @returned(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %p = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %q = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %p, %q : tensor<2x3xf32>, tensor<2x3xf32>
}

// A symbol beside the batched dimension.
// CHECK-LABEL: func @symbol
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh %{{.*}} : tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
// CHECK-NEXT: return %[[T]]
#s = #fxgraph.meta<dims = [s0]>
func.func @symbol(%x: tensor<2x?xf32, #s>) -> tensor<2x?xf32, #s> {
  %p:2 = fxgraph.unbind %x dim 0 : (tensor<2x?xf32, #s>) -> (tensor<?xf32, #s>, tensor<?xf32, #s>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<?xf32, #s>, tensor<?xf32, #s>) -> tensor<2x?xf32, #s>
  %t = fxgraph.tanh %s : tensor<2x?xf32, #s>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x?xf32, #s>) -> (tensor<?xf32, #s>, tensor<?xf32, #s>)
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<?xf32, #s>, tensor<?xf32, #s>) -> tensor<2x?xf32, #s>
  return %r : tensor<2x?xf32, #s>
}
