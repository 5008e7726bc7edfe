// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval,fxgraph-convbn-efficient-eval))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval))' --split-input-file -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-convbn-efficient-eval))' --split-input-file -o %t.twice
// RUN: diff %t.once %t.twice

!c = tensor<4xf32>
!x = tensor<1x2x5x5xf32>
!w = tensor<4x2x3x3xf32>
!y = tensor<1x4x3x3xf32>

// One weight in two convolutions, each with a norm of its own: scaled twice, written
// never; the weight's other user sees the old one.
// CHECK-LABEL: func.func @shared_weight
// CHECK: %[[W0:.+]] = fxgraph.mul %arg1,
// CHECK: fxgraph.conv2d %arg0, %[[W0]],
// CHECK: %[[W1:.+]] = fxgraph.mul %arg1,
// CHECK: fxgraph.conv2d %arg0, %[[W1]],
// CHECK: fxgraph.relu %arg1
// CHECK-NOT: batch_norm
func.func @shared_weight(%x: !x, %w: !w, %m0: !c, %v0: !c, %m1: !c, %v1: !c) -> (!y, !y, !w) {
  %0 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (!x, !w) -> !y
  %1 = fxgraph.batch_norm %0 mean %m0 var %v0 eps 1.0e-05 : (!y, !c, !c) -> !y
  %2 = fxgraph.conv2d %x, %w stride [1, 1] padding [0, 0] dilation [1, 1] : (!x, !w) -> !y
  %3 = fxgraph.batch_norm %2 mean %m1 var %v1 eps 1.0e-03 : (!y, !c, !c) -> !y
  %4 = fxgraph.relu %w : !w
  return %1, %3, %4 : !y, !y, !w
}

// -----

!c = tensor<4xf32>

// Transposed without groups: the outputs are dimension 1 of the weight.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[S:.+]] = fxgraph.reshape {{.*}} shape [1, -1, 1]
// CHECK: fxgraph.mul %arg1, %[[S]]
// CHECK: fxgraph.convolution {{.*}} stride [2] padding [1] dilation [1] transposed true output_padding [1]
// CHECK-NOT: batch_norm
func.func @transposed(%x: tensor<1x2x5xf32>, %w: tensor<2x4x3xf32>, %mean: !c, %var: !c) -> tensor<1x4x10xf32> {
  %0 = fxgraph.convolution %x, %w stride [2] padding [1] dilation [1] transposed true output_padding [1]
    : (tensor<1x2x5xf32>, tensor<2x4x3xf32>) -> tensor<1x4x10xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var eps 1.0e-03 : (tensor<1x4x10xf32>, !c, !c) -> tensor<1x4x10xf32>
  return %1 : tensor<1x4x10xf32>
}

// -----

!c = tensor<4xf32>

// The statistics are updated in the same graph, after the norm has read them.
// CHECK-LABEL: func.func @statistics_written
// CHECK: fxgraph.linear
// CHECK-NOT: batch_norm
// CHECK: fxgraph.copy_
func.func @statistics_written(%x: tensor<?x3xf32>, %w: tensor<4x3xf32>, %b: !c, %mean: !c, %var: !c, %g: !c, %beta: !c, %new: !c) -> tensor<?x4xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<?x3xf32>, tensor<4x3xf32>, !c) -> tensor<?x4xf32>
  %1 = fxgraph.batch_norm %0 mean %mean var %var weight %g bias %beta eps 1.0e-03 : (tensor<?x4xf32>, !c, !c, !c, !c) -> tensor<?x4xf32>
  fxgraph.copy_ %new into %mean : !c, !c
  return %1 : tensor<?x4xf32>
}
