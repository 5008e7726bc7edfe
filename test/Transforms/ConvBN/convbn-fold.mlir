// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-fold))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-fold,fxgraph-convbn-fold))' | FileCheck %s

!c = tensor<4xf32>

// No bias, no affine parameters, groups and padding are kept.
// CHECK-LABEL: func.func @grouped_without_parameters
// CHECK-NOT: batch_norm
// CHECK: %[[N:.+]] = fxgraph.neg %arg2
// CHECK: %[[B:.+]] = fxgraph.mul %[[N]]
// CHECK: fxgraph.conv1d %arg0, %{{.*}}, %[[B]] stride [2] padding [1] dilation [1] groups 2
func.func @grouped_without_parameters(%x: tensor<1x2x9xf32>, %w: tensor<4x1x3xf32> {fxgraph.kind = "parameter"},
    %mean: !c {fxgraph.kind = "buffer"}, %var: !c {fxgraph.kind = "buffer"}) -> tensor<1x4x5xf32> {
  %0 = fxgraph.conv1d %x, %w stride [2] padding [1] dilation [1] groups 2 : (tensor<1x2x9xf32>, tensor<4x1x3xf32>) -> tensor<1x4x5xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var eps 1.0e-03 : (tensor<1x4x5xf32>, !c, !c) -> tensor<1x4x5xf32>
  return %1 : tensor<1x4x5xf32>
}

// -----

!c = tensor<4xf32>

// Transposed: output channels on dimension 1 of the weight.
// CHECK-LABEL: func.func @transposed
// CHECK: fxgraph.reshape {{.*}} shape [1, -1, 1, 1]
// CHECK: fxgraph.convolution {{.*}} transposed true
// CHECK-NOT: batch_norm
func.func @transposed(%x: tensor<1x2x5x5xf32>, %w: tensor<2x4x3x3xf32> {fxgraph.kind = "parameter"},
    %mean: !c {fxgraph.kind = "buffer"}, %var: !c {fxgraph.kind = "buffer"}) -> tensor<1x4x7x7xf32> {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] transposed true output_padding [0, 0]
    : (tensor<1x2x5x5xf32>, tensor<2x4x3x3xf32>) -> tensor<1x4x7x7xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var eps 1.0e-03 : (tensor<1x4x7x7xf32>, !c, !c) -> tensor<1x4x7x7xf32>
  return %1 : tensor<1x4x7x7xf32>
}

// -----

!c = tensor<6xf32>

// Transposed with two groups: channels [2, 3].
// CHECK-LABEL: func.func @transposed_grouped
// CHECK-DAG: fxgraph.reshape %arg1 shape [2, 2, 3, 3]
// CHECK-DAG: fxgraph.reshape {{.*}} shape [2, 1, 3, 1] : tensor<6xf32>
// CHECK: fxgraph.reshape {{.*}} shape [4, 3, 3]
// CHECK: fxgraph.convolution {{.*}} groups 2
// CHECK-NOT: batch_norm
func.func @transposed_grouped(%x: tensor<1x4x5xf32>, %w: tensor<4x3x3xf32> {fxgraph.kind = "parameter"},
    %mean: !c {fxgraph.kind = "buffer"}, %var: !c {fxgraph.kind = "buffer"}) -> tensor<1x6x7xf32> {
  %0 = fxgraph.convolution %x, %w stride [1] padding [0] dilation [1] transposed true output_padding [0] groups 2
    : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x6x7xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var eps 1.0e-03 : (tensor<1x6x7xf32>, !c, !c) -> tensor<1x6x7xf32>
  return %1 : tensor<1x6x7xf32>
}

// -----

!c = tensor<4xf16>

// 16 bits: folded in 32 and rounded once.
// CHECK-LABEL: func.func @half_linear
// CHECK: fxgraph.convert_element_type {{.*}} -> tensor<4xf32>
// CHECK: fxgraph.mul {{.*}} -> tensor<4x3xf32>
// CHECK: fxgraph.convert_element_type {{.*}} -> tensor<4x3xf16>
// CHECK: fxgraph.linear {{.*}} -> tensor<5x4xf16>
// CHECK-NOT: batch_norm
func.func @half_linear(%x: tensor<5x3xf16>, %w: tensor<4x3xf16> {fxgraph.kind = "parameter"}, %b: !c {fxgraph.kind = "parameter"},
    %mean: !c {fxgraph.kind = "buffer"}, %var: !c {fxgraph.kind = "buffer"}, %g: !c {fxgraph.kind = "parameter"}) -> tensor<5x4xf16> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<5x3xf16>, tensor<4x3xf16>, !c) -> tensor<5x4xf16>
  %1 = fxgraph.batch_norm %0 mean %mean var %var weight %g eps 1.0e-03 : (tensor<5x4xf16>, !c, !c, !c) -> tensor<5x4xf16>
  return %1 : tensor<5x4xf16>
}

// -----

!c = tensor<4xf32>
!y = tensor<1x4x5xf32>

// Two norms in a row, one weight in two convolutions, a constant as variance.
// CHECK-LABEL: func.func @shared_weight
// CHECK-NOT: batch_norm
// CHECK: fxgraph.conv1d
// CHECK-NOT: batch_norm
// CHECK: fxgraph.conv1d
// CHECK-NOT: batch_norm
func.func @shared_weight(%x: tensor<1x2x5xf32>, %w: tensor<4x2x1xf32> {fxgraph.kind = "parameter"},
    %mean: !c {fxgraph.kind = "buffer"}, %var: !c {fxgraph.kind = "buffer"}) -> !y {
  %v = fxgraph.constant dense<2.0> : !c
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<1x2x5xf32>, tensor<4x2x1xf32>) -> !y
  %1 = fxgraph.batch_norm %0 mean %mean var %var eps 1.0e-03 : (!y, !c, !c) -> !y
  %2 = fxgraph.batch_norm %1 mean %mean var %v eps 1.0e-03 : (!y, !c, !c) -> !y
  %3 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<1x2x5xf32>, tensor<4x2x1xf32>) -> !y
  %4 = fxgraph.batch_norm %3 mean %mean var %v eps 1.0e-03 : (!y, !c, !c) -> !y
  %5 = fxgraph.add %2, %4 : (!y, !y) -> !y
  return %5 : !y
}
