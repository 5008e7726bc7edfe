// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-splitcat-unbind-stack-aten --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: {{permute|return %arg0}}

!x = tensor<2x2x2xf32>
!r = tensor<2x2xf32>

// Unsqueezed along another dimension than the cat's: another tensor. (Inductor does not ask.)
func.func @unsqueezed_elsewhere(%x: !x) -> tensor<4x1x2xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 0 at 1 : (!x) -> !r
  %u = fxgraph.unsqueeze %0 dim 1 : (!r) -> tensor<2x1x2xf32>
  %v = fxgraph.unsqueeze %1 dim 1 : (!r) -> tensor<2x1x2xf32>
  %c = fxgraph.cat %u, %v dim 0 : (tensor<2x1x2xf32>, tensor<2x1x2xf32>) -> tensor<4x1x2xf32>
  return %c : tensor<4x1x2xf32>
}

// -----

!x = tensor<5x2xf32>
!r = tensor<2xf32>

// The first three of five. (Inductor puts the whole in their place.)
func.func @some(%x: !x) -> tensor<3x2xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 0 at 1 : (!x) -> !r
  %2 = fxgraph.select %x dim 0 at 2 : (!x) -> !r
  // expected-remark@below {{the selects are not all there are, or how many there are is not known}}
  %s = fxgraph.stack %0, %1, %2 dim 0 : (!r, !r, !r) -> tensor<3x2xf32>
  return %s : tensor<3x2xf32>
}

// -----

!x = tensor<2x2xf32>
!r = tensor<2xf32>

func.func @order_and_source(%x: !x, %y: !x) -> (!x, !x, !x) {
  %0 = fxgraph.select %x dim 0 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 0 at 1 : (!x) -> !r
  %2 = fxgraph.select %y dim 0 at 1 : (!x) -> !r
  %3 = fxgraph.select %x dim 1 at 1 : (!x) -> !r
  // expected-remark@below {{the selects are not in order}}
  %a = fxgraph.stack %1, %0 dim 0 : (!r, !r) -> !x
  // expected-remark@below {{the selects are not along one dimension of one value}}
  %b = fxgraph.stack %0, %2 dim 0 : (!r, !r) -> !x
  // expected-remark@below {{the selects are not along one dimension of one value}}
  %c = fxgraph.stack %0, %3 dim 0 : (!r, !r) -> !x
  return %a, %b, %c : !x, !x, !x
}

// -----

!x = tensor<2x2xf32>
!r = tensor<2xf32>

func.func @written(%x: !x) -> tensor<f32> {
  %0 = fxgraph.select %x dim 0 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 0 at 1 : (!x) -> !r
  // expected-remark@below {{an unknown op may write to the result}}
  %s = fxgraph.stack %0, %1 dim 0 : (!r, !r) -> !x
  %o = fxgraph.opaque "custom.fill_.default"(%s) : (!x) -> tensor<f32>
  return %o : tensor<f32>
}

// -----

!x = tensor<2x?xf32>
!s = tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>

func.func @other_type(%x: !s) -> !x {
  %0 = fxgraph.select %x dim 0 at 0 : (!s) -> tensor<?xf32>
  %1 = fxgraph.select %x dim 0 at 1 : (!s) -> tensor<?xf32>
  // expected-remark@below {{the result and what the selects are of differ in type}}
  %s = fxgraph.stack %0, %1 dim 0 : (tensor<?xf32>, tensor<?xf32>) -> !x
  return %s : !x
}

// -----

func.func @not_known(%x: tensor<?x2xf32>) -> tensor<2x2xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<?x2xf32>) -> tensor<2xf32>
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<?x2xf32>) -> tensor<2xf32>
  // expected-remark@below {{how many there are is not known}}
  %s = fxgraph.stack %0, %1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}
