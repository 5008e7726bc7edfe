// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of creation, writes and sizes; argument attributes.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @created_c1_full() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.full 0.0 : tensor<?xf32>
  return
}

// -----

func.func @created_c1_full_static(%n: index) {
  // expected-error @+1 {{expected 0 size operand(s) but got 1}}
  %r = fxgraph.full 0.0 sizes %n : tensor<3xf32>
  return
}

// -----

func.func @created_c1_rand() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.rand : tensor<?xf32>
  return
}

// -----

func.func @created_c1_randn(%n: index) {
  // expected-error @+1 {{expected 1 size operand(s) but got 2}}
  %r = fxgraph.randn sizes %n, %n : tensor<?xf32>
  return
}

// -----

func.func @created_c1_arange() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.arange from 0.0 : tensor<?xi64>
  return
}

// -----

func.func @arange_c1_rank() {
  // expected-error @+1 {{expected a result of rank 1 but got 'tensor<2x2xi64>'}}
  %r = fxgraph.arange from 0.0 : tensor<2x2xi64>
  return
}

// -----

func.func @arange_c2_step() {
  // expected-error @+1 {{expected step != 0 but got 0}}
  %r = fxgraph.arange from 0.0 step 0.0 : tensor<2xi64>
  return
}

// -----

func.func @copy_c1_shape(%dst: tensor<3xf32>, %src: tensor<2xf32>) {
  // expected-error @+1 {{expected src of type 'tensor<3xf32>' but got 'tensor<2xf32>'}}
  fxgraph.copy_ %src into %dst : tensor<2xf32>, tensor<3xf32>
  return
}

// -----

func.func @copy_c1_dtype(%dst: tensor<2xf32>, %src: tensor<2xbf16>) {
  // expected-error @+1 {{expected src of type 'tensor<2xf32>' but got 'tensor<2xbf16>'}}
  fxgraph.copy_ %src into %dst : tensor<2xbf16>, tensor<2xf32>
  return
}

// -----

func.func @sym_size_c1_dim(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected dim in [-1, 0] but got 1}}
  %r = fxgraph.sym_size %x dim 1 : tensor<2xf32>
  return
}

// -----

func.func @sym_size_c1_scalar(%x: tensor<f32>) {
  // expected-error @+1 {{expected dim in [0, -1] but got 0}}
  %r = fxgraph.sym_size %x dim 0 : tensor<f32>
  return
}


// -----

func.func @copy_c2_not_an_argument(%src: tensor<2xf32>) {
  %x = fxgraph.relu %src : tensor<2xf32>
  // expected-error @+1 {{expected dst to be an argument of the function}}
  fxgraph.copy_ %src into %x : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// expected-error @+1 {{argument 0: expected fxgraph.memory_order to be a permutation of the dimensions of a tensor but got array<i64: 0, 0>}}
func.func @argument_order(%x: tensor<2x3xf32> {fxgraph.memory_order = array<i64: 0, 0>}) {
  return
}

// -----

// expected-error @+1 {{argument 0: expected fxgraph.memory_order to be a permutation of the dimensions of a tensor but got array<i64: 1, 0, 2>}}
func.func @argument_order_rank(%x: tensor<2x3xf32> {fxgraph.memory_order = array<i64: 1, 0, 2>}) {
  return
}

// -----

// expected-error @+1 {{argument 0: expected fxgraph.kind to be "input", "parameter", "buffer" or "constant" but got "weight"}}
func.func @argument_kind(%x: tensor<2xf32> {fxgraph.kind = "weight"}) {
  return
}

// -----

// expected-error @+1 {{argument 0: expected fxgraph.name to be a string but got 1 : i64}}
func.func @argument_name(%x: tensor<2xf32> {fxgraph.name = 1 : i64}) {
  return
}

// -----

// expected-error @+1 {{expected fxgraph.level to be "torch" or "aten" but got "fx"}}
func.func @graph_level() attributes {fxgraph.level = "fx"} {
  return
}

// -----

// expected-error @+1 {{expected one entry of dims for each of the 2 dynamic extents but got 1}}
func.func @meta_dims_count(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0]>>) {
  return
}

// -----

// expected-error @+1 {{expected one entry of dims for each of the 0 dynamic extents but got 1}}
func.func @meta_dims_static(%x: tensor<2xf32, #fxgraph.meta<dims = [s0]>>) {
  return
}

// -----

// expected-error @+1 {{expected `dims` or `device` but got `shape`}}
func.func @meta_unknown_field(%x: tensor<?xf32, #fxgraph.meta<shape = [s0]>>) {
  return
}

// -----

// expected-error @+1 {{expected `dims` or `device` in #fxgraph.meta}}
func.func @meta_empty(%x: tensor<?xf32, #fxgraph.meta<dims = []>>) {
  return
}

// -----

func.func @created_c1_exponential() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.exponential : tensor<?xf32>
  return
}

