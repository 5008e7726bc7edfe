// Each op that has a decomposition, and the instances that have none.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-decompose))' | FileCheck %s
// A second run changes nothing.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-decompose))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-decompose))' -o %t.twice
// RUN: diff %t.once %t.twice
// Through the plugin.
// RUN: %mlir-opt --load-pass-plugin=%plugin --load-dialect-plugin=%plugin %s --pass-pipeline='builtin.module(func.func(fxgraph-decompose))' | FileCheck %s

// CHECK-LABEL: @linear_rank3(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [8, 8] : tensor<2x4x8xf32> -> tensor<8x8xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.mm %[[V1]], %[[V0]] : (tensor<8x8xf32>, tensor<8x6xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [2, 4, 6] : tensor<8x6xf32> -> tensor<2x4x6xf32>
// CHECK-NEXT: return %[[V3]] : tensor<2x4x6xf32>
func.func @linear_rank3(%x: tensor<2x4x8xf32>, %w: tensor<6x8xf32>) -> tensor<2x4x6xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<2x4x8xf32>, tensor<6x8xf32>) -> tensor<2x4x6xf32>
  return %0 : tensor<2x4x6xf32>
}

// CHECK-LABEL: @linear_rank1(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [1, 0] : (tensor<6x8xbf16>) -> tensor<8x6xbf16>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [1, 8] : tensor<8xbf16> -> tensor<1x8xbf16>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.addmm %[[arg2]], %[[V1]], %[[V0]] : (tensor<6xbf16>, tensor<1x8xbf16>, tensor<8x6xbf16>) -> tensor<1x6xbf16>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [6] : tensor<1x6xbf16> -> tensor<6xbf16>
// CHECK-NEXT: return %[[V3]] : tensor<6xbf16>
func.func @linear_rank1(%x: tensor<8xbf16>, %w: tensor<6x8xbf16>, %b: tensor<6xbf16>) -> tensor<6xbf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<8xbf16>, tensor<6x8xbf16>, tensor<6xbf16>) -> tensor<6xbf16>
  return %0 : tensor<6xbf16>
}

