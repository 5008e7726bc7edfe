// Accumulators, initial values, checks of indices, writes as results.
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @sum_f32
// CHECK: linalg.fill ins(%{{.*}} : f64) outs(%{{.*}} : tensor<4xf64>)
// CHECK: arith.addf {{.*}} : f64
func.func @sum_f32(%x: tensor<4x8xf32>) -> tensor<4x1xf32> {
  %0 = fxgraph.sum %x dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @sum_bool
// CHECK: arith.extui {{.*}} : i1 to i64
// CHECK: arith.addi {{.*}} : i64
func.func @sum_bool(%x: tensor<4x8xi1>) -> tensor<i64> {
  %0 = fxgraph.sum %x : (tensor<4x8xi1>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: func.func @amax
// CHECK: arith.constant 0xFF800000 : f32
// CHECK: arith.maximumf
func.func @amax(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %0 = fxgraph.amax %x dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The check comes before the read.
// CHECK-LABEL: func.func @embedding
// CHECK: cf.assert %{{.*}}, "'fxgraph.embedding' op expected indices in [0, 9] but got one outside"
// CHECK: tensor.extract %{{.*}} : tensor<10x4xf32>
func.func @embedding(%w: tensor<10x4xf32>, %i: tensor<3xi64>) -> tensor<3x4xf32> {
  %0 = fxgraph.embedding %w, %i : (tensor<10x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// Colliding writes keep their order: a loop, not a parallel generic.
// CHECK-LABEL: func.func @scatter
// CHECK: cf.assert
// CHECK: scf.for
// CHECK: tensor.insert
func.func @scatter(%x: tensor<5xf32>, %i: tensor<3xi64>, %s: tensor<3xf32>) -> tensor<5xf32> {
  %0 = fxgraph.scatter %x, %i, %s dim 0 : (tensor<5xf32>, tensor<3xi64>, tensor<3xf32>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}

// CHECK-LABEL: func.func @writes
// CHECK-SAME: -> (tensor<2xf32>, tensor<2xf32>) attributes {{.*}}fxgraph.mutated_arguments = array<i64: 1>
// CHECK-NOT: fxgraph.copy_
func.func @writes(%x: tensor<2xf32>, %state: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.add %x, %state : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  fxgraph.copy_ %x into %state : tensor<2xf32>, tensor<2xf32>
  fxgraph.copy_ %0 into %state : tensor<2xf32>, tensor<2xf32>
  return %0 : tensor<2xf32>
}
