// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the ops that move data.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @sizes_c1_reshape(%x: tensor<?xf32>, %n: index) {
  // expected-error @+2 {{expected 2 size operand(s) but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [%n, -9223372036854775808] : tensor<?xf32> -> tensor<?x?xf32>
  return
}

// -----

func.func @sizes_c1_reshape_generic(%x: tensor<?xf32>, %n: index) {
  // expected-error @+2 {{expected 0 size operand(s) but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.reshape"(%x, %n) <{shape = array<i64: 2, 3>}> : (tensor<?xf32>, index) -> tensor<2x3xf32>
  return
}

// -----

func.func @sizes_c1_expand_generic(%x: tensor<1xf32>) {
  // expected-error @+2 {{expected 1 size operand(s) but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.expand"(%x) <{shape = array<i64: -9223372036854775808>}> : (tensor<1xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @reshape_c1_two_unknown(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected at most one -1 in shape but got two}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [-1, -1] : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_c2_negative(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected extents >= 0 or -1 in shape but got -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.view %x shape [-2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  return
}

// -----

func.func @reshape_c3_count(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected a shape of 4 elements but got 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [2, 3] : tensor<4xf32> -> tensor<2x3xf32>
  return
}

// -----

func.func @reshape_c3_divides(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected 4 elements to divide by 3 to infer the -1 in shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.view %x shape [3, -1] : tensor<4xf32> -> tensor<3x1xf32>
  return
}

// -----

func.func @reshape_c3_empty(%x: tensor<0xf32>) {
  // expected-error @+2 {{expected 0 elements to divide by 0 to infer the -1 in shape}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.reshape %x shape [0, -1] : tensor<0xf32> -> tensor<0x0xf32>
  return
}

// -----

