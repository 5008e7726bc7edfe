// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-pack-weights))' | diff %t.once -

!p = tensor<8x3xf32>

// A constant, a weight joined of parameters, a linear of any rank, 16 bits, a symbol.
// CHECK-LABEL: func.func @products
// CHECK: %[[T:.+]] = fxgraph.permute %{{.*}} dims [1, 0] : (tensor<8x3xf32>) -> tensor<3x8xf32>
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %[[T]] :
// CHECK: %[[C:.+]] = fxgraph.cat
// CHECK-NEXT: %[[T:.+]] = fxgraph.permute %[[C]] dims [1, 0]
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %[[T]] :
// CHECK-NEXT: fxgraph.linear_pointwise %arg3, %arg4 :
// CHECK-NEXT: fxgraph.permute %arg6
// CHECK-NEXT: fxgraph.linear_pointwise %arg5
// CHECK-NEXT: fxgraph.permute %arg1
// CHECK-NEXT: fxgraph.linear_pointwise %arg7
// CHECK-NOT: fxgraph.mm
func.func @products(%x: tensor<4x8xf32>, %w: !p {fxgraph.kind = "parameter"}, %v: !p {fxgraph.kind = "buffer"}, %r: tensor<2x4x8xf32>, %lw: tensor<5x8xf32> {fxgraph.kind = "parameter"}, %h: tensor<4x8xbf16>, %hw: tensor<8x3xbf16> {fxgraph.kind = "parameter"}, %s: tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>)
    -> (tensor<4x3xf32>, tensor<4x6xf32>, tensor<2x4x5xf32>, tensor<4x3xbf16>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  %c = fxgraph.constant dense<0.5> : tensor<8x3xf32>
  %0 = fxgraph.mm %x, %c : (tensor<4x8xf32>, !p) -> tensor<4x3xf32>
  %1 = fxgraph.cat %w, %v dim 1 : (!p, !p) -> tensor<8x6xf32>
  %2 = fxgraph.mm %x, %1 : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %3 = fxgraph.linear %r, %lw : (tensor<2x4x8xf32>, tensor<5x8xf32>) -> tensor<2x4x5xf32>
  %4 = fxgraph.mm %h, %hw : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %5 = fxgraph.mm %s, %w : (tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>, !p) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %0, %2, %3, %4, %5 : tensor<4x3xf32>, tensor<4x6xf32>, tensor<2x4x5xf32>, tensor<4x3xbf16>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// With beta 0 the input is not read, NaNs neither; its shape does not count.
// CHECK-LABEL: func.func @beta
// CHECK: fxgraph.linear_pointwise %arg0, %{{.*}} : (tensor<4x8xf32>, tensor<3x8xf32>) -> tensor<4x3xf32>
func.func @beta(%x: tensor<4x8xf32>, %w: !p {fxgraph.kind = "parameter"}, %b: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.addmm %b, %x, %w beta 0.0 : (tensor<4x3xf32>, tensor<4x8xf32>, !p) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// No rows; a sum of nothing.
// CHECK-LABEL: func.func @empty
// CHECK-COUNT-2: fxgraph.linear_pointwise
func.func @empty(%x: tensor<0x8xf32>, %w: !p {fxgraph.kind = "parameter"}, %y: tensor<4x0xf32>, %v: tensor<0x3xf32> {fxgraph.kind = "parameter"}) -> (tensor<0x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<0x8xf32>, !p) -> tensor<0x3xf32>
  %1 = fxgraph.mm %y, %v : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  return %0, %1 : tensor<0x3xf32>, tensor<4x3xf32>
}

// A bias, groups; transposed, of known extents.
// CHECK-LABEL: func.func @convolutions
// CHECK: fxgraph.convolution_pointwise %arg0, %arg1 bias %arg2 stride [2, 1] padding [1, 0] dilation [1, 2] output_padding [0, 0] groups 2
// CHECK: fxgraph.convolution_pointwise %arg0, %arg3 stride [2, 2] padding [1, 1] dilation [1, 1] output_padding [1, 1] transposed true
func.func @convolutions(%x: tensor<1x4x9x8xf32>, %w: tensor<6x2x3x3xf32> {fxgraph.kind = "parameter"}, %b: tensor<6xf32>, %t: tensor<4x3x3x3xf32> {fxgraph.kind = "parameter"}) -> (tensor<1x6x5x4xf32>, tensor<1x3x18x16xf32>) {
  %0 = fxgraph.convolution %x, %w, %b stride [2, 1] padding [1, 0] dilation [1, 2] output_padding [0, 0] groups 2 : (tensor<1x4x9x8xf32>, tensor<6x2x3x3xf32>, tensor<6xf32>) -> tensor<1x6x5x4xf32>
  %1 = fxgraph.convolution %x, %t stride [2, 2] padding [1, 1] dilation [1, 1] transposed true output_padding [1, 1] : (tensor<1x4x9x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x3x18x16xf32>
  return %0, %1 : tensor<1x6x5x4xf32>, tensor<1x3x18x16xf32>
}

// Leading dimensions that were merged for the product; the merged input of two products.
// CHECK-LABEL: func.func @merged
// CHECK-NOT: fxgraph.view
// CHECK: %[[A:.+]] = fxgraph.linear_pointwise %arg0, %{{.*}} bias %arg3 : (tensor<2x4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
// CHECK: %[[B:.+]] = fxgraph.linear_pointwise %arg0, %{{.*}} : (tensor<2x4x8xf32>, tensor<3x8xf32>) -> tensor<2x4x3xf32>
// CHECK: return %[[A]], %[[B]]
func.func @merged(%x: tensor<2x4x8xf32>, %w: !p {fxgraph.kind = "parameter"}, %v: !p {fxgraph.kind = "parameter"}, %b: tensor<3xf32>) -> (tensor<2x4x3xf32>, tensor<2x4x3xf32>) {
  %0 = fxgraph.view %x shape [8, 8] : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %1 = fxgraph.addmm %b, %0, %w : (tensor<3xf32>, tensor<8x8xf32>, !p) -> tensor<8x3xf32>
  %2 = fxgraph.view %1 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  %3 = fxgraph.mm %0, %v : (tensor<8x8xf32>, !p) -> tensor<8x3xf32>
  %4 = fxgraph.reshape %3 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  return %2, %4 : tensor<2x4x3xf32>, tensor<2x4x3xf32>
}

// The rows are used as such, or come back in another order of dimensions, or the reshape changes what is summed.
// CHECK-LABEL: func.func @not_merged
// CHECK-COUNT-6: fxgraph.view
func.func @not_merged(%x: tensor<2x4x8xf32>, %y: tensor<4x8x2xf32>, %w: !p {fxgraph.kind = "parameter"}, %v: !p {fxgraph.kind = "parameter"}, %u: !p {fxgraph.kind = "parameter"})
    -> (tensor<2x4x3xf32>, tensor<8x3xf32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>) {
  %0 = fxgraph.view %x shape [8, 8] : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %1 = fxgraph.mm %0, %w : (tensor<8x8xf32>, !p) -> tensor<8x3xf32>
  %2 = fxgraph.view %1 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  %3 = fxgraph.relu %1 : tensor<8x3xf32>
  %4 = fxgraph.view %x shape [8, 8] : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %5 = fxgraph.mm %4, %v : (tensor<8x8xf32>, !p) -> tensor<8x3xf32>
  %6 = fxgraph.view %5 shape [4, 2, 3] : tensor<8x3xf32> -> tensor<4x2x3xf32>
  %7 = fxgraph.view %y shape [8, 8] : tensor<4x8x2xf32> -> tensor<8x8xf32>
  %8 = fxgraph.mm %7, %u : (tensor<8x8xf32>, !p) -> tensor<8x3xf32>
  %9 = fxgraph.view %8 shape [4, 2, 3] : tensor<8x3xf32> -> tensor<4x2x3xf32>
  return %2, %3, %6, %9 : tensor<2x4x3xf32>, tensor<8x3xf32>, tensor<4x2x3xf32>, tensor<4x2x3xf32>
}

// A product whose weight of f16 is widened is there already; its reshapes go as well.
// CHECK-LABEL: func.func @reshaped_half
// CHECK-NEXT: %[[P:.+]] = fxgraph.linear_pointwise %arg0, %arg1 : (tensor<2x4x8xf32>, tensor<3x8xf16>) -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[P]]
func.func @reshaped_half(%x: tensor<2x4x8xf32>, %w: tensor<3x8xf16>) -> tensor<2x4x3xf32> {
  %0 = fxgraph.view %x shape [8, 8] : tensor<2x4x8xf32> -> tensor<8x8xf32>
  %1 = fxgraph.linear_pointwise %0, %w : (tensor<8x8xf32>, tensor<3x8xf16>) -> tensor<8x3xf32>
  %2 = fxgraph.view %1 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  return %2 : tensor<2x4x3xf32>
}
