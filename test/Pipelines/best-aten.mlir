// mode=best behind autodiff. A batch that leaves more ops than there were, or takes longer, is not made.
// RUN: fx-opt %s --fxgraph-post-grad="fusions=batch-aten-mul{min-fuse-set-size=3}" | FileCheck %s --check-prefix=INDUCTOR
// RUN: fx-opt %s --fxgraph-post-grad="fusions=batch-aten-mul{min-fuse-set-size=3} mode=best" | FileCheck %s
// Freezing computes equal ops once, as Inductor does before its passes.
// RUN: fx-opt %s --fxgraph-freezing | FileCheck %s --check-prefix=TWICE
// RUN: fx-opt %s --fxgraph-freezing=mode=best | FileCheck %s --check-prefix=ONCE

// INDUCTOR-LABEL: func.func @products
// INDUCTOR-COUNT-2: fxgraph.stack
// CHECK-LABEL: func.func @products
// CHECK-NOT: fxgraph.stack
// CHECK-COUNT-3: fxgraph.mul
func.func @products(%a: tensor<4xf32>, %b: tensor<4xf32>, %c: tensor<4xf32>, %d: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.mul %b, %c : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.mul %c, %d : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// TWICE-LABEL: func.func @twice
// TWICE-COUNT-2: fxgraph.mm
// ONCE-LABEL: func.func @twice
// ONCE-COUNT-1: fxgraph.mm
// ONCE-NOT: fxgraph.mm
// ONCE: fxgraph.relu
func.func @twice(%x: tensor<2x3xf32>, %w: tensor<3x4xf32> {fxgraph.kind = "parameter"}) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.mm %x, %w : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %2 = fxgraph.relu %0 : tensor<2x4xf32>
  %3 = fxgraph.neg %1 : tensor<2x4xf32>
  return %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>
}

// A number in any shape that becomes a bias is one in the bias's shape, and nothing is computed of it.
// TWICE-LABEL: func.func @uniform_bias
// TWICE: fxgraph.convert_element_type
// TWICE: fxgraph.reshape
// ONCE-LABEL: func.func @uniform_bias
// ONCE-NEXT: %[[BIAS:.*]] = fxgraph.full 5.000000e-01 : tensor<4xbf16>
// ONCE-NEXT: fxgraph.convolution %{{.*}}, %{{.*}}, %[[BIAS]]
// ONCE-NEXT: return
func.func @uniform_bias(%x: tensor<3x4x3x4xbf16>, %w: tensor<4x4x3x1xbf16> {fxgraph.kind = "parameter"}) -> tensor<3x4x1x4xbf16> {
  %0 = fxgraph.full 5.000000e-01 : tensor<4x1x1xbf16>
  %1 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<3x4x3x4xbf16>, tensor<4x4x3x1xbf16>) -> tensor<3x4x1x4xbf16>
  %2 = fxgraph.add %1, %0 : (tensor<3x4x1x4xbf16>, tensor<4x1x1xbf16>) -> tensor<3x4x1x4xbf16>
  return %2 : tensor<3x4x1x4xbf16>
}

// A bias that the caller gives stays what it is.
// ONCE-LABEL: func.func @given_bias
// ONCE: fxgraph.convert_element_type
// ONCE: fxgraph.reshape
func.func @given_bias(%x: tensor<3x4x3x4xbf16>, %w: tensor<4x4x3x1xbf16> {fxgraph.kind = "parameter"}, %b: tensor<4x1x1xbf16> {fxgraph.kind = "parameter"}) -> tensor<3x4x1x4xbf16> {
  %1 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] output_padding [0, 0] : (tensor<3x4x3x4xbf16>, tensor<4x4x3x1xbf16>) -> tensor<3x4x1x4xbf16>
  %2 = fxgraph.add %1, %b : (tensor<3x4x1x4xbf16>, tensor<4x1x1xbf16>) -> tensor<3x4x1x4xbf16>
  return %2 : tensor<3x4x1x4xbf16>
}

// What one pass leaves larger does not take along what the others did.
// RUN: fx-opt %s --fxgraph-joint-graph="mode=best default-device=cuda" | FileCheck %s --check-prefix=JOINT
// JOINT-LABEL: func.func @batch_of_one
// JOINT: fxgraph.bmm
// JOINT-NEXT: fxgraph.relu
// JOINT-NEXT: return
func.func @batch_of_one(%x: tensor<1x3x4xf32>, %y: tensor<1x4x5xf32>) -> tensor<1x3x5xf32> {
  %0 = fxgraph.clone %x : tensor<1x3x4xf32>
  %1 = fxgraph.bmm %0, %y : (tensor<1x3x4xf32>, tensor<1x4x5xf32>) -> tensor<1x3x5xf32>
  %2 = fxgraph.view %1 shape [15] : tensor<1x3x5xf32> -> tensor<15xf32>
  %3 = fxgraph.view %2 shape [1, 3, 5] : tensor<15xf32> -> tensor<1x3x5xf32>
  %4 = fxgraph.relu %3 : tensor<1x3x5xf32>
  return %4 : tensor<1x3x5xf32>
}

// A piece of what was put together is what it was before; one that is not stays a piece.
// JOINT-LABEL: func.func @pieces
// JOINT-NEXT: %[[C:.*]] = fxgraph.clone %arg1
// JOINT-NEXT: return %[[C]]
func.func @pieces(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1:2 = fxgraph.split_with_sizes %0 sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %2 = fxgraph.clone %1#1 : tensor<2xf32>
  return %2 : tensor<2xf32>
}
// JOINT-LABEL: func.func @other_pieces
// JOINT-NEXT: fxgraph.cat
// JOINT-NEXT: fxgraph.split_with_sizes
// JOINT: return
func.func @other_pieces(%a: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1:2 = fxgraph.split_with_sizes %0 sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  %2 = fxgraph.clone %1#1 : tensor<3xf32>
  return %2 : tensor<3xf32>
}
