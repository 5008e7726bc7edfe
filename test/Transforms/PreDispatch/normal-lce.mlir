// RUN: fx-opt %s --fxgraph-predispatch-normal-lce -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-normal-lce -o %t.twice
// RUN: diff %t.once %t.twice
// RUN: fx-opt %s --fxgraph-predispatch-normal-lce=numerics=exact | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: fxgraph.lce

// CHECK-LABEL: func @transposed
// CHECK: fxgraph.cat
// CHECK-NEXT: fxgraph.lce
// CHECK-NEXT: return
func.func @transposed(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>) -> tensor<2x3x4xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.transpose %1 dims -1, 1 : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @without_outer_permute
// CHECK: fxgraph.cat
// CHECK-NEXT: %[[L:.+]] = fxgraph.lce
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[L]] dims [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: return %[[P]]
func.func @without_outer_permute(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>) -> tensor<2x4x3xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  return %1 : tensor<2x4x3xf32>
}

// CHECK-LABEL: func @flattened
// CHECK: fxgraph.cat
// CHECK-NEXT: %[[L:.+]] = fxgraph.lce
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[L]] dims [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: fxgraph.flatten %[[P]]
func.func @flattened(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>, %b: tensor<3xf32>) -> tensor<2x12xf32> {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w, %b : (tensor<2x4x6xf32>, tensor<3x6xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.flatten %1 dims 1 to 2 : (tensor<2x4x3xf32>) -> tensor<2x12xf32>
  return %2 : tensor<2x12xf32>
}

// The linear is a result as well: all users take what is compressed, permuted back.
// CHECK-LABEL: func @linear_is_used
// CHECK: %[[L:.+]] = fxgraph.lce
// CHECK-NEXT: %[[P:.+]] = fxgraph.permute %[[L]]
// CHECK-NEXT: %[[Q:.+]] = fxgraph.permute %[[P]]
// CHECK-NEXT: return %[[Q]], %[[P]]
func.func @linear_is_used(%y: tensor<2x2x4xf32>, %z: tensor<2x4x4xf32>, %w: tensor<3x6xf32>) -> (tensor<2x3x4xf32>, tensor<2x4x3xf32>) {
  %x = fxgraph.cat %y, %z dim 1 : (tensor<2x2x4xf32>, tensor<2x4x4xf32>) -> tensor<2x6x4xf32>
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.linear %0, %w : (tensor<2x4x6xf32>, tensor<3x6xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.permute %1 dims [0, 2, 1] : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2, %1 : tensor<2x3x4xf32>, tensor<2x4x3xf32>
}
