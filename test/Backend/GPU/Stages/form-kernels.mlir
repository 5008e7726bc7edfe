// What the planner has no form for becomes a kernel that holds its lowering; the rest stays.
// RUN: fx-opt %s --fxgraph-form-kernels | FileCheck %s
// RUN: fx-opt %s --fxgraph-form-kernels | fx-opt --fxgraph-form-kernels | FileCheck %s
// RUN: fx-opt %s --fxgraph-print-fusion-plan | FileCheck %s --check-prefix=PLAN
// RUN: not fx-opt %s --fxgraph-form-kernels=libraries=some 2>&1 | FileCheck %s --check-prefix=LIBRARIES
// LIBRARIES: fxgraph-form-kernels: expected libraries to be none, cublaslt, all or always but got 'some'

// Bool is stored as i8; a number of the graph goes into the body.
// CHECK-LABEL: func.func @sort
// CHECK: %[[X:.*]] = fxgraph.relu
// CHECK: %[[K:.*]]:2 = fxgraph.kernel "sort"(%[[X]]) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<3x4xf32>):
// CHECK: linalg.generic
// CHECK: scf.while
// CHECK: fxgraph.yield %{{.*}}, %{{.*}} : tensor<3x4xf32>, tensor<3x4xi64>
// CHECK: } : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
// CHECK: fxgraph.add %[[K]]#0
// PLAN-LABEL: plan of @sort
// PLAN: kernel [3, 4] {relu}
// PLAN: kernel "sort" -> %{{.*}} %
// PLAN: kernel [3, 4] {add}
func.func @sort(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>) {
  %0 = fxgraph.relu %x : tensor<3x4xf32>
  %1, %2 = fxgraph.sort %0 dim 1 : (tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xi64>)
  %3 = fxgraph.add %1, %x : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  return %3, %2 : tensor<3x4xf32>, tensor<3x4xi64>
}

// CHECK-LABEL: func.func @put
// CHECK: fxgraph.kernel "index_put"(%arg0, %arg1) {
// CHECK-NEXT: ^bb0(%{{.*}}: tensor<4xi8>, %{{.*}}: tensor<2xi64>):
// CHECK: cf.assert %{{.*}}, "expected indices in [-4, 3] but got one outside"
func.func @put(%x: tensor<4xi1>, %i: tensor<2xi64>) -> tensor<4xi1> {
  %v = fxgraph.constant dense<true> : tensor<i1>
  %0 = fxgraph.index_put %x[%i] dims [0], %v : (tensor<4xi1>, tensor<2xi64>, tensor<i1>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}
