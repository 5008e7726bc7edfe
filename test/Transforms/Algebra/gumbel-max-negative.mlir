// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-algebra-gumbel-max))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-algebra-gumbel-max{numerics=reassociate}))' | FileCheck %s

// CHECK-NOT: fxgraph.log

func.func @softmax_over_other_dim(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>) {
  // expected-remark@below {{the softmax is not over the last dimension}}
  %p = fxgraph.softmax %l dim 0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i : tensor<4x1xi64>
}

// -----

func.func @other_rate(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the rate of the draw is not 1}}
  %e = fxgraph.exponential rate 2.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i : tensor<4x1xi64>
}

// -----

func.func @rounded_quotient(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  // expected-remark@below {{the quotient rounds}}
  %q = fxgraph.div %p, %e rounding_mode "floor" : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i : tensor<4x1xi64>
}

// -----

func.func @argmax_over_other_dim(%l: tensor<4x8xf32>) -> (tensor<1x8xi64>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the argmax is not over the last dimension}}
  %i = fxgraph.argmax %q dim 0 keepdim true : (tensor<4x8xf32>) -> tensor<1x8xi64>
  return %i : tensor<1x8xi64>
}

// -----

func.func @dimension_dropped(%l: tensor<4x8xf32>) -> (tensor<4xi64>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the argmax drops the dimension}}
  %i = fxgraph.argmax %q dim -1  : (tensor<4x8xf32>) -> tensor<4xi64>
  return %i : tensor<4xi64>
}

// -----

func.func @draw_broadcasts(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the draw is not known to have the shape of the quotient}}
  %e = fxgraph.exponential rate 1.0 : tensor<1x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i : tensor<4x1xi64>
}

// -----

func.func @probabilities_used(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>, tensor<4x8xf32>) {
  // expected-remark@below {{the result has other users}}
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i, %p : tensor<4x1xi64>, tensor<4x8xf32>
}

// -----

func.func @draw_used(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>, tensor<4x8xf32>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // expected-remark@below {{the result has other users}}
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i, %e : tensor<4x1xi64>, tensor<4x8xf32>
}

// -----

func.func @quotient_used(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>, tensor<4x8xf32>) {
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  // expected-remark@below {{the result has other users}}
  %q = fxgraph.div %p, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i, %q : tensor<4x1xi64>, tensor<4x8xf32>
}

// -----

// No softmax; a number in the place of the draw.
func.func @other_producers(%l: tensor<4x8xf32>) -> (tensor<4x1xi64>, tensor<4x1xi64>) {
  %e = fxgraph.exponential rate 1.0 : tensor<4x8xf32>
  %s = fxgraph.sigmoid %l : tensor<4x8xf32>
  %q = fxgraph.div %s, %e : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %i = fxgraph.argmax %q dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  %p = fxgraph.softmax %l dim -1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %f = fxgraph.full 2.0 : tensor<4x8xf32>
  %r = fxgraph.div %p, %f : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %j = fxgraph.argmax %r dim -1 keepdim true : (tensor<4x8xf32>) -> tensor<4x1xi64>
  return %i, %j : tensor<4x1xi64>, tensor<4x1xi64>
}
