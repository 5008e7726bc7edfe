// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of indexing by tensors.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @index_type_c1_mask(%x: tensor<4x5xf32>, %i: tensor<4xi1>) {
  // expected-error @+2 {{expected indices of type i32 or i64 but got 'i1'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [0] : (tensor<4x5xf32>, tensor<4xi1>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_type_c1_narrow(%x: tensor<4x5xf32>, %i: tensor<2x5xi16>) {
  // expected-error @+2 {{expected indices of type i32 or i64 but got 'i16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<2x5xi16>) -> tensor<2x5xf32>
  return
}

// -----

func.func @index_type_c1_bytes(%w: tensor<10x4xf32>, %i: tensor<2xui8>) {
  // expected-error @+2 {{expected indices of type i32 or i64 but got 'ui8'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.embedding %w, %i : (tensor<10x4xf32>, tensor<2xui8>) -> tensor<2x4xf32>
  return
}

// -----

func.func @uniform_c2_index(%x: tensor<4x5xf32, #fxgraph.meta<device = "cuda:1">>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected operands on one device but got cuda:1 and the module's}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [0] : (tensor<4x5xf32, #fxgraph.meta<device = "cuda:1">>, tensor<2xi64>) -> tensor<2x5xf32, #fxgraph.meta<device = "cuda:1">>
  return
}

// -----

func.func @index_c1_none(%x: tensor<4xf32>) {
  // expected-error @+2 {{expected at least one index tensor but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.index"(%x) <{dims = array<i64>}> : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @index_c2_dims(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected one dim for each of the 1 index tensor(s) but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [0, 1] : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_c3_range(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected dims in [0, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [2] : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_c3_negative(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected dims in [0, 1] but got -1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [-1] : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<4x2xf32>
  return
}

// -----

func.func @index_c3_scalar(%x: tensor<f32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected dims in [0, -1] but got 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [0] : (tensor<f32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_c3_order(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %j: tensor<2xi64>) {
  // expected-error @+2 {{expected ascending dims but got 1 before 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i, %j] dims [1, 0] : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @index_c3_twice(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %j: tensor<2xi64>, %v: tensor<f32>) {
  // expected-error @+2 {{expected ascending dims but got 0 before 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_put %x[%i, %j] dims [0, 0], %v : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_c4_broadcast(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %j: tensor<3xi64>) {
  // expected-error @+2 {{expected shapes that broadcast but got extents 2 and 3 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i, %j] dims [0, 1] : (tensor<4x5xf32>, tensor<2xi64>, tensor<3xi64>) -> tensor<3xf32>
  return
}

// -----

func.func @index_c5_empty(%x: tensor<0x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected indexed dimensions of extent > 0 but got 0 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index %x[%i] dims [0] : (tensor<0x5xf32>, tensor<2xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @index_put_c1_dtype(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %v: tensor<2x5xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4x5xf32>, tensor<2xi64>, tensor<2x5xbf16>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_put_c2_shape(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %v: tensor<2x4xf32>) {
  // expected-error @+2 {{expected values that broadcasts to [2, 5] but got [2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4x5xf32>, tensor<2xi64>, tensor<2x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_put_c2_rank(%x: tensor<4x5xf32>, %i: tensor<2xi64>, %v: tensor<1x2x5xf32>) {
  // expected-error @+2 {{expected values that broadcasts to [2, 5] but got [1, 2, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4x5xf32>, tensor<2xi64>, tensor<1x2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_select_c1_rank(%x: tensor<4x5xf32>, %i: tensor<2x2xi64>) {
  // expected-error @+2 {{expected index of rank 0 or 1 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_select %x, %i dim 0 : (tensor<4x5xf32>, tensor<2x2xi64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @along_dim_c1_index_select(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_select %x, %i dim 2 : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @along_dim_c1_gather(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got -3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.gather %x, %i dim -3 : (tensor<4x5xf32>, tensor<2x5xi64>) -> tensor<2x5xf32>
  return
}

// -----

func.func @along_dim_c1_scatter(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<2x5xf32>) {
  // expected-error @+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter %x, %i, %s dim 2 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @index_select_c2_scalar(%x: tensor<f32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected number of indices into a tensor of rank 0 to be 1 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.index_select %x, %i dim 0 : (tensor<f32>, tensor<2xi64>) -> tensor<f32>
  return
}

// -----

func.func @gather_c1_rank(%x: tensor<4x5xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected index of the rank of input, 2, but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}

// -----

func.func @gather_c1_scatter_src(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<2xf32>) {
  // expected-error @+2 {{expected index of the rank of src, 1, but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter %x, %i, %s dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @gather_c2_extent(%x: tensor<4x5xf32>, %i: tensor<9x6xi64>) {
  // expected-error @+2 {{expected index of extent <= 5 (input) in dimension 1 but got 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.gather %x, %i dim 0 : (tensor<4x5xf32>, tensor<9x6xi64>) -> tensor<9x6xf32>
  return
}

// -----

func.func @gather_c2_scatter(%x: tensor<4x5xf32>, %i: tensor<2x6xi64>, %s: tensor<2x6xf32>) {
  // expected-error @+2 {{expected index of extent <= 5 (input) in dimension 1 but got 6}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter_add %x, %i, %s dim 0 : (tensor<4x5xf32>, tensor<2x6xi64>, tensor<2x6xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scatter_c1_dtype(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<2x5xf64>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'f64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter %x, %i, %s dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf64>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scatter_c2_source(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<1x5xf32>) {
  // expected-error @+2 {{expected index of extent <= 1 (src) in dimension 0 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter %x, %i, %s dim 0 : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<1x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scatter_reduce_c1_name(%x: tensor<4x5xf32>, %i: tensor<2x5xi64>, %s: tensor<2x5xf32>) {
  // expected-error @+2 {{expected reduce to be sum, prod, mean, amax or amin but got 'max'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scatter_reduce %x, %i, %s dim 0 reduce "max" : (tensor<4x5xf32>, tensor<2x5xi64>, tensor<2x5xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @embedding_c1_rank(%w: tensor<10xf32>, %i: tensor<2xi64>) {
  // expected-error @+2 {{expected weight of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.embedding %w, %i : (tensor<10xf32>, tensor<2xi64>) -> tensor<2xf32>
  return
}
