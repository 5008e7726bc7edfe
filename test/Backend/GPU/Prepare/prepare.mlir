// What kernels and library calls are made of.
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-opt %s --split-input-file --fxgraph-gpu-prepare --fxgraph-gpu-prepare | FileCheck %s

// CHECK-LABEL: func.func @linear
// CHECK: %[[ROWS:.*]] = fxgraph.reshape %{{.*}} shape [6, 4] : tensor<2x3x4xf32> -> tensor<6x4xf32>
// CHECK: %[[TURNED:.*]] = fxgraph.transpose %{{.*}} : (tensor<5x4xf32>) -> tensor<4x5xf32>
// CHECK: %[[PRODUCT:.*]] = fxgraph.addmm %{{.*}}, %[[ROWS]], %[[TURNED]]
// CHECK: fxgraph.reshape %[[PRODUCT]] shape [2, 3, 5]
func.func @linear(%x: tensor<2x3x4xf32>, %w: tensor<5x4xf32>, %b: tensor<5xf32>) -> tensor<2x3x5xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<2x3x4xf32>, tensor<5x4xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  return %0 : tensor<2x3x5xf32>
}

// -----

// The matrix that is the same for all of the batch has a stride of 0.
// CHECK-LABEL: func.func @broadcast
// CHECK: %[[SPREAD:.*]] = fxgraph.expand %{{.*}} tensor<6x2x4xf32>
// CHECK: fxgraph.bmm %[[SPREAD]], %{{.*}} tensor<6x2x5xf32>
func.func @broadcast(%a: tensor<2x4xf32>, %b: tensor<6x4x5xf32>) -> tensor<6x2x5xf32> {
  %0 = fxgraph.matmul %a, %b : (tensor<2x4xf32>, tensor<6x4x5xf32>) -> tensor<6x2x5xf32>
  return %0 : tensor<6x2x5xf32>
}

// -----

// A column is no bias that a library adds.
// CHECK-LABEL: func.func @column
// CHECK: %[[PRODUCT:.*]] = fxgraph.mm
// CHECK: fxgraph.add %[[PRODUCT]], %{{.*}}
func.func @column(%c: tensor<3x1xf32>, %a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = fxgraph.addmm %c, %a, %b : (tensor<3x1xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// A row is one, and stays.
// CHECK-LABEL: func.func @row
// CHECK-NEXT: fxgraph.addmm
// CHECK-NEXT: return
func.func @row(%c: tensor<5xf32>, %a: tensor<3x4xf32>, %b: tensor<4x5xf32>) -> tensor<3x5xf32> {
  %0 = fxgraph.addmm %c, %a, %b : (tensor<5xf32>, tensor<3x4xf32>, tensor<4x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// -----

// An einsum of two tensors is a product; what none is keeps its own lowering.
// CHECK-LABEL: func.func @einsum
// CHECK: %[[Y:.*]] = fxgraph.permute %{{.*}} dims [0, 2, 1]
// CHECK: fxgraph.bmm %{{.*}}, %[[Y]]
// CHECK: %[[D:.*]] = fxgraph.einsum "ii->i"
// CHECK: return %{{.*}}, %[[D]]
func.func @einsum(%x: tensor<2x3x4xf32>, %y: tensor<2x5x4xf32>, %z: tensor<4x4xf32>) -> (tensor<2x3x5xf32>, tensor<4xf32>) {
  %0 = fxgraph.einsum "bij,bkj->bik", %x, %y : (tensor<2x3x4xf32>, tensor<2x5x4xf32>) -> tensor<2x3x5xf32>
  %1 = fxgraph.einsum "ii->i", %z : (tensor<4x4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<2x3x5xf32>, tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func @softmax_parts
// CHECK: %[[MAX:.*]] = fxgraph.amax %[[X:.*]] dims [-1] keepdim true
// CHECK: %[[SUB:.*]] = fxgraph.sub %[[X]], %[[MAX]]
// CHECK: %[[EXP:.*]] = fxgraph.exp %[[SUB]]
// CHECK: %[[SUM:.*]] = fxgraph.sum %[[EXP]] dims [-1] keepdim true
// CHECK: return %[[MAX]], %[[SUM]]
func.func @softmax_parts(%x: tensor<6x9xf16>) -> (tensor<6x1xf16>, tensor<6x1xf16>) {
  %0, %1 = fxgraph.prepare_softmax_online %x dim -1 : (tensor<6x9xf16>) -> (tensor<6x1xf16>, tensor<6x1xf16>)
  return %0, %1 : tensor<6x1xf16>, tensor<6x1xf16>
}

// -----

// A later write may change the argument before it is copied.
// CHECK-LABEL: func.func @swap
// CHECK: %[[KEPT:.*]] = fxgraph.clone %[[Y:.*]] :
// CHECK: fxgraph.copy_ %[[KEPT]] into
func.func @swap(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  fxgraph.copy_ %y into %x : tensor<4xf32>, tensor<4xf32>
  return
}

// -----

// Extents that vary are refused later, with all else that is.
// CHECK-LABEL: func.func @dynamic
// CHECK-NEXT: fxgraph.linear
func.func @dynamic(%x: tensor<?x4xf32>, %w: tensor<5x4xf32>) -> tensor<?x5xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<?x4xf32>, tensor<5x4xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
