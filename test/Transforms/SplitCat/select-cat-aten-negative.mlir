// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-splitcat-select-cat-aten --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.reshape

!x = tensor<3x3x3xf32>
!r = tensor<3x3xf32>

func.func @permuted(%x: !x) -> tensor<3x9xf32> {
  %0 = fxgraph.select %x dim 1 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 1 at 1 : (!x) -> !r
  %2 = fxgraph.select %x dim 1 at 2 : (!x) -> !r
  // expected-remark@below {{the selects are not in order}}
  %c = fxgraph.cat %1, %0, %2 dim 1 : (!r, !r, !r) -> tensor<3x9xf32>
  return %c : tensor<3x9xf32>
}

// -----

!x = tensor<3x3x3xf32>
!r = tensor<3x3xf32>

func.func @repeated(%x: !x) -> tensor<3x9xf32> {
  %0 = fxgraph.select %x dim 1 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 1 at 1 : (!x) -> !r
  // expected-remark@below {{the selects are not in order}}
  %c = fxgraph.cat %0, %1, %1 dim 1 : (!r, !r, !r) -> tensor<3x9xf32>
  return %c : tensor<3x9xf32>
}

// -----

!x = tensor<3x3x3xf32>
!r = tensor<3x3xf32>

func.func @missing(%x: !x) -> tensor<3x6xf32> {
  %0 = fxgraph.select %x dim 1 at 0 : (!x) -> !r
  %1 = fxgraph.select %x dim 1 at 1 : (!x) -> !r
  // expected-remark@below {{the selects are not all there are, or how many there are is not known}}
  %c = fxgraph.cat %0, %1 dim 1 : (!r, !r) -> tensor<3x6xf32>
  return %c : tensor<3x6xf32>
}

// -----

!x = tensor<2x2x2xf32>
!r = tensor<2x2xf32>

// From two values; along two dimensions; along another dimension than the cat's.
func.func @elsewhere(%x: !x, %y: !x) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.select %x dim 1 at 0 : (!x) -> !r
  %1 = fxgraph.select %y dim 1 at 1 : (!x) -> !r
  // expected-remark@below {{the selects are not along one dimension of one value}}
  %c = fxgraph.cat %0, %1 dim 1 : (!r, !r) -> tensor<2x4xf32>
  %2 = fxgraph.select %x dim 2 at 1 : (!x) -> !r
  // expected-remark@below {{the selects are not along one dimension of one value}}
  %d = fxgraph.cat %0, %2 dim 1 : (!r, !r) -> tensor<2x4xf32>
  %3 = fxgraph.select %x dim 0 at 0 : (!x) -> !r
  %4 = fxgraph.select %x dim 0 at 1 : (!x) -> !r
  // expected-remark@below {{selects and cat are along different dimensions}}
  %e = fxgraph.cat %3, %4 dim 1 : (!r, !r) -> tensor<2x4xf32>
  return %c, %d, %e : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// The extent might be 2, or not.
func.func @not_known(%x: tensor<?x4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<?x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<?x4xf32>) -> tensor<4xf32>
  // expected-remark@below {{how many there are is not known}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// -----

func.func @written(%x: tensor<2x4xf32>) -> tensor<f32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<2x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<2x4xf32>) -> tensor<4xf32>
  // expected-remark@below {{an unknown op may write to the result}}
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %o = fxgraph.opaque "custom.fill_.default"(%c) : (tensor<8xf32>) -> tensor<f32>
  return %o : tensor<f32>
}

// -----

// One operand is no select.
func.func @others(%x: tensor<2x4xf32>, %y: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<2x4xf32>) -> tensor<4xf32>
  %c = fxgraph.cat %0, %y dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}