func.func @reshape_c3_unflatten(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected a shape of 4 elements but got 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unflatten %x dim 0 sizes [2, 3] : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @flatten_c1_start(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected start_dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flatten %x dims 2 to -1 : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @flatten_c1_end(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected end_dim in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flatten %x dims 0 to -3 : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @flatten_c2_order(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected start_dim <= end_dim but got 1 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flatten %x dims 1 to 0 : (tensor<2x3xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @unflatten_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected an input of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unflatten %x dim 0 sizes [1] : (tensor<f32>) -> tensor<1xf32>
  return
}

// -----

func.func @unflatten_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unflatten %x dim 1 sizes [1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unflatten_c2_no_sizes(%x: tensor<1xf32>) {
  // expected-error @+2 {{expected one size or more but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unflatten %x dim 0 sizes [] : (tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @permute_c1_count(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected 2 dims but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.permute %x dims [0] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @permute_c2_range(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.permute %x dims [0, 2] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @permute_c2_twice(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected distinct dims but got -1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.permute %x dims [1, -1] : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @transpose_c1_dim0(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim0 in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose %x dims 2, 0 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @transpose_c1_dim1(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected dim1 in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose %x dims 0, -3 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @squeeze_c1_range(%x: tensor<1xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.squeeze %x dims [1] : (tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @squeeze_c1_twice(%x: tensor<1xf32>) {
  // expected-error @+2 {{expected distinct dims but got -1 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.squeeze %x dims [0, -1] : (tensor<1xf32>) -> tensor<f32>
  return
}

// -----

func.func @squeeze_c2_dynamic(%x: tensor<?x2xf32>) {
  // expected-error @+2 {{expected static extents in the squeezed dims but got 'tensor<?x2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.squeeze %x dims [0] : (tensor<?x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @unsqueeze_c1_range(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.unsqueeze %x dim 2 : (tensor<2xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @expand_c1_rank(%x: tensor<1x2xf32>) {
  // expected-error @+2 {{expected a shape of rank 2 or more but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.expand %x shape [2] : tensor<1x2xf32> -> tensor<2xf32>
  return
}

// -----

func.func @expand_c2_new_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected an extent >= 0 for the new dim 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.expand %x shape [-1, 2] : tensor<2xf32> -> tensor<1x2xf32>
  return
}

// -----

func.func @expand_c2_negative(%x: tensor<1xf32>) {
  // expected-error @+2 {{expected extents >= 0 or -1 in shape but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.expand %x shape [-3] : tensor<1xf32> -> tensor<1xf32>
  return
}

// -----

func.func @expand_c3_extent(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected extent 1 or 4 in dim 0 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.expand %x shape [4] : tensor<2xf32> -> tensor<4xf32>
  return
}

// -----

func.func @repeat_c1_count(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected 2 repeats or more but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.repeat %x by [2] : (tensor<2x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @repeat_c2_negative(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected repeats >= 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.repeat %x by [-1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected an input of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 0 from 0 to 1 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @slice_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 1 from 0 to 1 : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @slice_c2_step(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected step > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 0 from 0 to 1 step 0 : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_c2_negative_step(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected step > 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice %x dim 0 from 0 to 1 step -1 : (tensor<2xf32>) -> tensor<1xf32>
  return
}

// -----

func.func @slice_c2_scatter(%x: tensor<2xf32>, %y: tensor<1xf32>) {
  // expected-error @+2 {{expected step > 0 but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice_scatter %x, %y dim 0 from 0 to 1 step 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @narrow_c1_scalar(%x: tensor<f32>, %n: index) {
  // expected-error @+2 {{expected an input of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.narrow %x dim 0 from %n length %n : tensor<f32> -> tensor<f32>
  return
}

// -----

func.func @narrow_c1_dim(%x: tensor<2xf32>, %n: index) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.narrow %x dim 1 from %n length %n : tensor<2xf32> -> tensor<?xf32>
  return
}

// -----

func.func @select_c1_scalar(%x: tensor<f32>) {
  // expected-error @+2 {{expected an input of rank 1 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim 0 at 0 : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @select_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got -2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim -2 at 0 : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @select_c2_index(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected index in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim 0 at 2 : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @select_c2_negative_index(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected index in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim 0 at -3 : (tensor<2xf32>) -> tensor<f32>
  return
}

// -----

func.func @select_c2_empty(%x: tensor<0xf32>) {
  // expected-error @+2 {{expected index in [0, -1] but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select %x dim 0 at 0 : (tensor<0xf32>) -> tensor<f32>
  return
}

// -----

func.func @flip_c1_twice(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected distinct dims but got 0 twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flip %x dims [0, 0] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @flip_c1_range(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.flip %x dims [1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @roll_c1_count(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected 1 shift(s) but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.roll %x by [1, 2] dims [0] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @roll_c1_flat(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected 1 shift(s) but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.roll %x by [1, 2] dims [] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @roll_c2_range(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected dim in [-1, 0] but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.roll %x by [1] dims [1] : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @constant_pad_nd_c1_odd(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected pairs for at most 1 dims in pad but got 1 numbers}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [1] : (tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @constant_pad_nd_c1_too_many(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected pairs for at most 1 dims in pad but got 4 numbers}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [1, 1, 1, 1] : (tensor<2xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @constant_pad_nd_c2_crop(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected a padded extent >= 0 in dim 0 but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [-2, -1] : (tensor<2xf32>) -> tensor<0xf32>
  return
}

// -----

func.func @constant_pad_nd_c3_extent(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected a padded extent that fits in int64 in dim 0 but got 2 padded by 9223372036854775806 and 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [9223372036854775806, 0] : (tensor<2xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @constant_pad_nd_c3_amount(%x: tensor<?xf32>) {
  // expected-error @+2 {{expected a padded extent that fits in int64 in dim 0 but got ? padded by 9223372036854775807 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [9223372036854775807, 1] : (tensor<?xf32>) -> tensor<?xf32>
  return
}

// -----

func.func @constant_pad_nd_c3_crop(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected a padded extent that fits in int64 in dim 0 but got 2 padded by -9223372036854775807 and -9223372036854775807}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.constant_pad_nd %x by [-9223372036854775807, -9223372036854775807] : (tensor<2xf32>) -> tensor<?xf32>
  return
}

// -----

// The twin: the largest extent there is.
func.func @constant_pad_nd_largest(%x: tensor<2xf32>) {
  %r = fxgraph.constant_pad_nd %x by [9223372036854775800, 5] : (tensor<2xf32>) -> tensor<9223372036854775807xf32>
  return
}

// -----

func.func @triangle_c1_triu(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected an input of rank 2 or more but got 'tensor<2xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.triu %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @triangle_c1_tril(%x: tensor<f32>) {
  // expected-error @+2 {{expected an input of rank 2 or more but got 'tensor<f32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.tril %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @scatter_source_c1_shape(%x: tensor<4xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{expected src of type 'tensor<2xf32>' but got 'tensor<3xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.slice_scatter %x, %y dim 0 from 0 to 2 : (tensor<4xf32>, tensor<3xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @scatter_source_c1_dtype(%x: tensor<4xf32>, %y: tensor<bf16>) {
  // expected-error @+2 {{expected src of type 'tensor<f32>' but got 'tensor<bf16>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.select_scatter %x, %y dim 0 at 1 : (tensor<4xf32>, tensor<bf16>) -> tensor<4xf32>
  return
}

// -----

func.func @view_dtype_c1(%x: tensor<4xf4E2M1FN>) {
  // expected-error @+1 {{expected dtypes of whole bytes but got 'tensor<4xf4E2M1FN>' and 'tensor<4xi8>'}}
  %r = fxgraph.view_dtype %x : tensor<4xf4E2M1FN> to tensor<4xi8>
  return
}

// -----

func.func @view_dtype_c1_part_of_a_byte(%x: tensor<4xi12>) {
  // expected-error @+1 {{expected dtypes of whole bytes but got 'tensor<4xi12>' and 'tensor<4xui8>'}}
  %r = fxgraph.view_dtype %x : tensor<4xi12> to tensor<4xui8>
  return
}

// -----

func.func @view_dtype_c1_index(%x: tensor<4xindex>) {
  // expected-error @+1 {{expected dtypes of whole bytes but got 'tensor<4xindex>' and 'tensor<4xi64>'}}
  %r = fxgraph.view_dtype %x : tensor<4xindex> to tensor<4xi64>
  return
}

// -----

func.func @view_dtype_c2_overflow(%x: tensor<2305843009213693952xf64>) {
  // expected-error @+1 {{expected a last extent whose bytes 1 divides but got 'tensor<2305843009213693952xf64>'}}
  %r = fxgraph.view_dtype %x : tensor<2305843009213693952xf64> to tensor<?xi8>
  return
}

// -----

func.func @view_dtype_c2_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{expected rank >= 1 for dtypes of different widths but got 'tensor<f32>'}}
  %r = fxgraph.view_dtype %x : tensor<f32> to tensor<f16>
  return
}

// -----

func.func @view_dtype_c2_bytes(%x: tensor<2x3xf16>) {
  // expected-error @+1 {{expected a last extent whose bytes 4 divides but got 'tensor<2x3xf16>'}}
  %r = fxgraph.view_dtype %x : tensor<2x3xf16> to tensor<2x1xf32>
  return
}

// -----

func.func @view_dtype_c2_shape(%x: tensor<2x4xf16>) {
  // expected-error @+1 {{expected result of shape [2, 2] but got [2, 4]}}
  %r = fxgraph.view_dtype %x : tensor<2x4xf16> to tensor<2x4xf32>
  return
}
