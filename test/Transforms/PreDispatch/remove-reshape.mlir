// RUN: fx-opt %s --fxgraph-predispatch-remove-reshape -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-remove-reshape -o %t.twice
// RUN: diff %t.once %t.twice

// Other users keep the inner one.
// CHECK-LABEL: func @inner_is_used
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK: %[[A:.+]] = fxgraph.view %[[X]] shape [24]
// CHECK: fxgraph.neg %[[A]]
// CHECK: fxgraph.reshape %[[X]] shape [3, 8]
func.func @inner_is_used(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<3x8xf32>) {
  %0 = fxgraph.view %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.neg %0 : tensor<24xf32>
  %2 = fxgraph.unflatten %0 dim 0 sizes [3, 8] : (tensor<24xf32>) -> tensor<3x8xf32>
  return %1, %2 : tensor<24xf32>, tensor<3x8xf32>
}

// CHECK-LABEL: func @squeeze_and_back
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: fxgraph.neg %[[X]]
func.func @squeeze_and_back(%x: tensor<4x1x6xf32>) -> tensor<4x1x6xf32> {
  %0 = fxgraph.squeeze %x dims [1] : (tensor<4x1x6xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.unsqueeze %0 dim 1 : (tensor<4x6xf32>) -> tensor<4x1x6xf32>
  %2 = fxgraph.neg %1 : tensor<4x1x6xf32>
  return %2 : tensor<4x1x6xf32>
}

// Symbols are known extents.
// CHECK-LABEL: func @symbols
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: fxgraph.neg %[[X]]
func.func @symbols(%x: tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x6xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.unsqueeze %x dim 0 : (tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.squeeze %0 dims [0] : (tensor<1x?x6xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.neg %1 : tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
  return %2 : tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>
}

// There and back over several steps.
// CHECK-LABEL: func @long_way_back
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: fxgraph.neg %[[X]]
func.func @long_way_back(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.reshape %x shape [2, 12] : tensor<4x6xf32> -> tensor<2x12xf32>
  %1 = fxgraph.unsqueeze %0 dim 1 : (tensor<2x12xf32>) -> tensor<2x1x12xf32>
  %2 = fxgraph.reshape %1 shape [24] : tensor<2x1x12xf32> -> tensor<24xf32>
  %3 = fxgraph.view %2 shape [4, 6] : tensor<24xf32> -> tensor<4x6xf32>
  %4 = fxgraph.neg %3 : tensor<4x6xf32>
  return %4 : tensor<4x6xf32>
}

// CHECK-LABEL: func @own_shape
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: fxgraph.neg %[[X]]
func.func @own_shape(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.reshape %x shape [4, -1] : tensor<4x6xf32> -> tensor<4x6xf32>
  %1 = fxgraph.neg %0 : tensor<4x6xf32>
  return %1 : tensor<4x6xf32>
}

// Several elementwise ops, the last of which changes the element type.
// CHECK-LABEL: func @elementwise_chain
// CHECK-SAME: %[[X:[a-z0-9]+]]
// CHECK-NEXT: %[[A:.+]] = fxgraph.tanh %[[X]] : tensor<4x6xf32>
// CHECK-NEXT: %[[B:.+]] = fxgraph.clamp %[[A]] min 0.000000e+00 : tensor<4x6xf32>
// CHECK-NEXT: %[[C:.+]] = fxgraph.isnan %[[B]] : (tensor<4x6xf32>) -> tensor<4x6xi1>
// CHECK-NEXT: return %[[C]]
func.func @elementwise_chain(%x: tensor<4x6xf32>) -> tensor<4x6xi1> {
  %0 = fxgraph.reshape %x shape [24] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.tanh %0 : tensor<24xf32>
  %2 = fxgraph.clamp %1 min 0.0 : tensor<24xf32>
  %3 = fxgraph.isnan %2 : (tensor<24xf32>) -> tensor<24xi1>
  %4 = fxgraph.reshape %3 shape [4, 6] : tensor<24xi1> -> tensor<4x6xi1>
  return %4 : tensor<4x6xi1>
}
