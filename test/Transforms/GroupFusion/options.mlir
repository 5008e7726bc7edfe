// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=1}))' 2>&1 | FileCheck %s --check-prefix=MIN
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=6 max-fuse-set-size=4}))' 2>&1 | FileCheck %s --check-prefix=MAX
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=NUMERICS
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2 numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2 max-fuse-search-depth=1}))' | FileCheck %s --check-prefix=DEPTH1
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-linear{min-fuse-set-size=2 max-fuse-search-depth=2}))' | FileCheck %s --check-prefix=DEPTH2

// MIN: error: expected min-fuse-set-size >= 2 but got 1
// MAX: error: expected max-fuse-set-size >= min-fuse-set-size = 6 but got 4
// NUMERICS: error: expected numerics to be exact, reassociate or relaxed but got fast
// EXACT-NOT: bmm

!x = tensor<2x4xf32>
!w = tensor<4x4xf32>

// The common user of the linears is two steps away.
// DEPTH1-NOT: bmm
// DEPTH2: bmm
func.func @search_depth(%x: !x, %w: !w) -> !x {
  %0 = fxgraph.linear %x, %w : (!x, !w) -> !x
  %1 = fxgraph.linear %x, %w : (!x, !w) -> !x
  %2 = fxgraph.relu %0 : !x
  %3 = fxgraph.relu %1 : !x
  %4 = fxgraph.add %2, %3 : (!x, !x) -> !x
  return %4 : !x
}
