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

// -----

// A row that is added to a product of few terms, and that the library adds; through a view as well, and of a batch.
// CHECK-LABEL: func.func @bias
// CHECK: %[[MM:.*]] = fxgraph.addmm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<7xf16>, tensor<6x4xf16>, tensor<4x7xf16>)
// CHECK: fxgraph.reshape %[[MM]] shape [2, 3, 7]
// CHECK: %[[BMM:.*]] = fxgraph.baddbmm %{{.*}} : (tensor<5xf32>, tensor<2x3x4xf32>, tensor<2x4x5xf32>)
// CHECK: fxgraph.relu %[[BMM]]
// CHECK-NOT: fxgraph.add
// CHECK: return
func.func @bias(%x: tensor<6x4xf16>, %w: tensor<4x7xf16>, %b: tensor<1x7xf16>, %u: tensor<2x3x4xf32>, %v: tensor<2x4x5xf32>, %c: tensor<5xf32>) -> (tensor<2x3x7xf16>, tensor<2x3x5xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<6x4xf16>, tensor<4x7xf16>) -> tensor<6x7xf16>
  %1 = fxgraph.reshape %0 shape [2, 3, 7] : tensor<6x7xf16> -> tensor<2x3x7xf16>
  %2 = fxgraph.add %b, %1 : (tensor<1x7xf16>, tensor<2x3x7xf16>) -> tensor<2x3x7xf16>
  %3 = fxgraph.bmm %u, %v : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %4 = fxgraph.add %3, %c : (tensor<2x3x5xf32>, tensor<5xf32>) -> tensor<2x3x5xf32>
  %5 = fxgraph.relu %4 : tensor<2x3x5xf32>
  return %2, %5 : tensor<2x3x7xf16>, tensor<2x3x5xf32>
}

// -----

// Apart: a long sum, which the library splits; a column; a product that something else reads; more of the row than
// 1; and what a kernel computes from anyway.
// CHECK-LABEL: func.func @no_bias
// CHECK-NOT: fxgraph.addmm
// CHECK-COUNT-5: fxgraph.add %
// CHECK: return
func.func @no_bias(%x: tensor<6x161xf32>, %w: tensor<161x6xf32>, %y: tensor<6x4xf32>, %v: tensor<4x6xf32>, %b: tensor<6xf32>, %c: tensor<6x1xf32>)
    -> (tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>) {
  %0 = fxgraph.mm %x, %w : (tensor<6x161xf32>, tensor<161x6xf32>) -> tensor<6x6xf32>
  %1 = fxgraph.add %0, %b : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %2 = fxgraph.mm %y, %v : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %3 = fxgraph.add %2, %c : (tensor<6x6xf32>, tensor<6x1xf32>) -> tensor<6x6xf32>
  %vt = fxgraph.relu %v : tensor<4x6xf32>
  %4 = fxgraph.mm %y, %vt : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %5 = fxgraph.add %4, %b : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %vs = fxgraph.sin %v : tensor<4x6xf32>
  %6 = fxgraph.mm %y, %vs : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %7 = fxgraph.add %6, %b alpha 2.0 : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %ve = fxgraph.exp %v : tensor<4x6xf32>
  %10 = fxgraph.mm %y, %ve : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %11 = fxgraph.add %10, %b : (tensor<6x6xf32>, tensor<6xf32>) -> tensor<6x6xf32>
  %12 = fxgraph.sigmoid %11 : tensor<6x6xf32>
  return %1, %3, %4, %5, %7, %12 : tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>, tensor<6x6xf32>
}
