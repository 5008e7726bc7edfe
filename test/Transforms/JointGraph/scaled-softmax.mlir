// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-scaled-softmax))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-scaled-softmax))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-scaled-softmax{numerics=reassociate}))' | FileCheck %s --check-prefix=NONE

// NONE-NOT: fxgraph.isfinite

// CHECK-LABEL: func.func @row_scale
// CHECK: %[[P:.+]] = fxgraph.ge %arg1
// CHECK: %[[N:.+]] = fxgraph.neg %arg0
// CHECK: %[[Z:.+]] = fxgraph.where %[[P]], %arg0, %[[N]]
// CHECK: %[[Y:.+]] = fxgraph.abs %arg1
// CHECK: fxgraph.amax %[[Z]]
// CHECK: %[[A:.+]] = fxgraph.all
// CHECK-NEXT: %[[W:.+]] = fxgraph.where %[[A]]
// CHECK-NEXT: return %[[W]]
func.func @row_scale(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %y, %x : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @quotient
// CHECK: fxgraph.div %{{.+}}, %{{.+}}
// CHECK: fxgraph.div
// CHECK: %[[A:.+]] = fxgraph.all
// CHECK-NEXT: %[[W:.+]] = fxgraph.where %[[A]]
// CHECK-NEXT: return %[[W]]
func.func @quotient(%x: tensor<4x8xf32>, %y: tensor<4x1xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.div %x, %y : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// A negative number turns the order around.
// CHECK-LABEL: func.func @negative
// CHECK: fxgraph.neg %arg0
// CHECK: %[[A:.+]] = fxgraph.all
// CHECK-NEXT: %[[W:.+]] = fxgraph.where %[[A]]
// CHECK-NEXT: return %[[W]]
func.func @negative(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %c = fxgraph.full -2.0 : tensor<f32>
  %s = fxgraph.mul %x, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [-1] keepdim true : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}

// Over the columns each column has its scale.
// CHECK-LABEL: func.func @columns
// CHECK: %[[A:.+]] = fxgraph.all
// CHECK-NEXT: %[[W:.+]] = fxgraph.where %[[A]]
// CHECK-NEXT: return %[[W]]
func.func @columns(%x: tensor<4x8xf32>, %y: tensor<8xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.mul %x, %y : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %m = fxgraph.amax %s dims [0] keepdim true : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %d = fxgraph.sub %s, %m : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  return %d : tensor<4x8xf32>
}
