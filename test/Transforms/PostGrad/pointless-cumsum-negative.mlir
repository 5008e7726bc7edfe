// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-pointless-cumsum --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.expand

func.func @not_known(%n: index) -> tensor<?x2xf32> {
  %a = fxgraph.full 1.0 sizes %n : tensor<?x2xf32>
  // expected-remark@below {{an extent is not known}}
  %0 = fxgraph.cumsum %a dim 0 : (tensor<?x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// Doubles count no further.
func.func @large() -> tensor<1000xi64> {
  %a = fxgraph.full 9007199254740000.0 : tensor<1000xi64>
  // expected-remark@below {{the sums are beyond 2^53}}
  %0 = fxgraph.cumsum %a dim 0 : (tensor<1000xi64>) -> tensor<1000xi64>
  return %0 : tensor<1000xi64>
}

// -----

// One number, and a slice of another in it; a range; a product.
func.func @not_uniform(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = fxgraph.full 1.0 : tensor<3xf32>
  %b = fxgraph.full 2.0 : tensor<1xf32>
  %s = fxgraph.slice_scatter %a, %b dim 0 from 0 to 1 : (tensor<3xf32>, tensor<1xf32>) -> tensor<3xf32>
  %0 = fxgraph.cumsum %s dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %r = fxgraph.arange from 0.0 : tensor<3xf32>
  %1 = fxgraph.cumsum %r dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %2 = fxgraph.cumprod %a dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}
