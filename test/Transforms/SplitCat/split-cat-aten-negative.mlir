// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-splitcat-split-cat-aten="threshold-to-cat=3" --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.slice

!x = tensor<2x6xf32>
!p = tensor<2x2xf32>

func.func @short(%x: !x) -> tensor<2x4xf32> {
  %a:3 = fxgraph.split_with_sizes %x sizes [2, 2, 2] dim 1 : (!x) -> (!p, !p, !p)
  // expected-remark@below {{no run of neighbouring pieces is long enough}}
  %r = fxgraph.cat %a#0, %a#1 dim 1 : (!p, !p) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// -----

!x = tensor<2x2x2xf32>
!p = tensor<2x1x2xf32>

func.func @across(%x: !x) -> tensor<2x1x4xf32> {
  %a:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 1 : (!x) -> (!p, !p)
  // expected-remark@below {{split and cat are along different dimensions}}
  %r = fxgraph.cat %a#0, %a#1 dim 2 : (!p, !p) -> tensor<2x1x4xf32>
  return %r : tensor<2x1x4xf32>
}

// -----

!x = tensor<2x?xf32>
!p = tensor<2x2xf32>

func.func @not_known(%x: !x) -> !x {
  %a:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (!x) -> (!p, !p)
  // expected-remark@below {{the extent of the input is not known}}
  %c = fxgraph.cat %a#0, %a#1 dim 1 : (!p, !p) -> tensor<2x4xf32>
  %s = fxgraph.sum %c dims [] keepdim false : (tensor<2x4xf32>) -> tensor<f32>
  %r = fxgraph.add %x, %s : (!x, tensor<f32>) -> !x
  return %r : !x
}

// -----

!x = tensor<2x4xf32>
!p = tensor<2x2xf32>

func.func @written(%x: !x) -> tensor<f32> {
  %a:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (!x) -> (!p, !p)
  // expected-remark@below {{an unknown op may write to the result}}
  %c = fxgraph.cat %a#0, %a#1 dim 1 : (!p, !p) -> !x
  %o = fxgraph.opaque "custom.fill_.default"(%c) : (!x) -> tensor<f32>
  return %o : tensor<f32>
}
