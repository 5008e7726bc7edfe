// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the contraction ops.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @uniform_c1_weight(%x: tensor<2x4xf32>, %w: tensor<3x4xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<3x4xbf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @uniform_c1_bias(%x: tensor<2x4xbf16>, %w: tensor<3x4xbf16>, %b: tensor<3xf32>) {
  // expected-error @+2 {{expected operands of one element type but got 'bf16' and 'f32'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<2x4xbf16>, tensor<3x4xbf16>, tensor<3xf32>) -> tensor<2x3xbf16>
  return
}

// -----

func.func @uniform_c1_addmm(%c: tensor<4xf32>, %x: tensor<2x3xbf16>, %y: tensor<3x4xbf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm %c, %x, %y : (tensor<4xf32>, tensor<2x3xbf16>, tensor<3x4xbf16>) -> tensor<2x4xbf16>
  return
}

// -----

func.func @uniform_c2_devices(%x: tensor<2x3xf32, #fxgraph.meta<device = "cuda:0">>, %y: tensor<3x4xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected operands on one device but got cuda:0 and cuda:1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<2x3xf32, #fxgraph.meta<device = "cuda:0">>, tensor<3x4xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<2x4xf32, #fxgraph.meta<device = "cuda:0">>
  return
}

// -----

func.func @uniform_c2_host(%x: tensor<2x3xf32, #fxgraph.meta<device = "cuda:0">>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected operands on one device but got cuda:0 and the module's}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mm %x, %y : (tensor<2x3xf32, #fxgraph.meta<device = "cuda:0">>, tensor<3x4xf32>) -> tensor<2x4xf32, #fxgraph.meta<device = "cuda:0">>
  return
}

// -----

func.func @linear_c1_scalar(%x: tensor<f32>, %w: tensor<3xf32>) {
  // expected-error @+2 {{expected input of rank >= 1 but got rank 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<f32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @linear_c2_rank(%x: tensor<2x4xf32>, %w: tensor<1x3x4xf32>) {
  // expected-error @+2 {{expected weight of rank 1 or 2 but got rank 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c2_scalar(%x: tensor<2x4xf32>, %w: tensor<f32>) {
  // expected-error @+2 {{expected weight of rank 1 or 2 but got rank 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c3_contracted(%x: tensor<2x4xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+2 {{expected last dimension of weight to be 4 but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<3x5xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c3_transpose_linear(%x: tensor<3x2xf32>, %w: tensor<5x2xf32>) {
  // expected-error @+2 {{expected last dimension of weight to be 3 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_linear %x, %w : (tensor<3x2xf32>, tensor<5x2xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @linear_c4_vector_weight(%x: tensor<2x4xf32>, %w: tensor<4xf32>, %b: tensor<f32>) {
  // expected-error @+2 {{expected input of rank 1 beside a bias and a weight of rank 1 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<2x4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<2xf32>
  return
}

// -----

