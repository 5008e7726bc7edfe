// RUN: fx-opt %s --fxgraph-splitcat-merge-stack-tanh-unbind --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// REPORT-NOT: merge_stack_tahn_unbind_pass

// CHECK-LABEL: func @other_order
// CHECK: fxgraph.stack
// CHECK: fxgraph.stack
func.func @other_order(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %r = fxgraph.stack %u#1, %u#0 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @some
// CHECK: fxgraph.stack
// CHECK: fxgraph.cat
func.func @some(%x: tensor<3x3xf32>) -> tensor<6xf32> {
  %p:3 = fxgraph.unbind %x dim 0 : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %s = fxgraph.stack %p#0, %p#1, %p#1 dim 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<3x3xf32>
  %t = fxgraph.tanh %s : tensor<3x3xf32>
  %u:3 = fxgraph.unbind %t dim 0 : (tensor<3x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %r = fxgraph.cat %u#1, %u#2 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %r : tensor<6xf32>
}

// Somebody else needs the batched value: no chain, and no word.
// CHECK-LABEL: func @other_user
// CHECK: fxgraph.stack
// CHECK: fxgraph.stack
func.func @other_user(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %n = fxgraph.neg %t : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r, %n : tensor<2x3xf32>, tensor<2x3xf32>
}

// Two tensor operands; no pointwise op at all.
// CHECK-LABEL: func @no_chain
// CHECK-COUNT-4: fxgraph.stack
func.func @no_chain(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.add %s, %a : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %p = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %v:2 = fxgraph.unbind %p dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %q = fxgraph.stack %v#0, %v#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r, %q : tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.stack
// CHECK: fxgraph.stack
func.func @opaque_writes(%a: tensor<3xf32>, %b: tensor<3xf32>) -> tensor<2x3xf32> {
  %s = fxgraph.stack %a, %b dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %r = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %o = fxgraph.opaque "custom.add_.default"(%r) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %o : tensor<2x3xf32>
}

// Pieces of two unbinds in front; something between behind.
// CHECK-LABEL: func @from_elsewhere
// CHECK: fxgraph.stack
// CHECK: fxgraph.stack
func.func @from_elsewhere(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %p:2 = fxgraph.unbind %a dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %q:2 = fxgraph.unbind %b dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  // expected-remark @below {{the pieces are not in order or not all there}}
  %s = fxgraph.stack %p#0, %q#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %t = fxgraph.tanh %s : tensor<2x3xf32>
  %u:2 = fxgraph.unbind %t dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %n = fxgraph.neg %u#0 : tensor<3xf32>
  // expected-remark @below {{the pieces are not in order or not all there}}
  %r = fxgraph.stack %n, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}
