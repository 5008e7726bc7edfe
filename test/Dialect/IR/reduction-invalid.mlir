// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of reductions, scans, softmax and sorting.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @reduction_c1_range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.sum %x dims [2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @reduction_c1_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected distinct dims but got -1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mean %x dims [1, -1] : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.amax %x dims [1] : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @reduction_c1_argmax(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.argmax %x dim -3 : (tensor<2x3xf32>) -> tensor<2xi64>
  return
}

// -----

func.func @reduction_c1_max_dim(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.max_dim %x dim 2 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xi64>)
  return
}

// -----

func.func @extremum_c1_amax(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.amax %x dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @extremum_c1_amin_all(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.amin %x : (tensor<0x3xf32>) -> tensor<f32>
  return
}

// -----

func.func @extremum_c1_infinite_norm(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.vector_norm %x ord 0x7FF0000000000000 dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @extremum_c1_negative_norm(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.vector_norm %x ord -1.0 dims [0] : (tensor<0x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @extremum_c1_argmax(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.argmax %x dim 0 : (tensor<0x3xf32>) -> tensor<3xi64>
  return
}

// -----

func.func @extremum_c1_argmin_flat(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.argmin %x : (tensor<0x3xf32>) -> tensor<i64>
  return
}

// -----

func.func @extremum_c1_max_dim(%x: tensor<0x3xf32>) {
  // expected-error @+2 {{expected reduced dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.max_dim %x dim 0 : (tensor<0x3xf32>) -> (tensor<3xf32>, tensor<3xi64>)
  return
}

// -----

func.func @arg_reduction_c1_bool(%x: tensor<2x3xi1>) {
  // expected-error @+2 {{expected input of a numeric type but got i1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.argmax %x dim 0 : (tensor<2x3xi1>) -> tensor<3xi64>
  return
}

// -----

func.func @along_dim_c1_softmax(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.softmax %x dim 2 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @along_dim_c1_cumsum(%x: tensor<f32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cumsum %x dim 1 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @along_dim_c1_sort(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.sort %x dim -3 : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xi64>)
  return
}

// -----

func.func @along_dim_c1_topk(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.topk %x k 1 dim 2 : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  return
}

// -----

func.func @topk_c1_large(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected k in [0, 3] but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.topk %x k 4 dim 1 : (tensor<2x3xf32>) -> (tensor<2x4xf32>, tensor<2x4xi64>)
  return
}

// -----

func.func @topk_c1_negative(%x: tensor<2x?xf32>) {
  // expected-error @+2 {{expected k in [0, ?] but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.topk %x k -1 dim 1 : (tensor<2x?xf32>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
  return
}

// -----

func.func @topk_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected k in [0, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.topk %x k 2 dim 0 : (tensor<f32>) -> (tensor<f32>, tensor<i64>)
  return
}

// -----

func.func @result_dtype_integer_sum(%x: tensor<2x3xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3xi64>' are incompatible with return type(s) of operation 'tensor<3xi32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.sum %x dims [0] : (tensor<2x3xi32>) -> tensor<3xi32>
  return
}

// -----

func.func @result_dtype_cumsum(%x: tensor<2x3xi8>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xi64>' are incompatible with return type(s) of operation 'tensor<2x3xi8>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cumsum %x dim 0 : (tensor<2x3xi8>) -> tensor<2x3xi8>
  return
}

// -----

func.func @result_dtype_any(%x: tensor<2x3xui8>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3xui8>' are incompatible with return type(s) of operation 'tensor<3xi1>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.any %x dims [0] : (tensor<2x3xui8>) -> tensor<3xi1>
  return
}

// -----

func.func @operand_dtype_mean(%x: tensor<2x3xi32>) {
  // expected-error @+1 {{operand #0 must be floating-point tensor of floating-point values, but got 'tensor<2x3xi32>'}}
  %r = fxgraph.mean %x dims [0] : (tensor<2x3xi32>) -> tensor<3xi32>
  return
}
