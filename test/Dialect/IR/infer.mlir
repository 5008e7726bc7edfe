// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// What type inference knows about symbols and unknown extents. Every op states a
// wrong result type, so that the error names the inferred one.

func.func @broadcast_symbol_with_one(%x: tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<1x?xf32, #fxgraph.meta<dims = [s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x?xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_symbol_with_itself(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_symbol_with_number(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_two_symbols(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_unknown_with_itself(%x: tensor<?xf32>, %y: tensor<?xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?xf32>, tensor<?xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_unknown_with_one(%x: tensor<?xf32>, %y: tensor<1xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<?xf32>, tensor<1xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @broadcast_empty_with_one(%x: tensor<0xf32>, %y: tensor<1xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<0xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.add %x, %y : (tensor<0xf32>, tensor<1xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @wrapped_number(%x: tensor<?xbf16, #fxgraph.meta<dims = [s0]>>, %y: tensor<f64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xbf16, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<?xbf16, #fxgraph.meta<dims = [s0]>>, tensor<f64>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @wrapped_integer_beside_float(%x: tensor<2xf16>, %y: tensor<i64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf16>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<2xf16>, tensor<i64>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @scalar_beside_scalar(%x: tensor<f64>, %y: tensor<f32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<f32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<f64>, tensor<f32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @device_of_the_tensor(%x: tensor<f64>, %y: tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2xf32, #fxgraph.meta<device = "cuda:1">>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mul %x, %y : (tensor<f64>, tensor<2xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @reshape_symbol_kept_by_minus_one(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<1x?xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [1, -1] : tensor<?xf32, #fxgraph.meta<dims = [s0]>> -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @reshape_product_unknown(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [-1] : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @flatten_symbols(%x: tensor<?x4x5xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flatten %x dims 0 to 1 : (tensor<?x4x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @flatten_around_symbol(%x: tensor<?x4x5xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x20xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flatten %x dims 1 to 2 : (tensor<?x4x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @unflatten_symbol(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unflatten %x dim 0 sizes [-1, 2] : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @permute_symbols(%x: tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x?x?xf32, #fxgraph.meta<dims = [s1, s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.permute %x dims [1, 2, 0] : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @expand_keeps_symbol(%x: tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x?x4xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.expand %x shape [3, -1, 4] : tensor<?x1xf32, #fxgraph.meta<dims = [s0]>> -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @slice_of_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 0 from 1 to 9223372036854775807 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @slice_beside_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 1 from 1 to 9223372036854775807 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @slice_of_all_keeps_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 0 from 0 to 9223372036854775807 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @select_beside_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim 1 at 0 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @pad_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [0, 0, 1, 0] : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @pad_symbol_by_nothing(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [1, 1, 0, 0] : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @pad_symbol_moved(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [1, -1] : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @repeat_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.repeat %x by [1, 2] : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @repeat_symbol_twice(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.repeat %x by [2, 1] : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @split_beside_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>', 'tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.split %x size 3 dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>)
  return
}

// -----

func.func @unbind_beside_symbol(%x: tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>', 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.unbind %x dim 1 : (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>)
  return
}

// -----

