// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.scaled_dot_product_attention

func.func @weights_used(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{the weights have other users}}
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r, %w : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// -----

func.func @scores_used(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{the scores have other users}}
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r, %qk : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// -----

func.func @scaled_scores_used(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  // expected-remark@below {{the scores have other users}}
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %s = fxgraph.mul %qk, %two : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r, %qk : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// -----

func.func @masked_scores_used(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{the scores have other users}}
  %m = fxgraph.add %qk, %mask : (tensor<2x4x8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x8xf32>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %c = fxgraph.clone %m : tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %c dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r, %m : tensor<2x4x8x16xf32>, tensor<2x4x8x8xf32>
}

// -----

func.func @softmax_over_other_dim(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  // The columns, not the rows.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -2 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @dropout_draws(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{dropout draws random numbers}}
  %d = fxgraph.dropout %w p 0.5 : tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %d, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @number_as_mask(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<f32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{the mask is a number}}
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @mask_scaled_too(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>) {
  // softmax((q k^T + m) * 2): no form of the op scales the mask.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<2x4x8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x8xf32>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %s = fxgraph.mul %m, %two : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @mask_added_twice(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>) {
  // alpha: what is added is not the mask.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %qk, %mask alpha 2.0 : (tensor<2x4x8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @mask_repeats_scores(%q: tensor<1x1x8x16xf32>, %k: tensor<1x1x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<2x4x8x8xf32>) -> (tensor<2x4x8x16xf32>) {
  // The mask makes more scores than the product has.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<1x1x8x16xf32>) -> tensor<1x1x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<1x1x8x16xf32>, tensor<1x1x16x8xf32>) -> tensor<1x1x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<1x1x8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @fill_not_low(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %seen: tensor<8x8xi1>) -> (tensor<2x4x8x16xf32>) {
  // -10 leaves something of what it hides.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %low = fxgraph.full -10.0 : tensor<f32>
  %m = fxgraph.where %seen, %qk, %low : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @fill_is_a_tensor(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %seen: tensor<8x8xi1>, %low: tensor<f32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.where %seen, %qk, %low : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @scale_is_a_tensor(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %scale: tensor<f32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %s = fxgraph.mul %qk, %scale : (tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @scale_is_zero(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  // expected-remark@below {{the scale is zero or not finite}}
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %s = fxgraph.mul %qk, %zero : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @scale_is_infinite(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  // expected-remark@below {{the scale is zero or not finite}}
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %zero = fxgraph.constant dense<0.0> : tensor<f64>
  %s = fxgraph.div %qk, %zero : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @rounded_quotient(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %s = fxgraph.div %qk, %two rounding_mode "floor" : (tensor<2x4x8x8xf32>, tensor<f64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @no_keys(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x0x16xf32>, %v: tensor<2x4x0x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x0x16xf32>) -> tensor<2x4x16x0xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x0xf32>) -> tensor<2x4x8x0xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x0xf32>) -> tensor<2x4x8x0xf32>
  // expected-remark@below {{there are no keys}}
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x0xf32>, tensor<2x4x0x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @other_dtype(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf16>) -> (tensor<2x4x8x16xf16>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  // expected-remark@below {{query, key and value differ in dtype}}
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %n = fxgraph.convert_element_type %w : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf16>
  %r = fxgraph.matmul %n, %v : (tensor<2x4x8x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x8x16xf16>
  return %r : tensor<2x4x8x16xf16>
}

// -----

func.func @mask_is_wide(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>, %mask: tensor<8x8xf64>) -> (tensor<2x4x8x16xf16>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf16>) -> tensor<2x4x16x8xf16>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x8x8xf16>
  %c = fxgraph.convert_element_type %qk : (tensor<2x4x8x8xf16>) -> tensor<2x4x8x8xf64>
  %m = fxgraph.add %c, %mask : (tensor<2x4x8x8xf64>, tensor<8x8xf64>) -> tensor<2x4x8x8xf64>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf64>) -> tensor<2x4x8x8xf64>
  %n = fxgraph.convert_element_type %w : (tensor<2x4x8x8xf64>) -> tensor<2x4x8x8xf16>
  // expected-remark@below {{the mask is neither f32 nor of the dtype of the query}}
  %r = fxgraph.matmul %n, %v : (tensor<2x4x8x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x8x16xf16>
  return %r : tensor<2x4x8x16xf16>
}

// -----

func.func @integers(%q: tensor<2x4x8x16xi64>, %k: tensor<2x4x8x16xi64>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  // Scores of integers have no softmax; those of a cast are no product of the query.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xi64>) -> tensor<2x4x16x8xi64>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xi64>, tensor<2x4x16x8xi64>) -> tensor<2x4x8x8xi64>
  %s = fxgraph.convert_element_type %qk : (tensor<2x4x8x8xi64>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %s dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @sum_of_other_rows(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  // Written out, but divided by the sums of the columns.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %max = fxgraph.amax %qk dims [-1] keepdim true : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x1xf32>
  %d = fxgraph.sub %qk, %max : (tensor<2x4x8x8xf32>, tensor<2x4x8x1xf32>) -> tensor<2x4x8x8xf32>
  %e = fxgraph.exp %d : tensor<2x4x8x8xf32>
  %sum = fxgraph.sum %e dims [-2] keepdim true : (tensor<2x4x8x8xf32>) -> tensor<2x4x1x8xf32>
  %w = fxgraph.div %e, %sum : (tensor<2x4x8x8xf32>, tensor<2x4x1x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// -----

func.func @heads_regrouped(%q: tensor<6x5x16xf32>, %k: tensor<6x5x16xf32>, %v: tensor<1x3x5x16xf32>, %first: tensor<6x1x5xf32>, %second: tensor<3x1x5x5xf32>) -> (tensor<2x3x5x16xf32>) {
  // The mask is for another grouping of the matrices than the values.
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<6x5x16xf32>) -> tensor<6x16x5xf32>
  %qk = fxgraph.bmm %q, %kt : (tensor<6x5x16xf32>, tensor<6x16x5xf32>) -> tensor<6x5x5xf32>
  %a = fxgraph.add %qk, %first : (tensor<6x5x5xf32>, tensor<6x1x5xf32>) -> tensor<6x5x5xf32>
  %b = fxgraph.reshape %a shape [3, 2, 5, 5] : tensor<6x5x5xf32> -> tensor<3x2x5x5xf32>
  %m = fxgraph.add %b, %second : (tensor<3x2x5x5xf32>, tensor<3x1x5x5xf32>) -> tensor<3x2x5x5xf32>
  %c = fxgraph.reshape %m shape [2, 3, 5, 5] : tensor<3x2x5x5xf32> -> tensor<2x3x5x5xf32>
  %w = fxgraph.softmax %c dim -1 : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
  // expected-remark@below {{the values cannot be brought into the layout of the scores}}
  %r = fxgraph.matmul %w, %v : (tensor<2x3x5x5xf32>, tensor<1x3x5x16xf32>) -> tensor<2x3x5x16xf32>
  return %r : tensor<2x3x5x16xf32>
}

// -----

func.func @unknown_extent(%q: tensor<?x4x8x16xf32>, %k: tensor<?x4x8x16xf32>, %v: tensor<?x4x8x16xf32>, %mask: tensor<?x1x1x8xf32>) -> (tensor<?x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<?x4x8x16xf32>) -> tensor<?x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<?x4x8x16xf32>, tensor<?x4x16x8xf32>) -> tensor<?x4x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<?x4x8x8xf32>, tensor<?x1x1x8xf32>) -> tensor<?x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<?x4x8x8xf32>) -> tensor<?x4x8x8xf32>
  // expected-remark@below {{the values cannot be brought into the layout of the scores}}
  %r = fxgraph.matmul %w, %v : (tensor<?x4x8x8xf32>, tensor<?x4x8x16xf32>) -> tensor<?x4x8x16xf32>
  return %r : tensor<?x4x8x16xf32>
}

// -----

func.func @unknown_mask_extent(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<?x1x1x8xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<2x4x8x8xf32>, tensor<?x1x1x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  // expected-remark@below {{the mask is not known to broadcast to the scores}}
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}
