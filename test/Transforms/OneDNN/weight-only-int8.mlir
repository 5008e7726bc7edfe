// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-weight-only-int8))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-weight-only-int8))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-weight-only-int8{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: weight_int8pack_mm

// CHECK-LABEL: func.func @spellings
// CHECK-NEXT: fxgraph.weight_int8pack_mm %arg0, %arg1, %arg2
// CHECK-NEXT: fxgraph.weight_int8pack_mm %arg0, %arg1, %arg2
// CHECK-NEXT: fxgraph.weight_int8pack_mm %arg0, %arg1, %arg2
// CHECK-NEXT: return
func.func @spellings(%x: tensor<4x8xf16>, %w: tensor<3x8xi8>, %s: tensor<3xf16>) -> (tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>) {
  %0 = fxgraph.permute %w dims [1, 0] : (tensor<3x8xi8>) -> tensor<8x3xi8>
  %1 = fxgraph.convert_element_type %0 : (tensor<8x3xi8>) -> tensor<8x3xf16>
  %2 = fxgraph.mm %x, %1 : (tensor<4x8xf16>, tensor<8x3xf16>) -> tensor<4x3xf16>
  %3 = fxgraph.mul %2, %s : (tensor<4x3xf16>, tensor<3xf16>) -> tensor<4x3xf16>
  %4 = fxgraph.convert_element_type %w : (tensor<3x8xi8>) -> tensor<3x8xf16>
  %5 = fxgraph.linear %x, %4 : (tensor<4x8xf16>, tensor<3x8xf16>) -> tensor<4x3xf16>
  %6 = fxgraph.mul %5, %s : (tensor<4x3xf16>, tensor<3xf16>) -> tensor<4x3xf16>
  %7 = fxgraph.transpose %4 dims 0, 1 : (tensor<3x8xf16>) -> tensor<8x3xf16>
  %8 = fxgraph.mm %x, %7 : (tensor<4x8xf16>, tensor<8x3xf16>) -> tensor<4x3xf16>
  %9 = fxgraph.mul %8, %s : (tensor<4x3xf16>, tensor<3xf16>) -> tensor<4x3xf16>
  return %3, %6, %9 : tensor<4x3xf16>, tensor<4x3xf16>, tensor<4x3xf16>
}

// CHECK-LABEL: func.func @reshaped
// CHECK: %[[P:.+]] = fxgraph.weight_int8pack_mm
// CHECK-NEXT: %[[A:.+]] = fxgraph.reshape %[[P]] shape [2, 2, 3]
// CHECK-NEXT: %[[P:.+]] = fxgraph.weight_int8pack_mm
// CHECK-NEXT: %[[B:.+]] = fxgraph.view %[[P]] shape [2, 2, 3]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @reshaped(%r: tensor<2x2x8xbf16>, %w: tensor<3x8xi8>, %s: tensor<3xbf16>) -> (tensor<2x2x3xbf16>, tensor<2x2x3xbf16>) {
  %x = fxgraph.reshape %r shape [4, 8] : tensor<2x2x8xbf16> -> tensor<4x8xbf16>
  %0 = fxgraph.convert_element_type %w : (tensor<3x8xi8>) -> tensor<3x8xbf16>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<3x8xbf16>) -> tensor<8x3xbf16>
  %2 = fxgraph.mm %x, %1 : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %3 = fxgraph.reshape %2 shape [2, 2, 3] : tensor<4x3xbf16> -> tensor<2x2x3xbf16>
  %4 = fxgraph.mul %3, %s : (tensor<2x2x3xbf16>, tensor<3xbf16>) -> tensor<2x2x3xbf16>
  %5 = fxgraph.permute %w dims [1, 0] : (tensor<3x8xi8>) -> tensor<8x3xi8>
  %6 = fxgraph.convert_element_type %5 : (tensor<8x3xi8>) -> tensor<8x3xbf16>
  %7 = fxgraph.mm %x, %6 : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %8 = fxgraph.view %7 shape [2, 2, 3] : tensor<4x3xbf16> -> tensor<2x2x3xbf16>
  %9 = fxgraph.mul %8, %s : (tensor<2x2x3xbf16>, tensor<3xbf16>) -> tensor<2x2x3xbf16>
  return %4, %9 : tensor<2x2x3xbf16>, tensor<2x2x3xbf16>
}

// A symbol; no rows.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-2: fxgraph.weight_int8pack_mm
func.func @kinds(%x: tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>, %e: tensor<0x8xf32>, %w: tensor<3x8xi8>, %s: tensor<3xf32>) -> (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x3xf32>) {
  %0 = fxgraph.convert_element_type %w : (tensor<3x8xi8>) -> tensor<3x8xf32>
  %1 = fxgraph.linear %x, %0 : (tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>, tensor<3x8xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.mul %1, %s : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.linear %e, %0 : (tensor<0x8xf32>, tensor<3x8xf32>) -> tensor<0x3xf32>
  %4 = fxgraph.mul %3, %s : (tensor<0x3xf32>, tensor<3xf32>) -> tensor<0x3xf32>
  return %2, %4 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x3xf32>
}
