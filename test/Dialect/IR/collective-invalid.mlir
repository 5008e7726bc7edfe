// RUN: fx-opt %s --split-input-file --verify-diagnostics
//
// Constraints of the collectives.
// Each function begins with the label of the constraint that it violates (docs/Spec).

func.func @reduce_op_c1_all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected reduce_op to be sum, avg, product, min or max but got mean}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_reduce %x op "mean" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @reduce_op_c1_all_reduce_coalesced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected reduce_op to be sum, avg, product, min or max but got SUM}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_reduce_coalesced (%x) op "SUM" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @coalesced_c1_all_reduce_coalesced() {
  // expected-error@+2 {{expected at least one input but got none}}
  // expected-error@+1 {{failed to infer returned types}}
  fxgraph.all_reduce_coalesced () op "sum" group "g" : () -> ()
  return
}

// -----

func.func @group_c1_all_gather_into_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected group_size > 0 but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @overflow_all_gather_into_tensor(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error@+2 {{expected a result extent that fits 64 bits but it overflows}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 4611686018427387904 : (tensor<4xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @overflow_fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> tensor<?x5xf32> {
  // expected-error@+2 {{expected a result extent that fits 64 bits but it overflows}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 4611686018427387904 return_a false : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}

// -----

func.func @all_gather_c1_all_gather_into_tensor(%x: tensor<f32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected input of rank >= 1 but got rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @reduce_op_c1_reduce_scatter_tensor(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected reduce_op to be sum, avg, product, min or max but got band}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.reduce_scatter_tensor %x op "band" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @group_c1_reduce_scatter_tensor(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected group_size > 0 but got -2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.reduce_scatter_tensor %x op "sum" group "g" of -2 : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @reduce_scatter_c1_reduce_scatter_tensor(%x: tensor<5x2xf32>) -> tensor<2x2xf32> {
  // expected-error@+2 {{expected extent 5 of dimension 0 to be a multiple of group_size 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.reduce_scatter_tensor %x op "sum" group "g" of 2 : (tensor<5x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}

// -----

func.func @uniform_c1_fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf16>) -> tensor<8x5xf32> {
  // expected-error@+2 {{expected operands of one element type but got 'f32' and 'f16'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 2 return_a false : (tensor<4x3xf32>, tensor<3x5xf16>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @uniform_c2_fused_all_gather_matmul(%x: tensor<4x3xf32, #fxgraph.meta<device = "cuda:0">>, %w: tensor<3x5xf32, #fxgraph.meta<device = "cpu">>) -> tensor<8x5xf32> {
  // expected-error@+2 {{expected operands on one device but got cuda:0 and cpu}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 2 return_a false : (tensor<4x3xf32, #fxgraph.meta<device = "cuda:0">>, tensor<3x5xf32, #fxgraph.meta<device = "cpu">>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @group_c1_fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> tensor<8x5xf32> {
  // expected-error@+2 {{expected group_size > 0 but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 0 return_a false : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @fused_all_gather_c1_fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> tensor<8x5xf32> {
  // expected-error@+2 {{expected dim in [-2, 1] but got 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 2 group "g" of 2 return_a false : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @fused_all_gather_c2_fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<4x5xf32>) -> tensor<8x5xf32> {
  // expected-error@+2 {{expected first extent of the weight}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 2 return_a false : (tensor<4x3xf32>, tensor<4x5xf32>) -> tensor<8x5xf32>
  return %0 : tensor<8x5xf32>
}

// -----

func.func @uniform_c1_fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3x5xf64>) -> tensor<4x5xf32> {
  // expected-error@+2 {{expected operands of one element type but got 'f32' and 'f64'}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "g" of 2 : (tensor<8x3xf32>, tensor<3x5xf64>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @uniform_c2_fused_matmul_reduce_scatter(%x: tensor<8x3xf32, #fxgraph.meta<device = "cuda:0">>, %w: tensor<3x5xf32, #fxgraph.meta<device = "cpu">>) -> tensor<4x5xf32> {
  // expected-error@+2 {{expected operands on one device but got cuda:0 and cpu}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "g" of 2 : (tensor<8x3xf32, #fxgraph.meta<device = "cuda:0">>, tensor<3x5xf32, #fxgraph.meta<device = "cpu">>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @reduce_op_c1_fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+2 {{expected reduce_op to be sum, avg, product, min or max but got add}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "add" dim 0 group "g" of 2 : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @group_c1_fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>) -> tensor<4x5xf32> {
  // expected-error@+2 {{expected group_size > 0 but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "g" of -1 : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @fused_reduce_scatter_c1_fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3xf32>) -> tensor<4x5xf32> {
  // expected-error@+2 {{expected weight of rank 2 but got rank 1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "g" of 2 : (tensor<8x3xf32>, tensor<3xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// -----

func.func @fused_reduce_scatter_c2_fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>) -> tensor<8x2xf32> {
  // expected-error@+2 {{expected extent 5 of dimension 1 to be a multiple of group_size 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 1 group "g" of 2 : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<8x2xf32>
  return %0 : tensor<8x2xf32>
}

// -----

func.func @group_c1_all_gather_into_tensor_coalesced(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected group_size > 0 but got 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_gather_into_tensor_coalesced (%x) group "g" of 0 : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @coalesced_c1_all_gather_into_tensor_coalesced() {
  // expected-error@+2 {{expected at least one input but got none}}
  // expected-error@+1 {{failed to infer returned types}}
  fxgraph.all_gather_into_tensor_coalesced () group "g" of 2 : () -> ()
  return
}

// -----

func.func @all_gather_c1_all_gather_into_tensor_coalesced(%x: tensor<f32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected input of rank >= 1 but got rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_gather_into_tensor_coalesced (%x) group "g" of 2 : (tensor<f32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @reduce_op_c1_reduce_scatter_tensor_coalesced(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected reduce_op to be sum, avg, product, min or max but got band}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.reduce_scatter_tensor_coalesced (%x) op "band" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @group_c1_reduce_scatter_tensor_coalesced(%x: tensor<4xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected group_size > 0 but got -2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.reduce_scatter_tensor_coalesced (%x) op "sum" group "g" of -2 : (tensor<4xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @coalesced_c1_reduce_scatter_tensor_coalesced() {
  // expected-error@+2 {{expected at least one input but got none}}
  // expected-error@+1 {{failed to infer returned types}}
  fxgraph.reduce_scatter_tensor_coalesced () op "sum" group "g" of 2 : () -> ()
  return
}

// -----

func.func @reduce_scatter_c1_reduce_scatter_tensor_coalesced(%x: tensor<4xf32>, %y: tensor<5x2xf32>) -> tensor<2xf32> {
  // expected-error@+2 {{expected extent 5 of dimension 0 to be a multiple of group_size 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0:2 = fxgraph.reduce_scatter_tensor_coalesced (%x, %y) op "sum" group "g" of 2 : (tensor<4xf32>, tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  return %0#0 : tensor<2xf32>
}

// -----

func.func @broadcast_c1_broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected src >= 0 but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.broadcast %x from -1 group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all_to_all_c1_all_to_all_single(%x: tensor<f32>) -> tensor<1xf32> {
  // expected-error@+2 {{expected input of rank >= 1 but got rank 0}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_to_all_single %x give [1] take [1] group "g" : (tensor<f32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

func.func @all_to_all_c2_all_to_all_single(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected as many output splits as input splits, at least one, but got 1 and 2}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_to_all_single %x give [2, 2] take [4] group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all_to_all_c2_all_to_all_single_negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected splits >= 0 but got -1}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_to_all_single %x give [5, -1] take [2, 2] group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all_to_all_c3_all_to_all_single(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+2 {{expected input splits that add up to 4 but got 3}}
  // expected-error@+1 {{failed to infer returned types}}
  %0 = fxgraph.all_to_all_single %x give [2, 1] take [2, 2] group "g" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @uniform_c2_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected operands on one device but got cuda:0 and the module's}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @group_c1_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected group_size > 0 but got 0}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 0 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @fused_all_gather_c1_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected dim in [-2, 1] but got 2}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 2 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @fused_all_gather_c2_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<4x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected first extent of the weight to be 3 but got 4}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<4x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @fused_all_gather_scaled_c1(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected another dimension than the last but got 1 of rank 2}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim -1 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @fused_all_gather_scaled_c2(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected a scale, and a bias or none, for each of 2 weights but got 1 scales and 0 biases}}
  %0:2 = fxgraph.fused_all_gather_scaled_matmul %x x (%w, %w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> (tensor<8x5xf32>, tensor<8x5xf32>)
  return
}

// -----

func.func @fused_all_gather_scaled_c3(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected 2 results but got 1}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a true : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @fused_all_gather_scaled_c3_type(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected the first result to be 'tensor<8x3xf8E4M3FN>' but got 'tensor<8x3xf32>'}}
  %0:2 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a true : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> (tensor<8x3xf32>, tensor<8x5xf32>)
  return
}

// -----

func.func @scaled_rows_c1_fused_all_gather_scaled_matmul(%x: tensor<?x2x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected known extents of more than two dimensions but got}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<?x2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<?x2x5xf32>
  return
}

// -----

func.func @scaled_product_c1_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<4x1xf32>, %t: tensor<1x5xf32>) {
  // expected-error@+1 {{expected scales of one element each, or of shapes [8, 1] and [1, 5], but got [4, 1] and [1, 5]}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<4x1xf32>, tensor<1x5xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @scaled_product_c2_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected bias of shape [5] but got [4]}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) + (%b) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<8x5xf32>
  return
}

// -----

func.func @scaled_product_c3_fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected result of shape [8, 5] but got [4, 5]}}
  %0 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%t) dim 0 group "g" of 2 return_a false : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @uniform_c2_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected operands on one device but got cuda:0 and the module's}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN, #fxgraph.meta<device = "cuda:0">>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @reduce_op_c1_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected reduce_op to be sum, avg, product, min or max but got add}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "add" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @group_c1_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected group_size > 0 but got -1}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of -1 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @fused_reduce_scatter_c1_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected weight of rank 2 but got rank 1}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @fused_reduce_scatter_c2_fused_scaled_matmul_reduce_scatter(%x: tensor<7x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected extent 7 of dimension 0 to be a multiple of group_size 2}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<7x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @fused_scaled_reduce_scatter_c1(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected another dimension than the last but got 1 of rank 2}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 1 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scaled_rows_c1_fused_scaled_matmul_reduce_scatter(%x: tensor<8x?x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected known extents of more than two dimensions but got}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<8x?x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x?x5xf32>
  return
}

// -----

func.func @scaled_product_c1_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<8x1xf32>, %t: tensor<1x4xf32>) {
  // expected-error@+1 {{expected scales of one element each, or of shapes [8, 1] and [1, 5], but got [8, 1] and [1, 4]}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<8x1xf32>, tensor<1x4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scaled_product_c2_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{expected bias of shape [5] but got [4]}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t bias %b op "sum" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>, tensor<4xf32>) -> tensor<4x5xf32>
  return
}

// -----

func.func @scaled_product_c3_fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) {
  // expected-error@+1 {{expected result of shape [4, 5] but got [8, 5]}}
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t op "sum" dim 0 group "g" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return
}
