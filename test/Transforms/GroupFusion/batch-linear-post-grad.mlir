// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2 shape-broadcast-batch-linear=true decompose-stack=true}))' > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2 shape-broadcast-batch-linear=true decompose-stack=true}))' | diff %t.once -
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2 fuse-nodes-with-same-users=true}))' | FileCheck %s --check-prefix=USERS
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{min-fuse-set-size=2 numerics=relaxed}))' | FileCheck %s --check-prefix=RELAXED
// RUN: not fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear-post-grad{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: error: expected numerics to be exact, reassociate or relaxed but got fast

!x = tensor<2x4xf32>
!w = tensor<4x3xf32>
!y = tensor<2x3xf32>

// Products with and without a sum are two groups; biases of three shapes broadcast.
// CHECK-LABEL: func.func @mm_and_addmm
// CHECK: fxgraph.cat {{.*}} dim 0 : (tensor<1x2x4xf32>, tensor<1x2x4xf32>) -> tensor<2x2x4xf32>
// CHECK: fxgraph.bmm {{.*}} -> tensor<2x2x3xf32>
// CHECK: fxgraph.bmm {{.*}} -> tensor<3x2x3xf32>
// CHECK: fxgraph.expand %{{.*}} shape [2, 3] : tensor<3xf32>
// CHECK: fxgraph.expand %{{.*}} shape [2, 3] : tensor<2x1xf32>
// CHECK-NOT: expand
// CHECK-NOT: {{ fxgraph.(add)?mm }}
// CHECK: return
// USERS-LABEL: func.func @mm_and_addmm
// USERS: fxgraph.bmm {{.*}} -> tensor<2x2x3xf32>
// USERS: fxgraph.addmm
// USERS: return
func.func @mm_and_addmm(%a: !x, %b: !x, %w: !w, %v: !w, %b0: tensor<3xf32>, %b1: tensor<2x1xf32>, %b2: !y) -> (!y, !y, !y, !y, !y) {
  %0 = fxgraph.mm %a, %w : (!x, !w) -> !y
  %1 = fxgraph.addmm %b0, %a, %w : (tensor<3xf32>, !x, !w) -> !y
  %2 = fxgraph.mm %b, %v : (!x, !w) -> !y
  %3 = fxgraph.addmm %b1, %b, %w : (tensor<2x1xf32>, !x, !w) -> !y
  %4 = fxgraph.addmm %b2, %b, %v : (!y, !x, !w) -> !y
  %r1 = fxgraph.relu %1 : !y
  %r3 = fxgraph.tanh %3 : !y
  %r4 = fxgraph.sin %4 : !y
  return %0, %r1, %2, %r3, %r4 : !y, !y, !y, !y, !y
}

// -----

!x = tensor<2x0xf32>
!w = tensor<0x3xf32>
!y = tensor<2x3xf32>

// Nothing is summed.
// CHECK-LABEL: func.func @empty
// CHECK: fxgraph.bmm {{.*}}tensor<2x2x0xf32>
func.func @empty(%a: !x, %w: !w, %b: !y) -> (!y, !y) {
  %0 = fxgraph.addmm %b, %a, %w : (!y, !x, !w) -> !y
  %1 = fxgraph.addmm %b, %a, %w : (!y, !x, !w) -> !y
  return %0, %1 : !y, !y
}

// -----

!x = tensor<?x4xi64, #fxgraph.meta<dims = [s0]>>
!w = tensor<4x3xi64>
!y = tensor<?x3xi64, #fxgraph.meta<dims = [s0]>>

// Equal symbols are equal extents; a bias broadcasts by itself.
// CHECK-LABEL: func.func @symbols
// CHECK: fxgraph.bmm
// CHECK-NOT: expand
// CHECK: return
func.func @symbols(%a: !x, %b: !x, %w: !w, %c: tensor<3xi64>) -> (!y, !y) {
  %0 = fxgraph.addmm %c, %a, %w : (tensor<3xi64>, !x, !w) -> !y
  %1 = fxgraph.addmm %c, %b, %w : (tensor<3xi64>, !x, !w) -> !y
  return %0, %1 : !y, !y
}

// -----

!x = tensor<2x4xbf16>
!w = tensor<4x3xbf16>
!y = tensor<2x3xbf16>

// A sum that rounds by itself only if that is allowed.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK-COUNT-2: fxgraph.addmm
// RELAXED-LABEL: func.func @sixteen_bits
// RELAXED: fxgraph.bmm
func.func @sixteen_bits(%a: !x, %w: !w, %b: !y) -> (!y, !y) {
  %0 = fxgraph.addmm %b, %a, %w : (!y, !x, !w) -> !y
  %1 = fxgraph.addmm %b, %a, %w : (!y, !x, !w) -> !y
  return %0, %1 : !y, !y
}
