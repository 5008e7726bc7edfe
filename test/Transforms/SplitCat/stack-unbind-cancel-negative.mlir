// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @missing
// CHECK: fxgraph.stack
func.func @missing(%x: tensor<2x5xf32>) -> tensor<2x3xf32> {
  // expected-remark @below {{a cat or stack does not take all pieces in order}}
  %u:5 = fxgraph.unbind %x dim 1 : (tensor<2x5xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1, %u#2 dim 1 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return %s : tensor<2x3xf32>
}

// CHECK-LABEL: func @permuted
// CHECK: fxgraph.stack
func.func @permuted(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @below {{a cat or stack does not take all pieces in order}}
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#1, %u#0 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// CHECK-LABEL: func @repeated
// CHECK: fxgraph.stack
func.func @repeated(%x: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @below {{a cat or stack does not take all pieces in order}}
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#0 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// CHECK-LABEL: func @two_unbinds
// CHECK: fxgraph.stack
func.func @two_unbinds(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  // expected-remark @below {{a cat or stack does not take all pieces in order}}
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{a cat or stack does not take all pieces in order}}
  %v:2 = fxgraph.unbind %y dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %v#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// CHECK-LABEL: func @other_user
// CHECK: fxgraph.stack
func.func @other_user(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2xf32>) {
  // expected-remark @below {{a piece has users that are neither cat nor stack}}
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s, %u#1 : tensor<2x2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @stack_unbind_other_dim
// CHECK: fxgraph.unbind
func.func @stack_unbind_other_dim(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // expected-remark @below {{stack and unbind are along different dimensions}}
  %u:2 = fxgraph.unbind %s dim 1 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %r = fxgraph.relu %u#0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// A cat joins what is there: its pieces are no operands.
// CHECK-LABEL: func @cat_unbind
// CHECK: fxgraph.unbind
func.func @cat_unbind(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>) -> tensor<2xf32> {
  %s = fxgraph.cat %a, %b dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %u:2 = fxgraph.unbind %s dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %r = fxgraph.relu %u#0 : tensor<2xf32>
  return %r : tensor<2xf32>
}

// An operand with a symbol, a piece without.
// CHECK-LABEL: func @other_type
// CHECK: fxgraph.unbind
func.func @other_type(%a: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %b: tensor<?xf32>) -> tensor<?xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32>) -> tensor<2x?xf32>
  // expected-remark @below {{an operand of the stack and the piece differ in type}}
  %u:2 = fxgraph.unbind %s dim 0 : (tensor<2x?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %r = fxgraph.relu %u#0 : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.unbind
func.func @opaque_writes(%a: tensor<2xf32>) -> tensor<2xf32> {
  %s = fxgraph.stack %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // expected-remark @below {{an unknown op may write to a piece}}
  %u:2 = fxgraph.unbind %s dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %o = fxgraph.opaque "custom.add_.default"(%u#0, %a) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %o : tensor<2xf32>
}