// -----

func.func @exponential_c1_zero() {
  // expected-error @+1 {{expected rate > 0 but got 0}}
  %r = fxgraph.exponential rate 0.0 : tensor<2xf32>
  return
}

// -----

func.func @exponential_c1_nan() {
  // expected-error @+1 {{expected rate > 0 but got}}
  %r = fxgraph.exponential rate 0x7FF8000000000000 : tensor<2xf32>
  return
}

// -----

func.func @created_c1_bernoulli() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.bernoulli p 0.5 : tensor<?xi1>
  return
}

// -----

func.func @bernoulli_c1_above() {
  // expected-error @+1 {{expected p in [0, 1] but got 1.5}}
  %r = fxgraph.bernoulli p 1.5 : tensor<2xi1>
  return
}

// -----

func.func @bernoulli_c1_nan() {
  // expected-error @+1 {{expected p in [0, 1] but got}}
  %r = fxgraph.bernoulli p 0x7FF8000000000000 : tensor<2xi1>
  return
}

// -----

func.func @created_c1_randint(%n: index) {
  // expected-error @+1 {{expected 0 size operand(s) but got 1}}
  %r = fxgraph.randint to 2 sizes %n : tensor<3xi64>
  return
}

// -----

func.func @randint_c1_empty() {
  // expected-error @+1 {{expected low < high but got 4 and 4}}
  %r = fxgraph.randint from 4 to 4 : tensor<3xi64>
  return
}

// -----

func.func @created_c1_randperm() {
  // expected-error @+1 {{expected 1 size operand(s) but got 0}}
  %r = fxgraph.randperm : tensor<?xi64>
  return
}

// -----

func.func @randperm_c1_matrix() {
  // expected-error @+1 {{expected a result of rank 1 but got 'tensor<2x2xi64>'}}
  %r = fxgraph.randperm : tensor<2x2xi64>
  return
}

// -----

func.func @opaque_c1_number(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected the number of one of 1 operands in args but got "%1"}}
  %0 = fxgraph.opaque "a.b.c"(%x) args {args = ["%0", ["%1"]]} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @opaque_c1_no_number(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected the number of one of 1 operands in args but got "%x"}}
  %0 = fxgraph.opaque "a.b.c"(%x) args {kwargs = {other = "%x"}} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @opaque_c2_number(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected numbers of 1 operands in writes but got 1}}
  %0 = fxgraph.opaque "a.b.c_"(%x) args {args = ["%0", "%%1"], writes = array<i64: 1>} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @opaque_c3_effects(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected effects "none" or "operands" but got "some"}}
  %0 = fxgraph.opaque "a.b.c"(%x) args {args = ["%0"]} {effects = "some"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @opaque_c4_writes(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected no writes of an op with effects "none"}}
  %0 = fxgraph.opaque "a.b.c_"(%x) args {args = ["%0"], writes = array<i64: 0>} {effects = "none"} : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @device_put_c1(%x: tensor<2xf32>) {
  // expected-error @+1 {{expected a result of the shape and dtype of 'tensor<2xf32>' but got 'tensor<3xf32>'}}
  %0 = fxgraph.device_put %x : tensor<2xf32> to tensor<3xf32>
  return
}

// -----

func.func @inductor_seed_c1() {
  // expected-error @+1 {{expected the result to be an i64 scalar but got 'tensor<2xi64>'}}
  %0 = fxgraph.inductor_seed : tensor<2xi64>
  return
}

// -----

func.func @inductor_seeds_c1() {
  // expected-error @+1 {{expected the result to be an i64 vector of known extent but got 'tensor<?xi64>'}}
  %0 = fxgraph.inductor_seeds : tensor<?xi64>
  return
}

// -----

func.func @inductor_lookup_seed_c1(%seeds: tensor<2xi64>) {
  // expected-error @+1 {{expected index in [0, 1] but got 2}}
  %0 = fxgraph.inductor_lookup_seed %seeds at 2 : (tensor<2xi64>) -> tensor<i64>
  return
}

// -----

func.func @inductor_random_c1(%seed: tensor<1xi64>) {
  // expected-error @+1 {{expected seed to be an i64 scalar but got 'tensor<1xi64>'}}
  %0 = fxgraph.inductor_random "rand" seed %seed : tensor<1xi64>, tensor<4xf32>
  return
}

// -----

func.func @inductor_random_c2(%seed: tensor<i64>) {
  // expected-error @+1 {{expected mode to be rand or randn but got normal}}
  %0 = fxgraph.inductor_random "normal" seed %seed : tensor<i64>, tensor<4xf32>
  return
}

// -----

func.func @inductor_randint_c1(%seed: tensor<i64>) {
  // expected-error @+1 {{expected low < high but got 3 and 3}}
  %0 = fxgraph.inductor_randint from 3 to 3 seed %seed : tensor<i64>, tensor<4xi64>
  return
}
