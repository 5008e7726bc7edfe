// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{min-rank=3}))' | FileCheck %s --check-prefix=RANK3
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{enable-patterns=permute-linear,permute-matmul}))' | FileCheck %s --check-prefix=SOME
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{enable-patterns=linear}))' 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-linear-permute-fuse{numerics=fast}))' 2>&1 | FileCheck %s --check-prefix=NUMERICS

// NAME: error: expected enable-patterns of linear-permute, permute-linear and permute-matmul but got linear
// NUMERICS: error: expected numerics to be exact, reassociate or relaxed but got fast

// RANK3-NOT: linear_transpose
// RANK3-NOT: transpose_linear
// RANK3: transpose_matmul
// SOME-NOT: linear_transpose
// SOME: transpose_linear
// SOME: transpose_matmul
// EXACT-NOT: {{linear_transpose|transpose_linear|transpose_matmul}}
func.func @f(%x: tensor<4x4xf32>, %w: tensor<4x4xf32>, %a: tensor<2x4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>) {
  %l = fxgraph.linear %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = fxgraph.permute %l dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = fxgraph.permute %x dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.linear %p, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.permute %a dims [0, 2, 1] : (tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %2 = fxgraph.bmm %a, %q : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %0, %1, %2 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<2x4x4xf32>
}
