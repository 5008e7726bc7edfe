// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval{numerics=reassociate}))' | FileCheck %s

// CHECK-NOT: rsqrt

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

func.func @training(%x: !x, %w: !w) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{the norm is in training mode}}
  %1 = fxgraph.batch_norm %0 eps 1.0e-05 training true : (!y) -> !y
  return %1 : !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

func.func @other_user(%x: !x, %w: !w, %m: !c) -> (!y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{the input of the norm has other users}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  // expected-remark@below {{the input of the norm has other users}}
  %2 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-03 : (!y, !c, !c) -> !y
  return %1, %2 : !y, !y
}

// -----

!c = tensor<5xf32>

// Without a batch dimension the norm's channels are the length.
func.func @no_batch_dimension(%x: tensor<2x5xf32>, %w: tensor<5x2x1xf32>, %m: !c) -> tensor<5x5xf32> {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x5xf32>, tensor<5x2x1xf32>) -> tensor<5x5xf32>
  // expected-remark@below {{the norm is not over the channels: the convolution has no batch dimension}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (tensor<5x5xf32>, !c, !c) -> tensor<5x5xf32>
  return %1 : tensor<5x5xf32>
}

// -----

!c = tensor<4xf32>

// A linear on [n, l, k]: the norm is over l.
func.func @linear_of_rank_3(%x: tensor<2x4x3xf32>, %w: tensor<4x3xf32>, %m: !c) -> tensor<2x4x4xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<2x4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x4xf32>
  // expected-remark@below {{the norm is not over the outputs of the linear: expected rank 2}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (tensor<2x4x4xf32>, !c, !c) -> tensor<2x4x4xf32>
  return %1 : tensor<2x4x4xf32>
}

// -----

!y = tensor<1x4x5xf32>
!c = tensor<4xf32>

func.func @no_convolution(%x: !y, %m: !c) -> (!y, !y) {
  // expected-remark@below {{expected the result of a convolution or linear}}
  %0 = fxgraph.batch_norm %x mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  %1 = fxgraph.relu %x : !y
  // expected-remark@below {{expected the result of a convolution or linear}}
  %2 = fxgraph.batch_norm %1 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %0, %2 : !y, !y
}

// -----

!x = tensor<1x2x5xf16>
!y = tensor<1x4x5xf16>
!w = tensor<4x2x1xf16>
!c = tensor<4xf32>

func.func @statistics_of_another_dtype(%x: !x, %w: !w, %m: !c) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{expected parameters of the result's dtype and device}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %1 : !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

func.func @no_eps(%x: !x, %w: !w, %m: !c) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{expected eps > 0}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 0.0 : (!y, !c, !c) -> !y
  return %1 : !y
}

// -----

!c = tensor<6xf32>

// The weight [4, 3, 3] has no dimension of the 6 outputs.
func.func @grouped_transposed(%x: tensor<1x4x5xf32>, %w: tensor<4x3x3xf32>, %m: !c) -> tensor<1x6x7xf32> {
  %0 = fxgraph.convolution %x, %w stride [1] padding [0] dilation [1] transposed true output_padding [0] groups 2
    : (tensor<1x4x5xf32>, tensor<4x3x3xf32>) -> tensor<1x6x7xf32>
  // expected-remark@below {{the scale does not broadcast against the weight of a grouped transposed convolution}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-03 : (tensor<1x6x7xf32>, !c, !c) -> tensor<1x6x7xf32>
  return %1 : tensor<1x6x7xf32>
}

// -----

!y = tensor<1x4x5xf32>
!c = tensor<4xf32>

// Not through other ops.
func.func @relu_between(%x: tensor<1x2x5xf32>, %w: tensor<4x2x1xf32>, %m: !c) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<1x2x5xf32>, tensor<4x2x1xf32>) -> !y
  %1 = fxgraph.relu %0 : !y
  // expected-remark@below {{expected the result of a convolution or linear}}
  %2 = fxgraph.batch_norm %1 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %2 : !y
}
