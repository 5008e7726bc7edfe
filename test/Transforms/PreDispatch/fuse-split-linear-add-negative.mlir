// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @other_dimension
// CHECK-COUNT-2: fxgraph.linear
func.func @other_dimension(%x: tensor<4x8xf32>, %w: tensor<6x8xf32>) -> tensor<2x6xf32> {
  // expected-remark @below {{the split is not along the last dimension}}
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<2x8xf32>, tensor<6x8xf32>) -> tensor<2x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return %2 : tensor<2x6xf32>
}

// CHECK-LABEL: func @piece_missing
// CHECK-COUNT-2: fxgraph.linear
func.func @piece_missing(%x: tensor<4x6xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{a piece is not used by one linear alone}}
  %p:3 = fxgraph.split %x size 2 dim 1 : (tensor<4x6xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @piece_used_twice
// CHECK-COUNT-2: fxgraph.linear
func.func @piece_used_twice(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>) -> (tensor<4x6xf32>, tensor<4x2xf32>) {
  // expected-remark @below {{a piece is not used by one linear alone}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = fxgraph.neg %p#1 : tensor<4x2xf32>
  return %2, %3 : tensor<4x6xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func @linear_used_twice
// CHECK-COUNT-2: fxgraph.linear
func.func @linear_used_twice(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{a summand has other users}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = fxgraph.add %2, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func @alpha
// CHECK-COUNT-2: fxgraph.linear
func.func @alpha(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{the linears are not summed by plain adds}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 alpha 2.0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @not_a_sum
// CHECK-COUNT-2: fxgraph.linear
func.func @not_a_sum(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{the linears are not summed by plain adds}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.mul %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @something_between
// CHECK-COUNT-2: fxgraph.linear
func.func @something_between(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>, %r: tensor<4x6xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{other summands stand between the linears}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %r : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %3 = fxgraph.add %2, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %3 : tensor<4x6xf32>
}

// CHECK-LABEL: func @broadcast_outputs
// CHECK-COUNT-2: fxgraph.linear
func.func @broadcast_outputs(%x: tensor<4x4xf32>, %v: tensor<1x2xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{the linears have different outputs}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %v : (tensor<4x2xf32>, tensor<1x2xf32>) -> tensor<4x1xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @scalar_bias
// CHECK-COUNT-2: fxgraph.linear
func.func @scalar_bias(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>, %b: tensor<1xf32>) -> tensor<4x6xf32> {
  // expected-remark @below {{expected a bias with one value for each output}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w, %b : (tensor<4x2xf32>, tensor<6x2xf32>, tensor<1xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// The partial sums are rounded to 16 bits.
// CHECK-LABEL: func @narrow
// CHECK-COUNT-2: fxgraph.linear
func.func @narrow(%x: tensor<4x4xbf16>, %w: tensor<6x2xbf16>) -> tensor<4x6xbf16> {
  // expected-remark @below {{the rewrite does not round partial sums of 16 bits, which needs numerics=relaxed}}
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xbf16>) -> (tensor<4x2xbf16>, tensor<4x2xbf16>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xbf16>, tensor<6x2xbf16>) -> tensor<4x6xbf16>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xbf16>, tensor<6x2xbf16>) -> tensor<4x6xbf16>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %2 : tensor<4x6xbf16>
}
