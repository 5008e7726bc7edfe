// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-views))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-views))' | diff %t.once -

// CHECK-LABEL: func.func @own_shape
// CHECK-NEXT: fxgraph.relu %arg0
func.func @own_shape(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fxgraph.view %x shape [8, -1] : tensor<8x4xf32> -> tensor<8x4xf32>
  %1 = fxgraph.reshape %0 shape [8, 4] : tensor<8x4xf32> -> tensor<8x4xf32>
  %2 = fxgraph.relu %1 : tensor<8x4xf32>
  return %2 : tensor<8x4xf32>
}

// Other spellings of both.
// CHECK-LABEL: func.func @spellings
// CHECK-NEXT: fxgraph.add %arg0, %arg0
func.func @spellings(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = fxgraph.flatten %x dims 0 to 1 : (tensor<8x4xf32>) -> tensor<32xf32>
  %1 = fxgraph.reshape %0 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  %2 = fxgraph.permute %x dims [1, 0] : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %3 = fxgraph.transpose %2 dims -1, -2 : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %4 = fxgraph.add %1, %3 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %4 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @no_elements
// CHECK-NEXT: fxgraph.relu %arg0
func.func @no_elements(%x: tensor<0x4xf32>) -> tensor<0x4xf32> {
  %0 = fxgraph.view %x shape [4, 0] : tensor<0x4xf32> -> tensor<4x0xf32>
  %1 = fxgraph.view %0 shape [0, 4] : tensor<4x0xf32> -> tensor<0x4xf32>
  %2 = fxgraph.relu %1 : tensor<0x4xf32>
  return %2 : tensor<0x4xf32>
}

// CHECK-LABEL: func.func @symbols
// CHECK: fxgraph.relu %arg0
func.func @symbols(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> {
  %n = fxgraph.sym_size %x dim 0 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %0 = fxgraph.view %x shape [-1] : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?xf32>
  %1 = fxgraph.view %0 shape [%n, 4] : tensor<?xf32> -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.relu %1 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  return %2 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func.func @dtypes
// CHECK-NEXT: %[[B:.+]] = fxgraph.view_dtype %arg0 : tensor<8xf32> to tensor<32xi8>
// CHECK-NEXT: %[[R:.+]] = fxgraph.neg %[[B]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.relu %arg0
// CHECK-NEXT: return %[[R]], %[[S]]
func.func @dtypes(%x: tensor<8xf32>) -> (tensor<32xi8>, tensor<8xf32>) {
  %0 = fxgraph.view_dtype %x : tensor<8xf32> to tensor<8xi32>
  %1 = fxgraph.view_dtype %0 : tensor<8xi32> to tensor<32xi8>
  %2 = fxgraph.view_dtype %0 : tensor<8xi32> to tensor<8xf32>
  %3 = fxgraph.neg %1 : tensor<32xi8>
  %4 = fxgraph.relu %2 : tensor<8xf32>
  return %3, %4 : tensor<32xi8>, tensor<8xf32>
}

// A clone between the views.
// CHECK-LABEL: func.func @around_a_clone
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: %[[D:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: return %[[C]], %[[D]]
func.func @around_a_clone(%x: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = fxgraph.view %x shape [32] : tensor<8x4xf32> -> tensor<32xf32>
  %1 = fxgraph.clone %0 : tensor<32xf32>
  %2 = fxgraph.view %1 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  %3 = fxgraph.flatten %x dims 0 to 1 : (tensor<8x4xf32>) -> tensor<32xf32>
  %4 = fxgraph.clone %3 : tensor<32xf32>
  %5 = fxgraph.reshape %4 shape [8, 4] : tensor<32xf32> -> tensor<8x4xf32>
  return %2, %5 : tensor<8x4xf32>, tensor<8x4xf32>
}
