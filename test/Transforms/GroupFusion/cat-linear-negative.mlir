// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0 max-parts=4 max-output-width=128 min-piece-width=4}))' | FileCheck %s --check-prefix=WIDE
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{max-parts=1}))' 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error: expected max-parts >= 2 and the other limits >= 0

// The refusals of PyTorch's test, and of ours. The second run: the real floor.
// CHECK-COUNT-8: fxgraph.cat

// WIDE-LABEL: func.func @other_dim
// WIDE: fxgraph.cat
func.func @other_dim(%x0: tensor<4x16xf32>, %x1: tensor<4x16xf32>, %w: tensor<5x16xf32>) -> (tensor<8x5xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 0 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  // expected-remark@below {{expected a cat along the last of two or more dimensions}}
  %1 = fxgraph.linear %0, %w : (tensor<8x16xf32>, tensor<5x16xf32>) -> tensor<8x5xf32>
  return %1 : tensor<8x5xf32>
}

// -----

// WIDE-LABEL: func.func @four_parts
// WIDE-NOT: fxgraph.cat
func.func @four_parts(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %x2: tensor<4x8xf32>, %x3: tensor<4x8xf32>, %w: tensor<5x32xf32>) -> (tensor<4x5xf32>) {
  %0 = fxgraph.cat %x0, %x1, %x2, %x3 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x32xf32>
  // expected-remark@below {{expected 2 to 3 parts but got 4}}
  %1 = fxgraph.linear %0, %w : (tensor<4x32xf32>, tensor<5x32xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// WIDE-LABEL: func.func @wide_output
// WIDE-NOT: fxgraph.cat
func.func @wide_output(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %w: tensor<128x16xf32>) -> (tensor<4x128xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  // expected-remark@below {{expected at most 96 outputs but got 128}}
  %1 = fxgraph.linear %0, %w : (tensor<4x16xf32>, tensor<128x16xf32>) -> tensor<4x128xf32>
  return %1 : tensor<4x128xf32>
}

// -----

// WIDE-LABEL: func.func @narrow_part
// WIDE-NOT: fxgraph.cat
func.func @narrow_part(%x0: tensor<4x8xf32>, %x1: tensor<4x4xf32>, %w: tensor<5x12xf32>) -> (tensor<4x5xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 1 : (tensor<4x8xf32>, tensor<4x4xf32>) -> tensor<4x12xf32>
  // expected-remark@below {{expected parts of width 8 or more but got 4}}
  %1 = fxgraph.linear %0, %w : (tensor<4x12xf32>, tensor<5x12xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// WIDE-LABEL: func.func @other_user
// WIDE: fxgraph.cat
func.func @other_user(%x0: tensor<4x8xf32>, %x1: tensor<4x8xf32>, %w: tensor<5x16xf32>) -> (tensor<4x5xf32>, tensor<4x16xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  // expected-remark@below {{the cat has other users}}
  %1 = fxgraph.linear %0, %w : (tensor<4x16xf32>, tensor<5x16xf32>) -> tensor<4x5xf32>
  return %1, %0 : tensor<4x5xf32>, tensor<4x16xf32>
}

// -----

// WIDE-LABEL: func.func @unknown_rows
// WIDE: fxgraph.cat
func.func @unknown_rows(%x0: tensor<?x8xf32>, %x1: tensor<?x8xf32>, %w: tensor<5x16xf32>) -> (tensor<?x5xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  // expected-remark@below {{expected static extents}}
  %1 = fxgraph.linear %0, %w : (tensor<?x16xf32>, tensor<5x16xf32>) -> tensor<?x5xf32>
  return %1 : tensor<?x5xf32>
}

// -----

// WIDE-LABEL: func.func @legacy_empty_part
// WIDE: fxgraph.cat
func.func @legacy_empty_part(%x0: tensor<4x16xf32>, %x1: tensor<0xf32>, %w: tensor<5x16xf32>) -> (tensor<4x5xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 1 : (tensor<4x16xf32>, tensor<0xf32>) -> tensor<4x16xf32>
  // expected-remark@below {{expected parts of the cat's rank with static extents}}
  %1 = fxgraph.linear %0, %w : (tensor<4x16xf32>, tensor<5x16xf32>) -> tensor<4x5xf32>
  return %1 : tensor<4x5xf32>
}

// -----

// WIDE-LABEL: func.func @rank_1
// WIDE: fxgraph.cat
func.func @rank_1(%x0: tensor<8xf32>, %x1: tensor<8xf32>, %w: tensor<5x16xf32>) -> (tensor<5xf32>) {
  %0 = fxgraph.cat %x0, %x1 dim 0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<16xf32>
  // expected-remark@below {{expected a cat along the last of two or more dimensions}}
  %1 = fxgraph.linear %0, %w : (tensor<16xf32>, tensor<5x16xf32>) -> tensor<5xf32>
  return %1 : tensor<5xf32>
}
