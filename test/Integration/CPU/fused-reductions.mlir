// Reductions fused with what they read: a value that is written once per iteration is no accumulator.
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-linalg --fxgraph-cpu-fuse | FileCheck %s --check-prefix=FUSE
// RUN: fx-opt %s --fxgraph-to-linalg --linalg-fuse-elementwise-ops --fxgraph-cpu-entry --fxgraph-cpu-place --fxgraph-cpu-bufferize \
// RUN:   --cse --canonicalize --fxgraph-cpu-outline-kernels | FileCheck %s --check-prefix=NEST
// CHECK-COUNT-3: equal
// CHECK-NOT: differ

// What accumulates stays a loop nest of its own. Fused all the same, as MLIR does it, its elements are in memory, not in a register.
// NEST: scf.for {{%[0-9a-z]+}} = %c0 to %c8 step %c1 {
// NEST: %[[MADE:.*]] = arith.addf {{.*}} : f32
// NEST: %[[TOTAL:.*]] = arith.addf {{.*}} : f64
// NEST: llvm.store %[[MADE]]
// NEST-NEXT: llvm.store %[[TOTAL]]
// FUSE-LABEL: func.func @sum_of_permuted
// FUSE: linalg.generic {{.*}}iterator_types = ["parallel", "parallel"]
// FUSE: linalg.generic {{.*}}iterator_types = ["reduction", "reduction"]
func.func @sum_of_permuted(%x: tensor<8x1xf32>) -> tensor<f32> {
  %0 = fxgraph.einsum "...i->i...", %x : (tensor<8x1xf32>) -> tensor<1x8xf32>
  %1 = fxgraph.sum %0 : (tensor<1x8xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

func.func @maximum_of_diagonal(%x: tensor<3x5x5xf32>) -> tensor<3xf32> {
  %0 = fxgraph.einsum "bii->bi", %x : (tensor<3x5x5xf32>) -> tensor<3x5xf32>
  %1 = fxgraph.amax %0 dims [1] : (tensor<3x5xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// The twin: what each element alone makes is part of the reduction.
// FUSE-LABEL: func.func @sum_of_squares
// FUSE-COUNT-2: linalg.generic
// FUSE-NOT: linalg.generic
func.func @sum_of_squares(%x: tensor<8x3xf32>) -> tensor<f32> {
  %0 = fxgraph.mul %x, %x : (tensor<8x3xf32>, tensor<8x3xf32>) -> tensor<8x3xf32>
  %1 = fxgraph.sum %0 : (tensor<8x3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}
