// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-einsum-to-pointwise{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expected numerics to be exact, reassociate or relaxed but got fast

// CHECK-NOT: fxgraph.unsqueeze

// PyTorch's test of the equation takes this one, which is a diagonal.
func.func @letter_twice(%x: tensor<3x3x3xf32>, %w: tensor<3x3x3x5xf32>) -> tensor<3x3x5xf32> {
  // expected-remark@below {{expected an equation of the form abc,abcd->abd}}
  %0 = fxgraph.einsum "aba,abad->abd", %x, %w : (tensor<3x3x3xf32>, tensor<3x3x3x5xf32>) -> tensor<3x3x5xf32>
  %1 = fxgraph.add %0, %0 : (tensor<3x3x5xf32>, tensor<3x3x5xf32>) -> tensor<3x3x5xf32>
  return %1 : tensor<3x3x5xf32>
}

// -----

!x = tensor<3x3x3xf32>
!w = tensor<3x3x3x3xf32>

func.func @other_equations(%x: !x, %w: !w) -> !x {
  // expected-remark@below {{expected an equation}}
  %0 = fxgraph.einsum "abd,abcd->abc", %x, %w : (!x, !w) -> !x
  // expected-remark@below {{expected an equation}}
  %1 = fxgraph.einsum "abc,abcd->bad", %x, %w : (!x, !w) -> !x
  // expected-remark@below {{expected an equation}}
  %2 = fxgraph.einsum "abcd,abc->abd", %w, %x : (!w, !x) -> !x
  // expected-remark@below {{expected an equation}}
  %3 = fxgraph.einsum "abc,bacd->abd", %x, %w : (!x, !w) -> !x
  // expected-remark@below {{expected an equation}}
  %4 = fxgraph.einsum "...c,...cd->...d", %x, %w : (!x, !w) -> !x
  // expected-remark@below {{expected an equation}}
  %5 = fxgraph.einsum "abcd->abd", %w : (!w) -> !x
  %6 = fxgraph.add %0, %1 : (!x, !x) -> !x
  %7 = fxgraph.add %2, %3 : (!x, !x) -> !x
  %8 = fxgraph.add %4, %5 : (!x, !x) -> !x
  %9 = fxgraph.add %6, %7 : (!x, !x) -> !x
  %10 = fxgraph.add %8, %9 : (!x, !x) -> !x
  return %10 : !x
}

// -----

func.func @integers(%x: tensor<2x3x4xi32>, %w: tensor<2x3x4x5xi32>) -> tensor<2x3x5xi32> {
  // expected-remark@below {{expected floating point: a sum of integers is in 64 bits}}
  %0 = fxgraph.einsum "abc,abcd->abd", %x, %w : (tensor<2x3x4xi32>, tensor<2x3x4x5xi32>) -> tensor<2x3x5xi32>
  %1 = fxgraph.add %0, %0 : (tensor<2x3x5xi32>, tensor<2x3x5xi32>) -> tensor<2x3x5xi32>
  return %1 : tensor<2x3x5xi32>
}

// -----

func.func @no_add(%x: tensor<2x3x4xf32>, %w: tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32> {
  // expected-remark@below {{expected an add among the users}}
  %0 = fxgraph.einsum "abc,abcd->abd", %x, %w : (tensor<2x3x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.mul %0, %0 : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x5xf32>
  return %1 : tensor<2x3x5xf32>
}
