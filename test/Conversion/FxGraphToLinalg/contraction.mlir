// All products are one form: the transposed weight is a map, the bias the initial value.
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s

// CHECK-DAG: #[[$LHS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-DAG: #[[$RHST:.*]] = affine_map<(d0, d1, d2) -> (d1, d2)>
// CHECK-DAG: #[[$OUT:.*]] = affine_map<(d0, d1, d2) -> (d0, d1)>
// CHECK-LABEL: func.func @linear
// CHECK: %[[BIAS:.*]] = linalg.generic
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHST]], #[[$OUT]]], iterator_types = ["parallel", "parallel", "reduction"]} {{.*}} outs(%[[BIAS]] : tensor<4x6xf32>)
func.func @linear(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<4x8xf32>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// The permute is looked through: the same maps.
// CHECK-LABEL: func.func @addmm
// CHECK: linalg.generic {indexing_maps = [#[[$LHS]], #[[$RHST]], #[[$OUT]]]
func.func @addmm(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
  %t = fxgraph.permute %w dims [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
  %0 = fxgraph.addmm %b, %x, %t : (tensor<6xf32>, tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// beta = 0: the bias is not read.
// CHECK-LABEL: func.func @addmm_beta_zero
// CHECK-SAME: (%[[B:.*]]: tensor<6xf32>, %{{.*}}: tensor<4x8xf32>
// CHECK-NOT: %[[B]]
// CHECK: return
func.func @addmm_beta_zero(%b: tensor<6xf32>, %x: tensor<4x8xf32>, %w: tensor<8x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.addmm %b, %x, %w beta 0.0 alpha 5.000000e-01 : (tensor<6xf32>, tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// 16-bit floats accumulate in f32 and round once.
// CHECK-LABEL: func.func @mm_bf16
// CHECK: linalg.generic {{.*}} outs(%{{.*}} : tensor<4x6xf32>)
// CHECK: arith.truncf
func.func @mm_bf16(%x: tensor<4x8xbf16>, %w: tensor<8x6xbf16>) -> tensor<4x6xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
  return %0 : tensor<4x6xbf16>
}

// Batches broadcast in the maps, nothing is expanded.
// CHECK-LABEL: func.func @matmul_broadcast
// CHECK: linalg.generic {{.*}}iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction"]
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @matmul_broadcast(%x: tensor<2x1x3x5xf32>, %y: tensor<4x5x6xf32>) -> tensor<2x4x3x6xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<2x1x3x5xf32>, tensor<4x5x6xf32>) -> tensor<2x4x3x6xf32>
  return %0 : tensor<2x4x3x6xf32>
}
