// RUN: fx-opt %s --fxgraph-predispatch-merge-concats -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-merge-concats -o %t.twice
// RUN: diff %t.once %t.twice

// CHECK-LABEL: func @deep
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<1x2xf32>, %[[B:[a-z0-9]+]]: tensor<1x2xf32>
// CHECK-NEXT: fxgraph.cat %[[A]], %[[B]], %[[B]], %[[A]], %[[B]], %[[A]] dim 0
// CHECK-NEXT: return
func.func @deep(%a: tensor<1x2xf32>, %b: tensor<1x2xf32>) -> tensor<6x2xf32> {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %1 = fxgraph.cat %b, %a dim 0 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %2 = fxgraph.cat %0, %1 dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  %3 = fxgraph.cat %b, %a dim -2 : (tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<2x2xf32>
  %4 = fxgraph.cat %2, %3 dim 0 : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<6x2xf32>
  return %4 : tensor<6x2xf32>
}

// PyTorch skips tensor<0x...> of rank 1.
// CHECK-LABEL: func @skipped_operands
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: fxgraph.cat %[[A]], %[[A]] dim 1
func.func @skipped_operands(%a: tensor<2x3xf32>, %e: tensor<0xf32>) -> tensor<2x6xf32> {
  %0 = fxgraph.cat %e, %a dim 1 : (tensor<0xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = fxgraph.cat %e, %0, %a dim 1 : (tensor<0xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// An inner cat of nothing but those is one itself, along another dimension.
// CHECK-LABEL: func @cat_of_skipped_operands
// CHECK-SAME: %[[A:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: fxgraph.cat %[[A]], %[[A]] dim 1
func.func @cat_of_skipped_operands(%a: tensor<2x3xf32>, %e: tensor<0xf32>) -> tensor<2x6xf32> {
  %0 = fxgraph.cat %e, %e dim 0 : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  %1 = fxgraph.cat %a, %0, %a dim 1 : (tensor<2x3xf32>, tensor<0xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  return %1 : tensor<2x6xf32>
}

// CHECK-LABEL: func @nothing_but_skipped_operands
// CHECK-NEXT: fxgraph.cat %{{.+}}, %{{.+}} dim 0
func.func @nothing_but_skipped_operands(%e: tensor<0xf32>) -> tensor<0xf32> {
  %0 = fxgraph.cat %e, %e dim 0 : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: func @dynamic
// CHECK-NEXT: fxgraph.cat %{{.+}}, %{{.+}}, %{{.+}} dim 0 : (tensor<?x3xf32>, tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
func.func @dynamic(%a: tensor<?x3xf32>) -> tensor<?x3xf32> {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  %1 = fxgraph.cat %0, %a dim 0 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x3xf32>
  return %1 : tensor<?x3xf32>
}

// Two of the same.
// CHECK-LABEL: func @equal
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat
// CHECK-NEXT: fxgraph.neg %[[C]]
// CHECK-NEXT: fxgraph.relu %[[C]]
func.func @equal(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.neg %0 : tensor<4x3xf32>
  %2 = fxgraph.cat %a, %b dim -2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.relu %2 : tensor<4x3xf32>
  return %1, %3 : tensor<4x3xf32>, tensor<4x3xf32>
}

// Two results stay two.
// CHECK-LABEL: func @equal_and_returned
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat
// CHECK-NEXT: %[[D:.+]] = fxgraph.clone %[[C]]
// CHECK-NEXT: return %[[C]], %[[D]]
func.func @equal_and_returned(%a: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// When the outer ones are one, the inner one has one user.
// CHECK-LABEL: func @equal_then_nested
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %[[A:.+]], %[[A]], %[[A]] dim 0
// CHECK-NEXT: fxgraph.neg %[[C]]
// CHECK-NEXT: fxgraph.relu %[[C]]
func.func @equal_then_nested(%a: tensor<2xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.cat %0, %a dim 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %2 = fxgraph.cat %0, %a dim 0 : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
  %3 = fxgraph.neg %1 : tensor<6xf32>
  %4 = fxgraph.relu %2 : tensor<6xf32>
  return %3, %4 : tensor<6xf32>, tensor<6xf32>
}
