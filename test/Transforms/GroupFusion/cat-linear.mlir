// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0}))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0}))' -o %t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0}))' -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0 numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-cat-linear{floor-bytes=0 numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// Three parts, a negative dimension, rank 3, no bias.
// EXACT-LABEL: func.func @three_parts
// EXACT: fxgraph.cat
// CHECK-LABEL: func.func @three_parts
// CHECK-NOT: fxgraph.cat
// CHECK: %[[L0:.+]] = fxgraph.linear %arg0,
// CHECK: %[[L1:.+]] = fxgraph.linear %arg1,
// CHECK: %[[A:.+]] = fxgraph.add %[[L0]], %[[L1]]
// CHECK: %[[L2:.+]] = fxgraph.linear %arg2,
// CHECK: fxgraph.add %[[A]], %[[L2]]
// CHECK-NOT: fxgraph.linear
func.func @three_parts(%x0: tensor<2x3x8xf32>, %x1: tensor<2x3x9xf32>, %x2: tensor<2x3x10xf32>, %w: tensor<4x27xf32>) -> tensor<2x3x4xf32> {
  %c = fxgraph.cat %x0, %x1, %x2 dim -1 : (tensor<2x3x8xf32>, tensor<2x3x9xf32>, tensor<2x3x10xf32>) -> tensor<2x3x27xf32>
  %y = fxgraph.linear %c, %w : (tensor<2x3x27xf32>, tensor<4x27xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// -----

!x = tensor<4x8xf32>
!c = tensor<4x16xf32>
!w = tensor<5x16xf32>
!y = tensor<4x5xf32>

// The columns are cut once for both linears, behind the weight; one operand twice.
// CHECK-LABEL: func.func @shared_weight
// CHECK: %[[W:.+]] = fxgraph.relu %arg3
// CHECK-COUNT-2: fxgraph.slice %[[W]]
// CHECK-NOT: fxgraph.slice
// CHECK-COUNT-2: fxgraph.linear
// CHECK: fxgraph.tanh
// CHECK-COUNT-2: fxgraph.linear
// CHECK-NOT: fxgraph.{{cat|linear}}
func.func @shared_weight(%a: !x, %b: !x, %bias: tensor<5xf32>, %v: !w) -> !y {
  %w = fxgraph.relu %v : !w
  %0 = fxgraph.cat %a, %a dim 1 : (!x, !x) -> !c
  %1 = fxgraph.linear %0, %w, %bias : (!c, !w, tensor<5xf32>) -> !y
  %2 = fxgraph.tanh %1 : !y
  %3 = fxgraph.cat %a, %b dim 1 : (!x, !x) -> !c
  %4 = fxgraph.linear %3, %w, %bias : (!c, !w, tensor<5xf32>) -> !y
  %5 = fxgraph.add %2, %4 : (!y, !y) -> !y
  return %5 : !y
}

// -----

!x = tensor<0x8xi64>
!c = tensor<0x16xi64>
!w = tensor<5x16xi64>
!y = tensor<0x5xi64>

// Integers: exact, in any order. No rows.
// EXACT-LABEL: func.func @integers
// EXACT-NOT: fxgraph.cat
// EXACT: return
// CHECK-LABEL: func.func @integers
// CHECK-NOT: fxgraph.cat
// CHECK: return
func.func @integers(%a: !x, %b: !x, %w: !w) -> !y {
  %0 = fxgraph.cat %a, %b dim 1 : (!x, !x) -> !c
  %1 = fxgraph.linear %0, %w : (!c, !w) -> !y
  return %1 : !y
}

// -----

!x = tensor<4x8xbf16>
!c = tensor<4x16xbf16>
!w = tensor<5x16xbf16>
!y = tensor<4x5xbf16>

// CHECK-LABEL: func.func @sixteen_bits
// CHECK: fxgraph.cat
// RELAXED-LABEL: func.func @sixteen_bits
// RELAXED-NOT: fxgraph.cat
func.func @sixteen_bits(%a: !x, %b: !x, %w: !w) -> !y {
  %0 = fxgraph.cat %a, %b dim 1 : (!x, !x) -> !c
  %1 = fxgraph.linear %0, %w : (!c, !w) -> !y
  return %1 : !y
}

// -----

!x = tensor<4x8xf32>

// A part that is a cat is split in the same run.
// CHECK-LABEL: func.func @nested
// CHECK-NOT: fxgraph.cat
// CHECK-COUNT-3: fxgraph.linear
// CHECK-NOT: fxgraph.linear
func.func @nested(%a: !x, %b: !x, %c: !x, %w: tensor<5x24xf32>) -> tensor<4x5xf32> {
  %0 = fxgraph.cat %a, %b dim 1 : (!x, !x) -> tensor<4x16xf32>
  %1 = fxgraph.cat %0, %c dim 1 : (tensor<4x16xf32>, !x) -> tensor<4x24xf32>
  %2 = fxgraph.linear %1, %w : (tensor<4x24xf32>, tensor<5x24xf32>) -> tensor<4x5xf32>
  return %2 : tensor<4x5xf32>
}
