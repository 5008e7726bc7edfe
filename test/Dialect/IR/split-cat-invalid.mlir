// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the ops that cut and join.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @split_like_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected an input of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.split %x size 1 dim 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @split_like_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.unbind %x dim 1 : (tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
  return
}

// -----

func.func @split_like_c2_split(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{expected a static extent in dim 0 but got 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.split %x size 2 dim 0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2xf32>
  return
}

// -----

func.func @split_like_c2_chunk(%x: tensor<?xf32>) {
  // expected-error @+2 {{expected a static extent in dim 0 but got 'tensor<?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.chunk %x chunks 2 dim 0 : (tensor<?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  return
}

// -----

func.func @split_like_c2_unbind(%x: tensor<?xf32>) {
  // expected-error @+2 {{expected a static extent in dim 0 but got 'tensor<?xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unbind %x dim 0 : (tensor<?xf32>) -> tensor<f32>
  return
}

// -----

func.func @split_like_c3_split(%x: tensor<9223372036854775807xf32>) {
  // expected-error @+2 {{expected at most 1048576 pieces but got 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.split %x size 1 dim 0 : (tensor<9223372036854775807xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @split_like_c3_chunk(%x: tensor<0xf32>) {
  // expected-error @+2 {{expected at most 1048576 pieces but got 9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.chunk %x chunks 9223372036854775807 dim 0 : (tensor<0xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @split_like_c3_unbind(%x: tensor<1048577xf32>) {
  // expected-error @+2 {{expected at most 1048576 pieces but got 1048577}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unbind %x dim 0 : (tensor<1048577xf32>) -> tensor<f32>
  return
}

// -----

func.func @split_c1_zero(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected split_size > 0 but got 0 for extent 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.split %x size 0 dim 0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @split_c1_negative(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected split_size > 0 but got -1 for extent 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.split %x size -1 dim 0 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @split_with_sizes_c1_negative(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected split sizes >= 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.split_with_sizes %x sizes [3, -1] dim 0 : (tensor<2xf32>) -> (tensor<3xf32>, tensor<1xf32>)
  return
}

// -----

func.func @split_with_sizes_c2_sum(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected sizes that sum to 4 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.split_with_sizes %x sizes [1, 2] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<2xf32>)
  return
}

// -----

func.func @split_with_sizes_c2_overflow(%x: tensor<?xf32>) {
  // expected-error @+2 {{expected sizes whose sum fits in int64 but got 9223372036854775807 + 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.split_with_sizes %x sizes [9223372036854775807, 1] dim 0 : (tensor<?xf32>) -> (tensor<9223372036854775807xf32>, tensor<1xf32>)
  return
}

// -----

func.func @split_with_sizes_c2_none(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected sizes that sum to 4 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  fxgraph.split_with_sizes %x sizes [] dim 0 : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @chunk_c1_zero(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected chunks > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.chunk %x chunks 0 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @chunk_c1_negative(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected chunks > 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.chunk %x chunks -1 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @result_count(%x: tensor<10xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>', 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:6 = fxgraph.chunk %x chunks 6 dim 0 : (tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @result_extent(%x: tensor<10xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>', 'tensor<4xf32>', 'tensor<2xf32>' are incompatible with return type(s) of operation 'tensor<4xf32>', 'tensor<4xf32>', 'tensor<4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = fxgraph.split %x size 4 dim 0 : (tensor<10xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @cat_like_c1_cat() {
  // expected-error @+2 {{expected one tensor or more but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.cat"() : () -> tensor<1xf32>
  return
}

// -----

func.func @cat_like_c1_stack() {
  // expected-error @+2 {{expected one tensor or more but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.stack"() : () -> tensor<1xf32>
  return
}

// -----

func.func @cat_c1_scalar(%x: tensor<f32>, %y: tensor<f32>) {
  // expected-error @+2 {{expected tensors of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @cat_c2_dim(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @cat_c3_dtype(%x: tensor<2xf32>, %y: tensor<2xbf16>) {
  // expected-error @+2 {{expected tensors of one element type and device but got 'tensor<2xf32>' and 'tensor<2xbf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xbf16>) -> tensor<4xf32>
  return
}

// -----

func.func @cat_c3_device(%x: tensor<2xf32>, %y: tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected tensors of one element type and device but got 'tensor<2xf32>' and 'tensor<2xf32, #fxgraph.meta<device = "cuda:1">>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<2xf32>, tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<4xf32>
  return
}

// -----

func.func @cat_c4_rank(%x: tensor<2x1xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected tensors of rank 2 but got rank 1 in operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<2x1xf32>, tensor<2xf32>) -> tensor<4x1xf32>
  return
}

// -----

func.func @cat_c4_empty_rank2_is_not_skipped(%x: tensor<0x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{expected extent 3 in dim 1 but got 4 in operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<0x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @cat_c5_extent(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{expected extent 3 in dim 1 but got 4 in operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @cat_c6_sum(%x: tensor<2x5000000000000000000xi8>, %y: tensor<2x4223372036854775808xi8>) {
  // expected-error @+2 {{expected an extent that fits in int64 in dim 1 but got 5000000000000000000 + 4223372036854775808 at operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 1 : (tensor<2x5000000000000000000xi8>, tensor<2x4223372036854775808xi8>) -> tensor<2x?xi8>
  return
}

// -----

// The twin: one element less fits.
func.func @cat_largest(%x: tensor<2x5000000000000000000xi8>, %y: tensor<2x4223372036854775807xi8>) {
  %r = fxgraph.cat %x, %y dim 1 : (tensor<2x5000000000000000000xi8>, tensor<2x4223372036854775807xi8>) -> tensor<2x9223372036854775807xi8>
  return
}

// -----

func.func @stack_c1_dim(%x: tensor<2xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.stack %x, %y dim 2 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @stack_c2_shape(%x: tensor<2xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{expected tensors of type 'tensor<2xf32>' but got 'tensor<3xf32>' in operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.stack %x, %y dim 0 : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @stack_c2_dtype(%x: tensor<2xf32>, %y: tensor<2xbf16>) {
  // expected-error @+2 {{expected tensors of type 'tensor<2xf32>' but got 'tensor<2xbf16>' in operand 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.stack %x, %y dim 0 : (tensor<2xf32>, tensor<2xbf16>) -> tensor<2x2xf32>
  return
}