// CHECK-LABEL: @linear_vector(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg1]] dim 0 : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.permute %[[V0]] dims [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.mm %[[arg0]], %[[V1]] : (tensor<3x8xf32>, tensor<8x1xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [3] : tensor<3x1xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V3]] : tensor<3xf32>
func.func @linear_vector(%x: tensor<3x8xf32>, %w: tensor<8xf32>) -> tensor<3xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<3x8xf32>, tensor<8xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @linear_vectors(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg1]] dim 0 : (tensor<8xf32>) -> tensor<1x8xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg2]] dim 0 : (tensor<f32>) -> tensor<1xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.permute %[[V0]] dims [1, 0] : (tensor<1x8xf32>) -> tensor<8x1xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [1, 8] : tensor<8xf32> -> tensor<1x8xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = fxgraph.addmm %[[V1]], %[[V3]], %[[V2]] : (tensor<1xf32>, tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = fxgraph.reshape %[[V4]] shape [] : tensor<1x1xf32> -> tensor<f32>
// CHECK-NEXT: return %[[V5]] : tensor<f32>
func.func @linear_vectors(%x: tensor<8xf32>, %w: tensor<8xf32>, %b: tensor<f32>) -> tensor<f32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @linear_dynamic(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [1, 0] : (tensor<6x8xf32>) -> tensor<8x6xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [-1, 8] : tensor<?x4x8xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x8xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.addmm %[[arg2]], %[[V1]], %[[V0]] : (tensor<6xf32>, tensor<?x8xf32>, tensor<8x6xf32>) -> tensor<?x6xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [-1, 4, 6] : tensor<?x6xf32> -> tensor<?x4x6xf32, #fxgraph.meta<dims = [s0]>>
// CHECK-NEXT: return %[[V3]] : tensor<?x4x6xf32, #fxgraph.meta<dims = [s0]>>
func.func @linear_dynamic(%x: tensor<?x4x8xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<6x8xf32>, %b: tensor<6xf32>) -> tensor<?x4x6xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<?x4x8xf32, #fxgraph.meta<dims = [s0]>>, tensor<6x8xf32>, tensor<6xf32>) -> tensor<?x4x6xf32, #fxgraph.meta<dims = [s0]>>
  return %0 : tensor<?x4x6xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: @linear_two_dynamic(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.linear %[[arg0]], %[[arg1]] : (tensor<?x?x8xf32>, tensor<6x8xf32>) -> tensor<?x?x6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<?x?x6xf32>
func.func @linear_two_dynamic(%x: tensor<?x?x8xf32>, %w: tensor<6x8xf32>) -> tensor<?x?x6xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<?x?x8xf32>, tensor<6x8xf32>) -> tensor<?x?x6xf32>
  return %0 : tensor<?x?x6xf32>
}

// CHECK-LABEL: @matmul_vectors(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg0]] dim 0 : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg1]] dim 1 : (tensor<5xf32>) -> tensor<5x1xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.mm %[[V0]], %[[V1]] : (tensor<1x5xf32>, tensor<5x1xf32>) -> tensor<1x1xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [] : tensor<1x1xf32> -> tensor<f32>
// CHECK-NEXT: return %[[V3]] : tensor<f32>
func.func @matmul_vectors(%x: tensor<5xf32>, %y: tensor<5xf32>) -> tensor<f32> {
  %0 = fxgraph.matmul %x, %y : (tensor<5xf32>, tensor<5xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// CHECK-LABEL: @matmul_matrix_vector(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg1]] dim 1 : (tensor<5xf32>) -> tensor<5x1xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.mm %[[arg0]], %[[V0]] : (tensor<3x5xf32>, tensor<5x1xf32>) -> tensor<3x1xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.reshape %[[V1]] shape [3] : tensor<3x1xf32> -> tensor<3xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3xf32>
func.func @matmul_matrix_vector(%x: tensor<3x5xf32>, %y: tensor<5xf32>) -> tensor<3xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<3x5xf32>, tensor<5xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: @matmul_broadcast(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.expand %[[arg0]] shape [2, 4, 3, 5] : tensor<2x1x3x5xf32> -> tensor<2x4x3x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[V0]] shape [8, 3, 5] : tensor<2x4x3x5xf32> -> tensor<8x3x5xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.expand %[[arg1]] shape [2, 4, 5, 6] : tensor<4x5x6xf32> -> tensor<2x4x5x6xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [8, 5, 6] : tensor<2x4x5x6xf32> -> tensor<8x5x6xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = fxgraph.bmm %[[V1]], %[[V3]] : (tensor<8x3x5xf32>, tensor<8x5x6xf32>) -> tensor<8x3x6xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = fxgraph.reshape %[[V4]] shape [2, 4, 3, 6] : tensor<8x3x6xf32> -> tensor<2x4x3x6xf32>
// CHECK-NEXT: return %[[V5]] : tensor<2x4x3x6xf32>
func.func @matmul_broadcast(%x: tensor<2x1x3x5xf32>, %y: tensor<4x5x6xf32>) -> tensor<2x4x3x6xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<2x1x3x5xf32>, tensor<4x5x6xf32>) -> tensor<2x4x3x6xf32>
  return %0 : tensor<2x4x3x6xf32>
}

// CHECK-LABEL: @matmul_vector_batch(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg0]] dim 0 : (tensor<5xf32>) -> tensor<1x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.expand %[[V0]] shape [4, 1, 5] : tensor<1x5xf32> -> tensor<4x1x5xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.bmm %[[V1]], %[[arg1]] : (tensor<4x1x5xf32>, tensor<4x5x6xf32>) -> tensor<4x1x6xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [4, 6] : tensor<4x1x6xf32> -> tensor<4x6xf32>
// CHECK-NEXT: return %[[V3]] : tensor<4x6xf32>
func.func @matmul_vector_batch(%x: tensor<5xf32>, %y: tensor<4x5x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<5xf32>, tensor<4x5x6xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: @matmul_fold(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [6, 5] : tensor<2x3x5xf32> -> tensor<6x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.mm %[[V0]], %[[arg1]] : (tensor<6x5xf32>, tensor<5x6xf32>) -> tensor<6x6xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.reshape %[[V1]] shape [2, 3, 6] : tensor<6x6xf32> -> tensor<2x3x6xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x6xf32>
func.func @matmul_fold(%x: tensor<2x3x5xf32>, %y: tensor<5x6xf32>) -> tensor<2x3x6xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<2x3x5xf32>, tensor<5x6xf32>) -> tensor<2x3x6xf32>
  return %0 : tensor<2x3x6xf32>
}

// CHECK-LABEL: @matmul_bmm_dynamic(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.bmm %[[arg0]], %[[arg1]] : (tensor<?x3x5xf32>, tensor<?x5x6xf32>) -> tensor<?x3x6xf32>
// CHECK-NEXT: return %[[V0]] : tensor<?x3x6xf32>
func.func @matmul_bmm_dynamic(%x: tensor<?x3x5xf32>, %y: tensor<?x5x6xf32>) -> tensor<?x3x6xf32> {
  %0 = fxgraph.matmul %x, %y : (tensor<?x3x5xf32>, tensor<?x5x6xf32>) -> tensor<?x3x6xf32>
  return %0 : tensor<?x3x6xf32>
}

// CHECK-LABEL: @pieces(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]]:3 = fxgraph.split_with_sizes %[[arg0]] sizes [4, 4, 2] dim 1 : (tensor<4x10xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>)
// CHECK-NEXT: %[[V1:[a-z0-9_]+]]:4 = fxgraph.split_with_sizes %[[arg0]] sizes [3, 3, 3, 1] dim 1 : (tensor<4x10xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>)
// CHECK-NEXT: return %[[V0]]#0, %[[V0]]#2, %[[V1]]#0, %[[V1]]#3 : tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>
func.func @pieces(%x: tensor<4x10xf32>) -> (tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>) {
  %a:3 = fxgraph.split %x size 4 dim -1 : (tensor<4x10xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x2xf32>)
  %b:4 = fxgraph.chunk %x chunks 4 dim 1 : (tensor<4x10xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x1xf32>)
  return %a#0, %a#2, %b#0, %b#3 : tensor<4x4xf32>, tensor<4x2xf32>, tensor<4x3xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: @stack(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg0]] dim 2 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.unsqueeze %[[arg1]] dim 2 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.cat %[[V0]], %[[V1]] dim 2 : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
// CHECK-NEXT: return %[[V2]] : tensor<2x3x2xf32>
func.func @stack(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  %0 = fxgraph.stack %x, %y dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// CHECK-LABEL: @views(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [2, 3, 2, 2] : tensor<2x3x4xf32> -> tensor<2x3x2x2xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [-1] : tensor<2x3x4xf32> -> tensor<24xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.permute %[[arg0]] dims [2, 1, 0] : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]], %[[V2]], %[[V3]] : tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<24xf32>, tensor<4x3x2xf32>
func.func @views(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<24xf32>, tensor<4x3x2xf32>) {
  %0 = fxgraph.flatten %x dims 0 to 1 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %1 = fxgraph.unflatten %x dim 2 sizes [2, -1] : (tensor<2x3x4xf32>) -> tensor<2x3x2x2xf32>
  %2 = fxgraph.view %x shape [-1] : tensor<2x3x4xf32> -> tensor<24xf32>
  %3 = fxgraph.transpose %x dims 0, -1 : (tensor<2x3x4xf32>) -> tensor<4x3x2xf32>
  return %0, %1, %2, %3 : tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<24xf32>, tensor<4x3x2xf32>
}

// CHECK-LABEL: @conv(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.convolution %[[arg0]], %[[arg1]] stride [2, 2] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<1x4x4x4xf32>
func.func @conv(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32> {
  %0 = fxgraph.conv2d %x, %w stride [2, 2] padding [1, 1] dilation [1, 1] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// CHECK-LABEL: @identities(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.relu %[[arg0]] : tensor<4xf32>
// CHECK-NEXT: return %[[arg0]], %[[V0]] : tensor<4xf32>, tensor<4xf32>
func.func @identities(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.dropout %x p 5.000000e-01 training false : tensor<4xf32>
  %1 = fxgraph.contiguous %x : tensor<4xf32>
  %2 = fxgraph.relu %1 : tensor<4xf32>
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: @training(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.dropout %[[arg0]] p 5.000000e-01 : tensor<4xf32>
// CHECK-NEXT: return %[[V0]] : tensor<4xf32>
func.func @training(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.dropout %x p 5.000000e-01 training true : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: @einsum(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [2, 1, 0] : (tensor<5x4x2xf32>) -> tensor<2x4x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.bmm %[[arg0]], %[[V0]] : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.permute %[[V1]] dims [1, 0, 2] : (tensor<2x3x5xf32>) -> tensor<3x2x5xf32>
// CHECK-NEXT: return %[[V2]] : tensor<3x2x5xf32>
func.func @einsum(%x: tensor<2x3x4xf32>, %y: tensor<5x4x2xf32>) -> tensor<3x2x5xf32> {
  %0 = fxgraph.einsum "bij,kjb->ibk", %x, %y : (tensor<2x3x4xf32>, tensor<5x4x2xf32>) -> tensor<3x2x5xf32>
  return %0 : tensor<3x2x5xf32>
}

// CHECK-LABEL: @einsum_stays(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.einsum "ii,ij->j", %[[arg0]], %[[arg1]] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.einsum "ij,jk->i", %[[arg0]], %[[arg1]] : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3xf32>
// CHECK-NEXT: return %[[V0]], %[[V1]] : tensor<4xf32>, tensor<3xf32>
func.func @einsum_stays(%x: tensor<3x3xf32>, %y: tensor<3x4xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0 = fxgraph.einsum "ii,ij->j", %x, %y : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.einsum "ij,jk->i", %x, %y : (tensor<3x3xf32>, tensor<3x4xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<4xf32>, tensor<3xf32>
}

// CHECK-LABEL: @attention(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[Vcst:[a-z0-9_]+]] = fxgraph.constant dense<0.59460355750136051> : tensor<f64>
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.mul %[[arg0]], %[[Vcst]] : (tensor<2x4x5x8xf32>, tensor<f64>) -> tensor<2x4x5x8xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [0, 1, 3, 2] : (tensor<2x4x7x8xf32>) -> tensor<2x4x8x7xf32>
// CHECK-NEXT: %[[Vcst_0:[a-z0-9_]+]] = fxgraph.constant dense<0.59460355750136051> : tensor<f64>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.mul %[[V1]], %[[Vcst_0]] : (tensor<2x4x8x7xf32>, tensor<f64>) -> tensor<2x4x8x7xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V0]] shape [8, 5, 8] : tensor<2x4x5x8xf32> -> tensor<8x5x8xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [8, 8, 7] : tensor<2x4x8x7xf32> -> tensor<8x8x7xf32>
// CHECK-NEXT: %[[V5:[a-z0-9_]+]] = fxgraph.bmm %[[V3]], %[[V4]] : (tensor<8x5x8xf32>, tensor<8x8x7xf32>) -> tensor<8x5x7xf32>
// CHECK-NEXT: %[[V6:[a-z0-9_]+]] = fxgraph.reshape %[[V5]] shape [2, 4, 5, 7] : tensor<8x5x7xf32> -> tensor<2x4x5x7xf32>
// CHECK-NEXT: %[[V7:[a-z0-9_]+]] = fxgraph.softmax %[[V6]] dim -1 : (tensor<2x4x5x7xf32>) -> tensor<2x4x5x7xf32>
// CHECK-NEXT: %[[V8:[a-z0-9_]+]] = fxgraph.reshape %[[V7]] shape [8, 5, 7] : tensor<2x4x5x7xf32> -> tensor<8x5x7xf32>
// CHECK-NEXT: %[[V9:[a-z0-9_]+]] = fxgraph.reshape %[[arg2]] shape [8, 7, 6] : tensor<2x4x7x6xf32> -> tensor<8x7x6xf32>
// CHECK-NEXT: %[[V10:[a-z0-9_]+]] = fxgraph.bmm %[[V8]], %[[V9]] : (tensor<8x5x7xf32>, tensor<8x7x6xf32>) -> tensor<8x5x6xf32>
// CHECK-NEXT: %[[V11:[a-z0-9_]+]] = fxgraph.reshape %[[V10]] shape [2, 4, 5, 6] : tensor<8x5x6xf32> -> tensor<2x4x5x6xf32>
// CHECK-NEXT: return %[[V11]] : tensor<2x4x5x6xf32>
func.func @attention(%q: tensor<2x4x5x8xf32>, %k: tensor<2x4x7x8xf32>, %v: tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<2x4x5x8xf32>, tensor<2x4x7x8xf32>, tensor<2x4x7x6xf32>) -> tensor<2x4x5x6xf32>
  return %0 : tensor<2x4x5x6xf32>
}

// CHECK-LABEL: @fused(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:[a-z0-9_]+]] = fxgraph.permute %[[arg1]] dims [1, 0] : (tensor<5x4xf32>) -> tensor<4x5xf32>
// CHECK-NEXT: %[[V1:[a-z0-9_]+]] = fxgraph.reshape %[[arg0]] shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK-NEXT: %[[V2:[a-z0-9_]+]] = fxgraph.addmm %[[arg2]], %[[V1]], %[[V0]] : (tensor<5xf32>, tensor<6x4xf32>, tensor<4x5xf32>) -> tensor<6x5xf32>
// CHECK-NEXT: %[[V3:[a-z0-9_]+]] = fxgraph.reshape %[[V2]] shape [2, 3, 5] : tensor<6x5xf32> -> tensor<2x3x5xf32>
// CHECK-NEXT: %[[V4:[a-z0-9_]+]] = fxgraph.permute %[[V3]] dims [0, 2, 1] : (tensor<2x3x5xf32>) -> tensor<2x5x3xf32>
// CHECK-NEXT: return %[[V4]] : tensor<2x5x3xf32>
func.func @fused(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x5x3xf32> {
  %0 = fxgraph.linear_transpose %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x5x3xf32>
  return %0 : tensor<2x5x3xf32>
}

// CHECK-LABEL: @dot_compress(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:.*]] = fxgraph.permute %[[arg0]] dims [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: %[[V1:.*]] = fxgraph.reshape %[[V0]] shape [8, 3] : tensor<2x4x3xf32> -> tensor<8x3xf32>
// CHECK-NEXT: %[[V2:.*]] = fxgraph.mm %[[V1]], %[[arg1]]
// CHECK-NEXT: %[[V3:.*]] = fxgraph.reshape %[[V2]] shape [2, 4, 5]
// CHECK-NEXT: %[[V4:.*]] = fxgraph.bmm %[[arg0]], %[[V3]]
// CHECK-NEXT: return %[[V4]] : tensor<2x3x5xf32>
func.func @dot_compress(%x: tensor<2x3x4xf32>, %w: tensor<3x5xf32>) -> tensor<2x3x5xf32> {
  %0 = fxgraph.dot_compress %x, %w : (tensor<2x3x4xf32>, tensor<3x5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// CHECK-LABEL: @lce(
// CHECK-SAME: %[[arg0:[a-z0-9_]+]]: {{[^%]*}}, %[[arg1:[a-z0-9_]+]]: {{[^%]*}}, %[[arg2:[a-z0-9_]+]]: {{[^%]*}}
// CHECK-NEXT: %[[V0:.*]] = fxgraph.expand %[[arg1]] shape [2, 5, 3]
// CHECK-NEXT: %[[V1:.*]] = fxgraph.unsqueeze %[[arg2]] dim 1
// CHECK-NEXT: %[[V2:.*]] = fxgraph.baddbmm %[[V1]], %[[V0]], %[[arg0]]
// CHECK-NEXT: return %[[V2]] : tensor<2x5x4xf32>
func.func @lce(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<2x5x4xf32> {
  %0 = fxgraph.lce %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// The batch is not known: the bias goes through linear.
// CHECK-LABEL: @lce_dynamic(
// CHECK-NOT: fxgraph.lce
// CHECK: fxgraph.permute %{{.*}} dims [0, 2, 1] : (tensor<?x4x5xf32>) -> tensor<?x5x4xf32>
func.func @lce_dynamic(%x: tensor<?x3x4xf32>, %w: tensor<5x3xf32>, %b: tensor<5xf32>) -> tensor<?x5x4xf32> {
  %0 = fxgraph.lce %x, %w, %b : (tensor<?x3x4xf32>, tensor<5x3xf32>, tensor<5xf32>) -> tensor<?x5x4xf32>
  return %0 : tensor<?x5x4xf32>
}

// CHECK-LABEL: @lce_without_bias(
// CHECK: fxgraph.bmm
func.func @lce_without_bias(%x: tensor<2x3x4xf32>, %w: tensor<5x3xf32>) -> tensor<2x5x4xf32> {
  %0 = fxgraph.lce %x, %w : (tensor<2x3x4xf32>, tensor<5x3xf32>) -> tensor<2x5x4xf32>
  return %0 : tensor<2x5x4xf32>
}

// CHECK-LABEL: @quantize(
// CHECK: %[[V0:.*]] = fxgraph.convert_element_type %{{.*}} : (tensor<?xbf16>) -> tensor<?xf32>
// CHECK: %[[V1:.*]] = fxgraph.mul %[[V0]],
// CHECK: %[[V2:.*]] = fxgraph.round %[[V1]]
// CHECK: %[[V3:.*]] = fxgraph.add %[[V2]],
// CHECK: %[[V4:.*]] = fxgraph.clamp %[[V3]] min 0.000000e+00 max 2.550000e+02
// CHECK: %[[V5:.*]] = fxgraph.convert_element_type %[[V4]] : (tensor<?xf32>) -> tensor<?xui8>
// CHECK: %[[V6:.*]] = fxgraph.convert_element_type %[[V5]] : (tensor<?xui8>) -> tensor<?xf64>
// CHECK: %[[V7:.*]] = fxgraph.sub %[[V6]],
// CHECK: fxgraph.mul %[[V7]],
func.func @quantize(%x: tensor<?xbf16>) -> tensor<?xf64> {
  %0 = fxgraph.quantize_per_tensor %x scale 0.5 zero_point 3 range [0, 255] : (tensor<?xbf16>) -> tensor<?xui8>
  %1 = fxgraph.dequantize_per_tensor %0 scale 0.5 zero_point 3 range [0, 255] : (tensor<?xui8>) -> tensor<?xf64>
  return %1 : tensor<?xf64>
}

// Products that passes of the post-grad level make stay.
// CHECK-LABEL: func.func @post_grad_products
// CHECK: fxgraph.mm_plus_mm
// CHECK: fxgraph.addmm_activation
// CHECK: fxgraph.int_mm_mul
// CHECK: fxgraph.grouped_mm
// CHECK: fxgraph.b2b_gemm
func.func @post_grad_products(%a: tensor<4x4xf32>, %b: tensor<4xf32>, %i: tensor<4x4xi8>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = fxgraph.mm_plus_mm %a, %a, %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.addmm_activation %b, %a, %a : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = fxgraph.int_mm_mul %i, %i, %a : (tensor<4x4xi8>, tensor<4x4xi8>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = fxgraph.grouped_mm (%a) x (%a) : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.b2b_gemm %a, %a, %a left true {
  ^bb0(%x: tensor<4x4xf32>):
    fxgraph.yield %x : tensor<4x4xf32>
  } : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>
}
