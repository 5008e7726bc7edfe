// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s

// A branch writes its value where the result is.
// CHECK-LABEL: func.func @cond
// CHECK: %[[OUT:.+]] = memref.alloc() {{.*}} : memref<3xf32>
// CHECK: scf.if %{{.*}} {
// CHECK: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[OUT]]
// CHECK: } else {
// CHECK: bufferization.materialize_in_destination %arg1 in restrict writable %[[OUT]]
// CHECK: } {fxgraph.control_flow}
// CHECK: bufferization.to_tensor %[[OUT]] restrict : memref<3xf32>
func.func @cond(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.relu %a : tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// A carried value is overwritten, a stacked result filled slice by slice.
// CHECK-LABEL: func.func @scan
// CHECK: %[[C:.+]] = memref.alloc() {{.*}} : memref<3xf32>
// CHECK: bufferization.materialize_in_destination %arg0 in restrict writable %[[C]]
// CHECK: %[[YS:.+]] = memref.alloc() {{.*}} : memref<5x3xf32>
// CHECK: scf.for %[[I:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK: bufferization.to_tensor %[[C]]
// CHECK: tensor.extract_slice %arg1[%[[I]], 0]
// CHECK: %[[SUM:.+]] = linalg.generic
// CHECK: %[[SLICE:.+]] = memref.subview %[[YS]][%[[I]], 0] [1, 3] [1, 1]
// CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[SLICE]]
// CHECK: bufferization.materialize_in_destination %[[SUM]] in restrict writable %[[C]]
// CHECK: } {fxgraph.control_flow}
func.func @scan(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.add %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<5x3xf32>
}

// Two that change places go through buffers of their own.
// CHECK-LABEL: func.func @while_loop
// CHECK: scf.while : () -> () {
// CHECK: scf.condition
// CHECK: } do {
// CHECK-COUNT-2: memref.copy
// CHECK: scf.yield
// CHECK: } attributes {fxgraph.control_flow}
func.func @while_loop(%x: tensor<i1>, %y: tensor<i1>) -> (tensor<i1>, tensor<i1>) {
  %0:2 = fxgraph.while_loop (%x, %y) cond {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    fxgraph.yield %a : tensor<i1>
  } do {
  ^bb0(%a: tensor<i1>, %b: tensor<i1>):
    fxgraph.yield %b, %a : tensor<i1>, tensor<i1>
  } : (tensor<i1>, tensor<i1>) -> (tensor<i1>, tensor<i1>)
  return %0#0, %0#1 : tensor<i1>, tensor<i1>
}
