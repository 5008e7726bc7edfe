// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of the contraction ops.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @linear(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %r = fxgraph.linear %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @linear_no_bias(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}} : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
func.func @linear_no_bias(%x: tensor<4xf32>, %w: tensor<5x4xf32>) -> tensor<5xf32> {
  %r = fxgraph.linear %x, %w : (tensor<4xf32>, tensor<5x4xf32>) -> tensor<5xf32>
  return %r : tensor<5xf32>
}

// CHECK-LABEL: func @linear_vector_weight(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}} : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
func.func @linear_vector_weight(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2xf32> {
  %r = fxgraph.linear %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @linear_scalar_bias(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
func.func @linear_scalar_bias(%x: tensor<4xf32>, %w: tensor<4xf32>, %b: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.linear %x, %w, %b : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @linear_row_bias(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
func.func @linear_row_bias(%x: tensor<2x4xf32>, %w: tensor<5x4xf32>, %b: tensor<1x5xf32>) -> tensor<2x5xf32> {
  %r = fxgraph.linear %x, %w, %b : (tensor<2x4xf32>, tensor<5x4xf32>, tensor<1x5xf32>) -> tensor<2x5xf32>
  return %r : tensor<2x5xf32>
}

// CHECK-LABEL: func @linear_symbol(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}} : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>
func.func @linear_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>> {
  %r = fxgraph.linear %x, %w : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>
  return %r : tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>
}

// CHECK-LABEL: func @linear_empty(
// CHECK: fxgraph.linear %{{.+}}, %{{.+}} : (tensor<0x4xf32>, tensor<5x4xf32>) -> tensor<0x5xf32>
func.func @linear_empty(%x: tensor<0x4xf32>, %w: tensor<5x4xf32>) -> tensor<0x5xf32> {
  %r = fxgraph.linear %x, %w : (tensor<0x4xf32>, tensor<5x4xf32>) -> tensor<0x5xf32>
  return %r : tensor<0x5xf32>
}

// CHECK-LABEL: func @matmul(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<5x1x2x3xf32>, tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32>
func.func @matmul(%x: tensor<5x1x2x3xf32>, %y: tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32> {
  %r = fxgraph.matmul %x, %y : (tensor<5x1x2x3xf32>, tensor<4x3x6xf32>) -> tensor<5x4x2x6xf32>
  return %r : tensor<5x4x2x6xf32>
}

// CHECK-LABEL: func @matmul_dot(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
func.func @matmul_dot(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<f32> {
  %r = fxgraph.matmul %x, %y : (tensor<3xf32>, tensor<3xf32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @matmul_row(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<3xf32>, tensor<5x3x4xf32>) -> tensor<5x4xf32>
func.func @matmul_row(%x: tensor<3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x4xf32> {
  %r = fxgraph.matmul %x, %y : (tensor<3xf32>, tensor<5x3x4xf32>) -> tensor<5x4xf32>
  return %r : tensor<5x4xf32>
}

// CHECK-LABEL: func @matmul_column(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<5x2x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
func.func @matmul_column(%x: tensor<5x2x3xf32>, %y: tensor<3xf32>) -> tensor<5x2xf32> {
  %r = fxgraph.matmul %x, %y : (tensor<5x2x3xf32>, tensor<3xf32>) -> tensor<5x2xf32>
  return %r : tensor<5x2xf32>
}

// CHECK-LABEL: func @matmul_square(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
func.func @matmul_square(%x: tensor<3x3xi64>) -> tensor<3x3xi64> {
  %r = fxgraph.matmul %x, %x : (tensor<3x3xi64>, tensor<3x3xi64>) -> tensor<3x3xi64>
  return %r : tensor<3x3xi64>
}

// CHECK-LABEL: func @matmul_empty(
// CHECK: fxgraph.matmul %{{.+}}, %{{.+}} : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
func.func @matmul_empty(%x: tensor<2x0xf32>, %y: tensor<0x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.matmul %x, %y : (tensor<2x0xf32>, tensor<0x3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @mm(
// CHECK: fxgraph.mm %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @mm(%x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.mm %x, %y : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @mm_symbol(
// CHECK: fxgraph.mm %{{.+}}, %{{.+}} : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
func.func @mm_symbol(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %y: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.mm %x, %y : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @bmm(
// CHECK: fxgraph.bmm %{{.+}}, %{{.+}} : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
func.func @bmm(%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.bmm %x, %y : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @bmm_refined_batch(
// CHECK: fxgraph.bmm %{{.+}}, %{{.+}} : (tensor<?x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
func.func @bmm_refined_batch(%x: tensor<?x2x3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.bmm %x, %y : (tensor<?x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @addmm(
// CHECK: fxgraph.addmm %{{.+}}, %{{.+}}, %{{.+}} beta 5.000000e-01 alpha 2.000000e+00 : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @addmm(%c: tensor<4xf32>, %x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.addmm %c, %x, %y beta 5.000000e-01 alpha 2.000000e+00 : (tensor<4xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @addmm_plain(
// CHECK: fxgraph.addmm %{{.+}}, %{{.+}}, %{{.+}} : (tensor<f32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @addmm_plain(%c: tensor<f32>, %x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.addmm %c, %x, %y : (tensor<f32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @addmm_alpha(
// CHECK: fxgraph.addmm %{{.+}}, %{{.+}}, %{{.+}} alpha 2.000000e+00 : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
func.func @addmm_alpha(%c: tensor<2x1xf32>, %x: tensor<2x3xf32>, %y: tensor<3x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.addmm %c, %x, %y alpha 2.000000e+00 : (tensor<2x1xf32>, tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @baddbmm(
// CHECK: fxgraph.baddbmm %{{.+}}, %{{.+}}, %{{.+}} beta 0.000000e+00 : (tensor<2x1xf32>, tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
func.func @baddbmm(%c: tensor<2x1xf32>, %x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.baddbmm %c, %x, %y beta 0.000000e+00 : (tensor<2x1xf32>, tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @einsum(
// CHECK: fxgraph.einsum "bij,bjk->bik", %{{.+}}, %{{.+}} : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
func.func @einsum(%x: tensor<5x2x3xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.einsum "bij,bjk->bik", %x, %y : (tensor<5x2x3xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @einsum_implicit(
// CHECK: fxgraph.einsum "bA,aB", %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<3x5x4x2xf32>
func.func @einsum_implicit(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>) -> tensor<3x5x4x2xf32> {
  %r = fxgraph.einsum "bA,aB", %x, %y : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<3x5x4x2xf32>
  return %r : tensor<3x5x4x2xf32>
}

// CHECK-LABEL: func @einsum_diagonal(
// CHECK: fxgraph.einsum "ii->i", %{{.+}} : (tensor<3x3xf32>) -> tensor<3xf32>
func.func @einsum_diagonal(%x: tensor<3x3xf32>) -> tensor<3xf32> {
  %r = fxgraph.einsum "ii->i", %x : (tensor<3x3xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func @einsum_ellipsis(
// CHECK: fxgraph.einsum "...i,...i->...", %{{.+}}, %{{.+}} : (tensor<5x2xf32>, tensor<4x1x2xf32>) -> tensor<4x5xf32>
func.func @einsum_ellipsis(%x: tensor<5x2xf32>, %y: tensor<4x1x2xf32>) -> tensor<4x5xf32> {
  %r = fxgraph.einsum "...i,...i->...", %x, %y : (tensor<5x2xf32>, tensor<4x1x2xf32>) -> tensor<4x5xf32>
  return %r : tensor<4x5xf32>
}

// CHECK-LABEL: func @einsum_ellipsis_summed(
// CHECK: fxgraph.einsum "...i->i", %{{.+}} : (tensor<5x2xf32>) -> tensor<2xf32>
func.func @einsum_ellipsis_summed(%x: tensor<5x2xf32>) -> tensor<2xf32> {
  %r = fxgraph.einsum "...i->i", %x : (tensor<5x2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @einsum_outer(
// CHECK: fxgraph.einsum " i , j ", %{{.+}}, %{{.+}} : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
func.func @einsum_outer(%x: tensor<2xf32>, %y: tensor<3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.einsum " i , j ", %x, %y : (tensor<2xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @einsum_scalar(
// CHECK: fxgraph.einsum "", %{{.+}} : (tensor<f32>) -> tensor<f32>
func.func @einsum_scalar(%x: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.einsum "", %x : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @einsum_symbol(
// CHECK: fxgraph.einsum "ij,jk->ik", %{{.+}}, %{{.+}} : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
func.func @einsum_symbol(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %y: tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.einsum "ij,jk->ik", %x, %y : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s1]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @scaled_dot_product_attention(
// CHECK: fxgraph.scaled_dot_product_attention %{{.+}}, %{{.+}}, %{{.+}} causal true scale 5.000000e-01 : (tensor<2x8x3x4xf32>, tensor<2x8x6x4xf32>, tensor<2x8x6x7xf32>) -> tensor<2x8x3x7xf32>
func.func @scaled_dot_product_attention(%q: tensor<2x8x3x4xf32>, %k: tensor<2x8x6x4xf32>, %v: tensor<2x8x6x7xf32>) -> tensor<2x8x3x7xf32> {
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v causal true scale 5.000000e-01 : (tensor<2x8x3x4xf32>, tensor<2x8x6x4xf32>, tensor<2x8x6x7xf32>) -> tensor<2x8x3x7xf32>
  return %r : tensor<2x8x3x7xf32>
}

// CHECK-LABEL: func @scaled_dot_product_attention_mask(
// CHECK: fxgraph.scaled_dot_product_attention %{{.+}}, %{{.+}}, %{{.+}} mask %{{.+}} : (tensor<2x8x3x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x7xbf16>, tensor<3x6xi1>) -> tensor<2x8x3x7xbf16>
func.func @scaled_dot_product_attention_mask(%q: tensor<2x8x3x4xbf16>, %k: tensor<2x1x6x4xbf16>, %v: tensor<2x1x6x7xbf16>, %m: tensor<3x6xi1>) -> tensor<2x8x3x7xbf16> {
  %r = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<2x8x3x4xbf16>, tensor<2x1x6x4xbf16>, tensor<2x1x6x7xbf16>, tensor<3x6xi1>) -> tensor<2x8x3x7xbf16>
  return %r : tensor<2x8x3x7xbf16>
}

// CHECK-LABEL: func @linear_transpose(
// CHECK: fxgraph.linear_transpose %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
func.func @linear_transpose(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x5x3xf32> {
  %r = fxgraph.linear_transpose %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
  return %r : tensor<2x5x3xf32>
}

// CHECK-LABEL: func @transpose_linear(
// CHECK: fxgraph.transpose_linear %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
func.func @transpose_linear(%x: tensor<2x4x3xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %r = fxgraph.transpose_linear %x, %w, %b : (tensor<2x4x3xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @transpose_linear_no_bias(
// CHECK: fxgraph.transpose_linear %{{.+}}, %{{.+}} : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<5x4xf32>) -> tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>
func.func @transpose_linear_no_bias(%x: tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, %w: tensor<5x4xf32>) -> tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>> {
  %r = fxgraph.transpose_linear %x, %w : (tensor<?x4x?xf32, #fxgraph.meta<dims = [s0, s1]>>, tensor<5x4xf32>) -> tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>
  return %r : tensor<?x?x5xf32, #fxgraph.meta<dims = [s0, s1]>>
}

// CHECK-LABEL: func @transpose_matmul(
// CHECK: fxgraph.transpose_matmul %{{.+}} trans true, %{{.+}} : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
func.func @transpose_matmul(%x: tensor<5x3x2xf32>, %y: tensor<5x3x4xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.transpose_matmul %x trans true, %y : (tensor<5x3x2xf32>, tensor<5x3x4xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @transpose_matmul_other(
// CHECK: fxgraph.transpose_matmul %{{.+}}, %{{.+}} trans true : (tensor<5x2x3xf32>, tensor<5x4x3xf32>) -> tensor<5x2x4xf32>
func.func @transpose_matmul_other(%x: tensor<5x2x3xf32>, %y: tensor<5x4x3xf32>) -> tensor<5x2x4xf32> {
  %r = fxgraph.transpose_matmul %x, %y trans true : (tensor<5x2x3xf32>, tensor<5x4x3xf32>) -> tensor<5x2x4xf32>
  return %r : tensor<5x2x4xf32>
}

// CHECK-LABEL: func @mm_plus_mm(
// CHECK: fxgraph.mm_plus_mm %{{.+}}, %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
func.func @mm_plus_mm(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %c: tensor<2x5xf32>, %d: tensor<5x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.mm_plus_mm %a, %b, %c, %d : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x5xf32>, tensor<5x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @dot_compress(
// CHECK: fxgraph.dot_compress %{{.+}}, %{{.+}} : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> tensor<2x3x5xf32>
func.func @dot_compress(%x: tensor<2x3x4xf32>, %w: tensor<3x5xf32>) -> tensor<2x3x5xf32> {
  %r = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> tensor<2x3x5xf32>
  return %r : tensor<2x3x5xf32>
}

// CHECK-LABEL: func @lce(
// CHECK: fxgraph.lce %{{.+}}, %{{.+}}, %{{.+}} : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<2x5x4xf32>
// CHECK: fxgraph.lce %{{.+}}, %{{.+}} : (tensor<2x3x4xf32>, tensor<5x3xf32>) -> tensor<2x5x4xf32>
func.func @lce(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> (tensor<2x5x4xf32>, tensor<2x5x4xf32>) {
  %0 = fxgraph.lce %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<2x5x4xf32>
  %1 = fxgraph.lce %x, %w : (tensor<2x3x4xf32>, tensor<5x3xf32>) -> tensor<2x5x4xf32>
  return %0, %1 : tensor<2x5x4xf32>, tensor<2x5x4xf32>
}

// CHECK-LABEL: func.func @addmm_activation
// CHECK: fxgraph.addmm_activation %{{.*}}, %{{.*}}, %{{.*}} use_gelu true approximate "tanh"
func.func @addmm_activation(%i: tensor<5xf32>, %a: tensor<2x3xf32>, %b: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = fxgraph.addmm_activation %i, %a, %b use_gelu true approximate "tanh" : (tensor<5xf32>, tensor<2x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// CHECK-LABEL: func.func @int_mm
// CHECK: fxgraph.int_mm %{{.*}}, %{{.*}} : (tensor<2x3xi8>, tensor<3x5xi8>) -> tensor<2x5xi32>
func.func @int_mm(%a: tensor<2x3xi8>, %b: tensor<3x5xi8>) -> tensor<2x5xi32> {
  %0 = fxgraph.int_mm %a, %b : (tensor<2x3xi8>, tensor<3x5xi8>) -> tensor<2x5xi32>
  return %0 : tensor<2x5xi32>
}

// CHECK-LABEL: func.func @int_mm_mul
// CHECK: fxgraph.int_mm_mul
func.func @int_mm_mul(%a: tensor<2x3xi8>, %b: tensor<3x5xi8>, %s: tensor<1x5xbf16>) -> tensor<2x5xbf16> {
  %0 = fxgraph.int_mm_mul %a, %b, %s : (tensor<2x3xi8>, tensor<3x5xi8>, tensor<1x5xbf16>) -> tensor<2x5xbf16>
  return %0 : tensor<2x5xbf16>
}

// CHECK-LABEL: func.func @scaled_mm
// CHECK: fxgraph.scaled_mm %arg0, %arg1 scales %arg2, %arg3 : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<f32>, tensor<1xf32>) -> tensor<2x5xf32>
// CHECK: fxgraph.scaled_mm %arg0, %arg1 scales %arg4, %arg5 bias %arg6 use_fast_accum true : {{.*}} -> tensor<2x5xbf16>
func.func @scaled_mm(%a: tensor<2x3xf8E4M3FN>, %b: tensor<3x5xf8E5M2>, %s: tensor<f32>, %t: tensor<1xf32>, %rows: tensor<2x1xf32>, %columns: tensor<1x5xf32>, %bias: tensor<5xbf16>) -> (tensor<2x5xf32>, tensor<2x5xbf16>) {
  %0 = fxgraph.scaled_mm %a, %b scales %s, %t : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<f32>, tensor<1xf32>) -> tensor<2x5xf32>
  %1 = fxgraph.scaled_mm %a, %b scales %rows, %columns bias %bias use_fast_accum true : (tensor<2x3xf8E4M3FN>, tensor<3x5xf8E5M2>, tensor<2x1xf32>, tensor<1x5xf32>, tensor<5xbf16>) -> tensor<2x5xbf16>
  return %0, %1 : tensor<2x5xf32>, tensor<2x5xbf16>
}

// CHECK-LABEL: func.func @grouped_mm
// CHECK: fxgraph.grouped_mm(%{{.*}}, %{{.*}}) x(%{{.*}}, %{{.*}}) : 
func.func @grouped_mm(%a: tensor<2x4xf32>, %b: tensor<6x2xf32>, %v: tensor<4x8xf32>, %w: tensor<2x2xf32>) -> (tensor<2x8xf32>, tensor<6x2xf32>) {
  %0:2 = fxgraph.grouped_mm (%a, %b) x (%v, %w) : (tensor<2x4xf32>, tensor<6x2xf32>, tensor<4x8xf32>, tensor<2x2xf32>) -> (tensor<2x8xf32>, tensor<6x2xf32>)
  return %0#0, %0#1 : tensor<2x8xf32>, tensor<6x2xf32>
}

// CHECK-LABEL: func.func @b2b_gemm
// CHECK: fxgraph.b2b_gemm %{{.*}}, %{{.*}}, %{{.*}} left true {
func.func @b2b_gemm(%a: tensor<8x4xf16>, %b: tensor<4x8xf16>, %c: tensor<8x2xf16>) -> tensor<8x2xf16> {
  %0 = fxgraph.b2b_gemm %a, %b, %c left true {
  ^bb0(%x: tensor<8x8xf16>):
    %1 = fxgraph.relu %x : tensor<8x8xf16>
    fxgraph.yield %1 : tensor<8x8xf16>
  } : (tensor<8x4xf16>, tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<8x2xf16>
  return %0 : tensor<8x2xf16>
}
