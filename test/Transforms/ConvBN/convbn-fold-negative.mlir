// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-convbn-fold))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-fold{require-constants=false}))' | FileCheck %s --check-prefix=ANY
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-fold{numerics=reassociate require-constants=false}))' | FileCheck %s

// CHECK-NOT: rsqrt

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

// ANY-LABEL: func.func @training
// ANY-NOT: rsqrt
func.func @training(%x: !x, %w: !w {fxgraph.kind = "parameter"}) -> !y {
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

// ANY-LABEL: func.func @other_user
// ANY-NOT: rsqrt
func.func @other_user(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> (!y, !y) {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{the input of the norm has other users}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  // expected-remark@below {{the input of the norm has other users}}
  %2 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-03 : (!y, !c, !c) -> !y
  return %1, %2 : !y, !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

// ANY-LABEL: func.func @weight_is_an_input
// ANY: rsqrt
func.func @weight_is_an_input(%x: !x, %w: !w {fxgraph.kind = "input"}, %m: !c {fxgraph.kind = "buffer"}) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{a parameter may change between runs}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %1 : !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

// ANY-LABEL: func.func @buffer_is_written
// ANY: rsqrt
func.func @buffer_is_written(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}, %new: !c) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{a parameter may change between runs}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  fxgraph.copy_ %new into %m : !c, !c
  return %1 : !y
}

// -----

!c = tensor<5xf32>

// Without a batch dimension the norm's channels are the length.
// ANY-LABEL: func.func @no_batch_dimension
// ANY-NOT: rsqrt
func.func @no_batch_dimension(%x: tensor<2x5xf32>, %w: tensor<5x2x1xf32> {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> tensor<5x5xf32> {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (tensor<2x5xf32>, tensor<5x2x1xf32>) -> tensor<5x5xf32>
  // expected-remark@below {{the norm is not over the channels: the convolution has no batch dimension}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (tensor<5x5xf32>, !c, !c) -> tensor<5x5xf32>
  return %1 : tensor<5x5xf32>
}

// -----

!c = tensor<4xf32>

// A linear on [n, l, k]: the norm is over l.
// ANY-LABEL: func.func @linear_of_rank_3
// ANY-NOT: rsqrt
func.func @linear_of_rank_3(%x: tensor<2x4x3xf32>, %w: tensor<4x3xf32> {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> tensor<2x4x4xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<2x4x3xf32>, tensor<4x3xf32>) -> tensor<2x4x4xf32>
  // expected-remark@below {{the norm is not over the outputs of the linear: expected rank 2}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (tensor<2x4x4xf32>, !c, !c) -> tensor<2x4x4xf32>
  return %1 : tensor<2x4x4xf32>
}

// -----

!y = tensor<1x4x5xf32>
!c = tensor<4xf32>

// ANY-LABEL: func.func @no_convolution
// ANY-NOT: rsqrt
func.func @no_convolution(%x: !y, %m: !c {fxgraph.kind = "buffer"}) -> (!y, !y) {
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

// ANY-LABEL: func.func @statistics_of_another_dtype
// ANY-NOT: rsqrt
func.func @statistics_of_another_dtype(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> !y {
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

// ANY-LABEL: func.func @no_eps
// ANY-NOT: rsqrt
func.func @no_eps(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> !y {
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{expected eps > 0}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 0.0 : (!y, !c, !c) -> !y
  return %1 : !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

// An unknown op sees a view of the weight, and may write to it.
// ANY-LABEL: func.func @view_is_written
// ANY: rsqrt
func.func @view_is_written(%x: !x, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> !y {
  %t = fxgraph.transpose %w dims 0, 1 : (!w) -> tensor<2x4x1xf32>
  fxgraph.opaque "torch.foo_"(%t) : (tensor<2x4x1xf32>) -> ()
  %0 = fxgraph.conv1d %x, %w stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{a parameter may change between runs}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %1 : !y
}

// -----

!x = tensor<1x2x5xf32>
!y = tensor<1x4x5xf32>
!w = tensor<4x2x1xf32>
!c = tensor<4xf32>

// The weight is computed from an input.
// ANY-LABEL: func.func @weight_of_an_input
// ANY: rsqrt
func.func @weight_of_an_input(%x: !x, %v: !w, %w: !w {fxgraph.kind = "parameter"}, %m: !c {fxgraph.kind = "buffer"}) -> !y {
  %s = fxgraph.mul %w, %v : (!w, !w) -> !w
  %0 = fxgraph.conv1d %x, %s stride [1] padding [0] dilation [1] : (!x, !w) -> !y
  // expected-remark@below {{a parameter may change between runs}}
  %1 = fxgraph.batch_norm %0 mean %m var %m eps 1.0e-05 : (!y, !c, !c) -> !y
  return %1 : !y
}
