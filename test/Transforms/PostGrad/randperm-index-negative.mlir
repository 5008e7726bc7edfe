// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-randperm-index --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: unsafe

!x = tensor<4x2xf32>
!y = tensor<3x2xf32>
!i = tensor<3xi64>

// More numbers than rows, or perhaps; rows that are replaced; two indices; another index; a
// permutation that something was done to.
func.func @near(%x: !x, %y: !y, %j: !i, %n: index) -> (!y, !x, tensor<3xf32>, !y, !y, !y) {
  %p = fxgraph.randperm : tensor<5xi64>
  %i = fxgraph.slice %p dim 0 from 0 to 3 : (tensor<5xi64>) -> !i
  // expected-remark@below {{the permutation is not known to be of as many numbers as there are rows}}
  %0 = fxgraph.index %x[%i] dims [0] : (!x, !i) -> !y
  %q = fxgraph.randperm : tensor<4xi64>
  %k = fxgraph.slice %q dim 0 from 0 to 3 : (tensor<4xi64>) -> !i
  // expected-remark@below {{the rows are replaced, not added to}}
  %1 = fxgraph.index_put %x[%k] dims [0], %y : (!x, !i, !y) -> !x
  %2 = fxgraph.index %x[%k, %j] dims [0, 1] : (!x, !i, !i) -> tensor<3xf32>
  %3 = fxgraph.index %x[%j] dims [0] : (!x, !i) -> !y
  %m = fxgraph.bitwise_and %k, %j : (!i, !i) -> !i
  %4 = fxgraph.index %x[%m] dims [0] : (!x, !i) -> !y
  %s = fxgraph.randperm sizes %n : tensor<?xi64>
  %t = fxgraph.slice %s dim 0 from 0 to 3 : (tensor<?xi64>) -> tensor<?xi64>
  // expected-remark@below {{the permutation is not known to be of as many numbers as there are rows}}
  %5 = fxgraph.index %x[%t] dims [0] : (!x, tensor<?xi64>) -> tensor<?x2xf32>
  %6 = fxgraph.slice %5 dim 0 from 0 to 3 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  %7 = fxgraph.sum %6 : (tensor<?x2xf32>) -> tensor<f32>
  %8 = fxgraph.add %4, %7 : (!y, tensor<f32>) -> !y
  return %0, %1, %2, %3, %4, %8 : !y, !x, tensor<3xf32>, !y, !y, !y
}