func.func @linear_c5_bias(%x: tensor<2x4xf32>, %w: tensor<3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @+2 {{expected bias that broadcasts to [2, 3] but got [4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @linear_c5_bias_of_one_output(%x: tensor<2x4xf32>, %w: tensor<1x4xf32>, %b: tensor<3xf32>) {
  // expected-error @+2 {{expected bias that broadcasts to [2, 1] but got [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<2x4xf32>, tensor<1x4xf32>, tensor<3xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @linear_c6_rows(%x: tensor<5x2x4xf32>, %w: tensor<3x4xf32>, %b: tensor<2x3xf32>) {
  // expected-error @+2 {{expected bias of one row but got shape [2, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<5x2x4xf32>, tensor<3x4xf32>, tensor<2x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @linear_c6_rank(%x: tensor<5x2x4xf32>, %w: tensor<3x4xf32>, %b: tensor<1x1x3xf32>) {
  // expected-error @+2 {{expected bias of one row but got shape [1, 1, 3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear %x, %w, %b : (tensor<5x2x4xf32>, tensor<3x4xf32>, tensor<1x1x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @matmul_c1_scalar(%x: tensor<f32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{expected operands of rank >= 1 but got ranks 0 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @matmul_c2_contracted(%x: tensor<2x3xf32>, %y: tensor<4x3xf32>) {
  // expected-error @+2 {{expected contracted dimension of the second operand to be 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<2x3xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @matmul_c2_vectors(%x: tensor<3xf32>, %y: tensor<4xf32>) {
  // expected-error @+2 {{expected contracted dimension of the second operand to be 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<3xf32>, tensor<4xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c3_batch(%x: tensor<2x3x4xf32>, %y: tensor<3x4x5xf32>) {
  // expected-error @+2 {{expected shapes that broadcast but got extents 2 and 3 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.matmul %x, %y : (tensor<2x3x4xf32>, tensor<3x4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @product_c1_mm(%x: tensor<2xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+2 {{expected input of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mm %x, %y : (tensor<2xf32>, tensor<2x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @product_c1_bmm(%x: tensor<1x2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected mat2 of rank 3 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.bmm %x, %y : (tensor<1x2x3xf32>, tensor<3x4xf32>) -> tensor<1x2x4xf32>
  return
}

// -----

func.func @product_c2_mm(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @+2 {{expected contracted dimension of mat2 to be 3 but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mm %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @product_c2_baddbmm(%c: tensor<f32>, %x: tensor<5x2x3xf32>, %y: tensor<5x4x3xf32>) {
  // expected-error @+2 {{expected contracted dimension of mat2 to be 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.baddbmm %c, %x, %y : (tensor<f32>, tensor<5x2x3xf32>, tensor<5x4x3xf32>) -> tensor<5x2x3xf32>
  return
}

// -----

func.func @product_c3_bmm(%x: tensor<1x2x3xf32>, %y: tensor<5x3x4xf32>) {
  // expected-error @+2 {{expected batch dimension of mat2 to be 1 but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.bmm %x, %y : (tensor<1x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @add_product_c1_extent(%c: tensor<3xf32>, %x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected input that broadcasts to [2, 4] but got [3]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm %c, %x, %y : (tensor<3xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @add_product_c1_wider(%c: tensor<3x1xf32>, %x: tensor<1x2xf32>, %y: tensor<2x4xf32>) {
  // expected-error @+2 {{expected input that broadcasts to [1, 4] but got [3, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm %c, %x, %y : (tensor<3x1xf32>, tensor<1x2xf32>, tensor<2x4xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @add_product_c1_rank(%c: tensor<1x2x4xf32>, %x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected input that broadcasts to [2, 4] but got [1, 2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm %c, %x, %y : (tensor<1x2x4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @add_product_c1_beta_zero(%c: tensor<7xf32>, %x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) {
  // expected-error @+2 {{expected input that broadcasts to [5, 2, 4] but got [7]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.baddbmm %c, %x, %y beta 0.0 : (tensor<7xf32>, tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

func.func @einsum_c1_none() {
  // expected-error @+2 {{expected at least one operand but got none}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = "fxgraph.einsum"() <{equation = ""}> : () -> tensor<f32>
  return
}

// -----

func.func @einsum_c2_terms(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected 2 operand(s) for the equation 'ij,jk->ik' but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ij,jk->ik", %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c2_operands(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @+2 {{expected 1 operand(s) for the equation 'ij' but got 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ij", %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @einsum_c3_character(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected letters, '...' and blanks in the einsum term 'i1' but got '1'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i1->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c3_dot(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected '...' in the einsum term 'i.' but got a lone '.'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i.->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c3_two_ellipses(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected at most one '...' in the einsum term '...i...' but got two}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "...i...->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c3_split_ellipsis(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected '...' in the einsum term 'i. ..' but got a lone '.'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i. ..->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c3_two_arrows(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected letters, '...' and blanks in the einsum term 'i->i' but got '-'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i->i->i", %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c3_arrow_halves(%x: tensor<2xf32>) {
  // expected-error @+2 {{expected letters, '...' and blanks in the einsum term 'i - > i' but got '-'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i - > i", %x : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c4_rank(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected an operand of rank 1 for the einsum term 'i' but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "i->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c4_ellipsis_rank(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected an operand of rank >= 3 for the einsum term 'ijk...' but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ijk...->i", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c5_repeated(%x: tensor<2x2xf32>) {
  // expected-error @+2 {{expected each letter once in the einsum result but got 'i' twice}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ij->ii", %x : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @einsum_c6_foreign(%x: tensor<2x3xf32>) {
  // expected-error @+2 {{expected letters of the operands in the einsum result but got 'k'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ij->k", %x : (tensor<2x3xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @einsum_c7_diagonal(%x: tensor<3x1xf32>) {
  // expected-error @+2 {{expected repeated dimension 'i' to be 3 but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ii->i", %x : (tensor<3x1xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @einsum_c8_extent(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) {
  // expected-error @+2 {{expected extents of einsum dimension 'j' that broadcast but got 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "ij,jk->ik", %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @einsum_c8_ellipsis(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  // expected-error @+2 {{expected extents of einsum dimension '...' that broadcast but got 3 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.einsum "...,...->...", %x, %y : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @attention_c1_rank(%q: tensor<4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>) {
  // expected-error @+2 {{expected query of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<4xf32>, tensor<6x4xf32>, tensor<6x7xf32>) -> tensor<7xf32>
  return
}

// -----

func.func @attention_c2_width(%q: tensor<3x4xf32>, %k: tensor<6x5xf32>, %v: tensor<6x7xf32>) {
  // expected-error @+2 {{expected last dimension of key to be 4 but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<3x4xf32>, tensor<6x5xf32>, tensor<6x7xf32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c3_batch(%q: tensor<2x3x4xf32>, %k: tensor<3x6x4xf32>, %v: tensor<1x6x7xf32>) {
  // expected-error @+2 {{expected shapes that broadcast but got extents 2 and 3 in dimension 0}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<2x3x4xf32>, tensor<3x6x4xf32>, tensor<1x6x7xf32>) -> tensor<2x3x7xf32>
  return
}

// -----

func.func @attention_c4_length(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<5x7xf32>) {
  // expected-error @+2 {{expected second last dimension of value to be 6 but got 5}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<5x7xf32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c5_causal_mask(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>, %m: tensor<3x6xf32>) {
  // expected-error @+2 {{expected no mask beside is_causal but got one}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m causal true : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<6x7xf32>, tensor<3x6xf32>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c6_mask_dtype(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>, %m: tensor<3x6xbf16>) {
  // expected-error @+2 {{expected a mask of i1, f32 or 'f32' but got 'bf16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<6x7xf32>, tensor<3x6xbf16>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c6_integer_mask(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>, %m: tensor<3x6xi64>) {
  // expected-error @+2 {{expected a mask of i1, f32 or 'f32' but got 'i64'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<6x7xf32>, tensor<3x6xi64>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c7_mask_shape(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>, %m: tensor<3x5xi1>) {
  // expected-error @+2 {{expected mask that broadcasts to [3, 6] but got [3, 5]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<6x7xf32>, tensor<3x5xi1>) -> tensor<3x7xf32>
  return
}

// -----

func.func @attention_c7_mask_widens(%q: tensor<3x4xf32>, %k: tensor<6x4xf32>, %v: tensor<6x7xf32>, %m: tensor<2x3x6xi1>) {
  // expected-error @+2 {{expected mask that broadcasts to [3, 6] but got [2, 3, 6]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<3x4xf32>, tensor<6x4xf32>, tensor<6x7xf32>, tensor<2x3x6xi1>) -> tensor<2x3x7xf32>
  return
}

// -----

func.func @fused_linear_c1_rank(%x: tensor<4xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{expected input of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.linear_transpose %x, %w : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
  return
}

// -----

func.func @fused_linear_c2_weight(%x: tensor<4x3xf32>, %w: tensor<4xf32>) {
  // expected-error @+2 {{expected weight of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_linear %x, %w : (tensor<4x3xf32>, tensor<4xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @fused_linear_c3_bias(%x: tensor<4x3xf32>, %w: tensor<5x4xf32>, %b: tensor<f32>) {
  // expected-error @+2 {{expected bias of shape [5] but got []}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_linear %x, %w, %b : (tensor<4x3xf32>, tensor<5x4xf32>, tensor<f32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @transpose_matmul_c1_input(%x: tensor<3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected transposed input of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_matmul %x trans true, %y : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @transpose_matmul_c1_other(%x: tensor<3xf32>, %y: tensor<3xf32>) {
  // expected-error @+2 {{expected transposed other of rank >= 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_matmul %x, %y trans true : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return
}

// -----

func.func @matmul_c2_transpose_matmul(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) {
  // expected-error @+2 {{expected contracted dimension of the second operand to be 2 but got 3}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.transpose_matmul %x trans true, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @mm_plus_mm_c1_shapes(%a: tensor<1x3xf32>, %b: tensor<3x2xf32>, %c: tensor<2x3xf32>, %d: tensor<3x1xf32>) {
  // expected-error @+2 {{expected the second product of shape [1, 2] but got [2, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<1x3xf32>, tensor<3x2xf32>, tensor<2x3xf32>, tensor<3x1xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @dot_compress_c1(%x: tensor<2x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+2 {{expected input of rank 3 but got rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.dot_compress %x, %w : (tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @dot_compress_c2(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+2 {{expected weight of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @dot_compress_c3(%x: tensor<2x3x4xf32>, %w: tensor<4x5xf32>) {
  // expected-error @+2 {{expected dimension 0 of weight to be 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<4x5xf32>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @uniform_c1_dot_compress(%x: tensor<2x3x4xf32>, %w: tensor<3x5xf16>) {
  // expected-error @+2 {{expected operands of one element type but got 'f32' and 'f16'}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<3x5xf16>) -> tensor<2x3x5xf32>
  return
}

// -----

func.func @lce_c1(%x: tensor<2x3x4x1xf32>, %w: tensor<5x3xf32>) {
  // expected-error @+2 {{expected input of rank 3 but got rank 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w : (tensor<2x3x4x1xf32>, tensor<5x3xf32>) -> tensor<2x5x4x1xf32>
  return
}

// -----

func.func @lce_c2(%x: tensor<2x3x4xf32>, %w: tensor<3xf32>) {
  // expected-error @+2 {{expected weight of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @lce_c3(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>) {
  // expected-error @+2 {{expected dimension 1 of weight to be 3 but got 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w : (tensor<2x3x4xf32>, tensor<5x4xf32>) -> tensor<2x5x4xf32>
  return
}

// -----

func.func @lce_c4_extent(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32>, %b: tensor<1xf32>) {
  // expected-error @+2 {{expected bias of shape [5] but got [1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<1xf32>) -> tensor<2x5x4xf32>
  return
}

// -----

func.func @uniform_c2_lce(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32, #fxgraph.meta<device = "cuda:1">>) {
  // expected-error @+2 {{expected operands on one device}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.lce %x, %w : (tensor<2x3x4xf32>, tensor<5x3xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<2x5x4xf32>
  return
}

// -----

func.func @addmm_activation_c1(%b: tensor<5xf32>, %x: tensor<2x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+2 {{expected approximate to be none without use_gelu but got tanh}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm_activation %b, %x, %w approximate "tanh" : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @addmm_activation_c1_gelu(%b: tensor<5xf32>, %x: tensor<2x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+2 {{expected approximate to be none or tanh but got erf}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.addmm_activation %b, %x, %w use_gelu true approximate "erf" : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @int_mm_mul_c1_rank(%x: tensor<2x3xi8>, %w: tensor<3x5xi8>, %s: tensor<5xf32>) {
  // expected-error @+2 {{expected scale of rank 2 but got rank 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.int_mm_mul %x, %w, %s : (tensor<2x3xi8>, tensor<3x5xi8>, tensor<5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @int_mm_mul_c1(%x: tensor<2x3xi8>, %w: tensor<3x5xi8>, %s: tensor<2x4xf32>) {
  // expected-error @+2 {{expected scale that broadcasts to [2, 5] but got [2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %r = fxgraph.int_mm_mul %x, %w, %s : (tensor<2x3xi8>, tensor<3x5xi8>, tensor<2x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @grouped_mm_c1(%x: tensor<2x3xf32>, %w: tensor<3x5xf32>) {
  // expected-error @+2 {{expected one weight for each of 2 inputs but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.grouped_mm (%x, %x) x (%w) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @grouped_mm_c2(%x: tensor<2x3xf32>, %w: tensor<3x5xf32>, %b: tensor<5xf32>) {
  // expected-error @+2 {{expected no bias or one for each of 2 inputs but got 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %r:2 = fxgraph.grouped_mm (%x, %x) x (%w, %w) + (%b) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<5xf32>) -> (tensor<2x5xf32>, tensor<2x5xf32>)
  return
}

// -----

func.func @b2b_gemm_c1_takes(%a: tensor<8x4xf16>, %b: tensor<4x8xf16>, %c: tensor<8x2xf16>) {
  // expected-error @+1 {{expected a body that takes the inner product of type 'tensor<8x8xf16>'}}
  %r = fxgraph.b2b_gemm %a, %b, %c left true {
  ^bb0(%x: tensor<8x4xf16>):
    fxgraph.yield %x : tensor<8x4xf16>
  } : (tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<8x2xf16>
  return
}

// -----

func.func @b2b_gemm_c1_yields(%a: tensor<8x4xf16>, %b: tensor<4x8xf16>, %c: tensor<8x2xf16>) {
  // expected-error @+1 {{expected a body that yields one tensor of type 'tensor<4x2xf16>'}}
  %r = fxgraph.b2b_gemm %a, %b, %c left false {
  ^bb0(%x: tensor<4x2xf16>):
    %y = fxgraph.sum %x dims [0] : (tensor<4x2xf16>) -> tensor<2xf16>
    fxgraph.yield %y : tensor<2xf16>
  } : (tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<8x2xf16>
  return
}

// -----

func.func @uniform_c2_scaled_mm(%a: tensor<2x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error@+1 {{expected operands on one device but got cuda:0 and the module's}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s : (tensor<2x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @product_c1_scaled_mm(%a: tensor<3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error@+1 {{expected input of rank 2 but got rank 1}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s : (tensor<3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<5xf32>
  return
}

// -----

func.func @product_c2_scaled_mm(%a: tensor<2x4xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error@+1 {{expected contracted dimension of mat2 to be 4 but got 3}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s : (tensor<2x4xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scaled_product_c1(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<2x1xf32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected scales of one element each, or of shapes [2, 1] and [1, 5], but got [2, 1] and []}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %t : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<2x1xf32>, tensor<f32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scaled_product_c1_rank(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<2xf32>, %t: tensor<5xf32>) {
  // expected-error@+1 {{expected scales of one element each, or of shapes [2, 1] and [1, 5], but got [2] and [5]}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %t : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<2xf32>, tensor<5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scaled_product_c2(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %c: tensor<1x5xf32>) {
  // expected-error@+1 {{expected bias of shape [5] but got [1, 5]}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s bias %c : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  return
}

// -----

func.func @scaled_product_c3(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error@+1 {{expected result of shape [2, 5] but got [2, 4]}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @scaled_product_c3_device(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) {
  // expected-error@+1 {{expected the result on the operands' device but got}}
  %0 = fxgraph.scaled_mm %a, %b scales %s, %s : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32, #fxgraph.meta<device = "cuda:0">>
  return
}
