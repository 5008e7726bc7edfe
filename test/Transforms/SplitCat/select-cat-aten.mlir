// RUN: fx-opt %s --fxgraph-splitcat-select-cat-aten > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-select-cat-aten | diff %t.once -

// The graph of Inductor's test: of four cats the one with all six.
// CHECK-LABEL: func.func @one_of_four
// CHECK: %[[R:.+]] = fxgraph.reshape %arg0 shape [4, 48]
// CHECK-COUNT-3: fxgraph.cat
// CHECK-NOT: fxgraph.cat
func.func @one_of_four(%x: tensor<4x6x8xf32>, %y: tensor<4x6x8xf32>) -> (tensor<4x48xf32>, tensor<4x40xf32>, tensor<4x24xf32>, tensor<4x40xf32>) {
  %0 = fxgraph.select %x dim 1 at 0 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %1 = fxgraph.select %x dim 1 at 1 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %2 = fxgraph.select %x dim 1 at 2 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %3 = fxgraph.select %x dim 1 at 3 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %4 = fxgraph.select %x dim 1 at 4 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %5 = fxgraph.select %x dim 1 at 5 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %c0 = fxgraph.cat %0, %1, %2, %3, %4, %5 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x48xf32>
  %c1 = fxgraph.cat %0, %1, %2, %3, %4 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x40xf32>
  %c2 = fxgraph.cat %0, %2, %4 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  %6 = fxgraph.select %y dim 1 at 0 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %7 = fxgraph.select %y dim 1 at 1 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %8 = fxgraph.select %y dim 1 at 2 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %9 = fxgraph.select %y dim 1 at 3 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %10 = fxgraph.select %y dim 1 at 4 : (tensor<4x6x8xf32>) -> tensor<4x8xf32>
  %c3 = fxgraph.cat %6, %7, %8, %9, %10 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x40xf32>
  return %c0, %c1, %c2, %c3 : tensor<4x48xf32>, tensor<4x40xf32>, tensor<4x24xf32>, tensor<4x40xf32>
}

// Indices and dimensions from the end; the cat counts in its own rank. The result shares no
// storage with the argument.
// CHECK-LABEL: func.func @from_the_end
// CHECK-NEXT: %[[R:.+]] = fxgraph.reshape %arg0 shape [2, 6]
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[R]]
// CHECK-NEXT: return %[[C]]
func.func @from_the_end(%x: tensor<2x2x3xf32>) -> tensor<2x6xf32> {
  %0 = fxgraph.select %x dim -2 at -2 : (tensor<2x2x3xf32>) -> tensor<2x3xf32>
  %1 = fxgraph.select %x dim 1 at -1 : (tensor<2x2x3xf32>) -> tensor<2x3xf32>
  %c = fxgraph.cat %0, %1 dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %c : tensor<2x6xf32>
}

// One row; no elements; symbols beside the dimension.
// CHECK-LABEL: func.func @little
// CHECK-NOT: fxgraph.cat
func.func @little(%x: tensor<1x3xf32>, %e: tensor<2x0xf32>, %s: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<3xf32>, tensor<0xf32>, tensor<?xf32>) {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<1x3xf32>) -> tensor<3xf32>
  %c = fxgraph.cat %0 dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %1 = fxgraph.select %e dim 0 at 0 : (tensor<2x0xf32>) -> tensor<0xf32>
  %2 = fxgraph.select %e dim 0 at 1 : (tensor<2x0xf32>) -> tensor<0xf32>
  %d = fxgraph.cat %1, %2 dim 0 : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %3 = fxgraph.select %s dim 0 at 0 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %4 = fxgraph.select %s dim 0 at 1 : (tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %f = fxgraph.cat %3, %4 dim 0 : (tensor<?xf32, #fxgraph.meta<dims = [s0]>>, tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32>
  return %c, %d, %f : tensor<3xf32>, tensor<0xf32>, tensor<?xf32>
}

// The selects and x have other users.
// CHECK-LABEL: func.func @other_users
// CHECK: fxgraph.reshape %arg0 shape [8]
func.func @other_users(%x: tensor<2x4xf32>) -> (tensor<8xf32>, tensor<4xf32>, tensor<2x4xf32>) {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<2x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<2x4xf32>) -> tensor<4xf32>
  %c = fxgraph.cat %0, %1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %r = fxgraph.relu %0 : tensor<4xf32>
  %t = fxgraph.tanh %x : tensor<2x4xf32>
  return %c, %r, %t : tensor<8xf32>, tensor<4xf32>, tensor<2x4xf32>
}