func.func @cat_refines(%x: tensor<2x?xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<5x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<2x?xf32>, tensor<3x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @cat_sum_with_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @cat_symbol_and_nothing(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<0x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 0 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @cat_prefers_symbol(%x: tensor<?x2xf32>, %y: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cat %x, %y dim 1 : (tensor<?x2xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @stack_refines(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>, %y: tensor<?x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x?x4xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.stack %x, %y dim 0 : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>, tensor<?x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @linear_symbols(%x: tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %w: tensor<?x?xf32, #fxgraph.meta<dims = [s2, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s2]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x?xf32, #fxgraph.meta<dims = [s2, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @matmul_symbols(%x: tensor<?x2x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %y: tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2x5xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<?x2x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @matmul_batches_broadcast(%x: tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<4x3x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x2x5xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3x5xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @bmm_prefers_number(%x: tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<4x3x5xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x2x5xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.bmm %x, %y : (tensor<?x2x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3x5xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @bmm_prefers_symbol(%x: tensor<?x2x3xf32>, %y: tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2x5xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.bmm %x, %y : (tensor<?x2x3xf32>, tensor<?x3x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @einsum_symbols(%x: tensor<?x?x3xf32, #fxgraph.meta<dims = [s0, s1]>>, %y: tensor<?x3x?xf32, #fxgraph.meta<dims = [s0, s2]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?x?xf32, #fxgraph.meta<dims = [s0, s2, s1]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "bij,bjk->bki", %x, %y : (tensor<?x?x3xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x3x?xf32, #fxgraph.meta<dims = [s0, s2]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @einsum_diagonal_refines(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ii->i", %x : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @attention_symbols(%q: tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, l]>>, %k: tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, s]>>, %v: tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, s]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, l]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, l]>>, tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, s]>>, tensor<?x8x?x64xf32, #fxgraph.meta<dims = [b, s]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @mm_plus_mm_refines(%a: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %b: tensor<3x?xf32>, %c: tensor<2x3xf32>, %d: tensor<3x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x?xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @conv_symbols(%x: tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>, %w: tensor<4x3x3x3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4x?x6xf32, #fxgraph.meta<dims = [s0, ?]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.conv2d %x, %w stride [2, 1] padding [0, 0] dilation [1, 1] : (tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<4x3x3x3xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @conv_transposed_groups_unknown(%x: tensor<?x4x8xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<4x?x3xf32, #fxgraph.meta<dims = [s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?x17xf32, #fxgraph.meta<dims = [s0, ?]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.convolution %x, %w stride [2] padding [0] dilation [1] transposed true output_padding [0] groups 2 : (tensor<?x4x8xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x?x3xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @batch_norm_refines_channels(%x: tensor<2x?xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<2x3xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.batch_norm %x mean %m var %v eps 1.0e-5 : (tensor<2x?xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @layer_norm_refines(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.layer_norm %x over [4] eps 1.0e-5 : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @native_layer_norm_statistics(%x: tensor<?x?x4xf16, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?x4xf16, #fxgraph.meta<dims = [s0, s1]>>', 'tensor<?x?x1xf16, #fxgraph.meta<dims = [s0, s1]>>', 'tensor<?x?x1xf16, #fxgraph.meta<dims = [s0, s1]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:3 = fxgraph.native_layer_norm %x over [4] eps 1.0e-5 : (tensor<?x?x4xf16, #fxgraph.meta<dims = [s0, s1]>>) -> (tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>)
  return
}

// -----

func.func @pool_symbol(%x: tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x?x4xf32, #fxgraph.meta<dims = [s0, ?]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.max_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] dilation [1, 1] : (tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @adaptive_pool_symbol(%x: tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x2x2xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.adaptive_avg_pool2d %x to [2, 2] : (tensor<?x3x?x8xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @sum_keeps_symbol(%x: tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x1xbf16, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.sum %x dims [1] keepdim true : (tensor<?x4xbf16, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @mean_drops_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mean %x dims [0] : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @amax_of_unknown_extent(%x: tensor<?x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.amax %x dims [0] : (tensor<?x4xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @max_dim_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?xf32, #fxgraph.meta<dims = [s0]>>', 'tensor<?xi64, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.max_dim %x dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>)
  return
}

// -----

func.func @topk_of_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<3x4xf32>', 'tensor<3x4xi64>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.topk %x k 3 dim 0 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<9x9x9x9x9x9x9x9xf32>, tensor<9x9x9x9x9x9x9x9xf32>)
  return
}

// -----

func.func @cumsum_bool_symbol(%x: tensor<?x4xi1, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x4xi64, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.cumsum %x dim 0 : (tensor<?x4xi1, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @index_symbols(%x: tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %i: tensor<?x2xi64, #fxgraph.meta<dims = [s2]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?x2x?xf32, #fxgraph.meta<dims = [s0, s2, s1]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [1] : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x2xi64, #fxgraph.meta<dims = [s2]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @index_apart_in_front(%x: tensor<4x5x6xf32>, %i: tensor<?xi64, #fxgraph.meta<dims = [s0]>>, %j: tensor<1xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i, %j] dims [0, 2] : (tensor<4x5x6xf32>, tensor<?xi64, #fxgraph.meta<dims = [s0]>>, tensor<1xi64>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @index_three_adjacent(%x: tensor<4x5x6xf32>, %i: tensor<2xi64>, %j: tensor<3x1xi64>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x3x2xf32>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i, %j] dims [1, 2] : (tensor<4x5x6xf32>, tensor<2xi64>, tensor<3x1xi64>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @index_select_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %i: tensor<?xi64, #fxgraph.meta<dims = [s1]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_select %x, %i dim -1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xi64, #fxgraph.meta<dims = [s1]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @gather_symbol(%x: tensor<4x5xf32>, %i: tensor<?x2xi64, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<?x2xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @embedding_symbols(%w: tensor<?x?xf32, #fxgraph.meta<dims = [v, d]>>, %i: tensor<?xi64, #fxgraph.meta<dims = [s0]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?xf32, #fxgraph.meta<dims = [s0, d]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.embedding %w, %i : (tensor<?x?xf32, #fxgraph.meta<dims = [v, d]>>, tensor<?xi64, #fxgraph.meta<dims = [s0]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @lce_symbols(%x: tensor<?x?x8xf32, #fxgraph.meta<dims = [s0, f]>>, %w: tensor<?x3xf32>, %b: tensor<?xf32, #fxgraph.meta<dims = [n]>>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x?x8xf32, #fxgraph.meta<dims = [s0, n]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w, %b : (tensor<?x?x8xf32, #fxgraph.meta<dims = [s0, f]>>, tensor<?x3xf32>, tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}

// -----

func.func @dot_compress_symbols(%x: tensor<?x?x8xf32, #fxgraph.meta<dims = [s0, f]>>, %w: tensor<3x?xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<?x3x?xf32, #fxgraph.meta<dims = [s0, ?]>>' are incompatible}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.dot_compress %x, %w : (tensor<?x?x8xf32, #fxgraph.meta<dims = [s0, f]>>, tensor<3x?xf32>) -> tensor<9x9x9x9x9x9x9x9xf32>
  return
}
