// RUN: fx-opt %s --fxgraph-splitcat-unbind-cat-to-view="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-unbind-cat-to-view="threshold-to-cat=2" | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-unbind-cat-to-view="threshold-to-cat=2 allow-steps=true" | FileCheck %s --check-prefix=STEPS

// Dimensions 2 apart: 2 is moved to 0; an exchange would be wrong.
// CHECK-LABEL: func @moved
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x4xf32>
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[X]] dims [2, 0, 1]
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[P]] shape [8, 3]
// CHECK-NEXT: fxgraph.relu %[[R]]
func.func @moved(%x: tensor<2x3x4xf32>) -> tensor<8x3xf32> {
  %u:4 = fxgraph.unbind %x dim -1 : (tensor<2x3x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %c = fxgraph.cat %u#0, %u#1, %u#2, %u#3 dim -2 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<8x3xf32>
  %r = fxgraph.relu %c : tensor<8x3xf32>
  return %r : tensor<8x3xf32>
}

// Some of the rows, and another unbind along another dimension.
// CHECK-LABEL: func @runs
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x3xf32>, %[[Y:[a-z0-9]+]]: tensor<3x2xf32>
// CHECK-NEXT: %[[U:.*]]:4 = fxgraph.unbind %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 4 :
// CHECK-NEXT: %[[A:.*]] = fxgraph.reshape %[[S]] shape [9]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[Y]] dims [1, 0]
// CHECK-NEXT: %[[B:.*]] = fxgraph.reshape %[[P]] shape [6]
// CHECK-NEXT: fxgraph.cat %[[A]], %[[B]], %[[U]]#0 dim 0
func.func @runs(%x: tensor<4x3xf32>, %y: tensor<3x2xf32>) -> tensor<18xf32> {
  %u:4 = fxgraph.unbind %x dim 0 : (tensor<4x3xf32>) -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  %v:2 = fxgraph.unbind %y dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %c = fxgraph.cat %u#1, %u#2, %u#3, %v#0, %v#1, %u#0 dim 0 : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<18xf32>
  return %c : tensor<18xf32>
}

// What is returned is no view of the argument.
// CHECK-LABEL: func @returned
// CHECK: %[[R:.*]] = fxgraph.reshape
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[R]]
// CHECK-NEXT: return %[[C]]
func.func @returned(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %c = fxgraph.cat %u#0, %u#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// CHECK-LABEL: func @steps
// CHECK: fxgraph.cat
// STEPS-LABEL: func @steps
// STEPS-NEXT: %[[S:.*]] = fxgraph.slice %{{.*}} dim 0 from 0 to 5 step 2 : (tensor<5x2xf32>) -> tensor<3x2xf32>
// STEPS-NEXT: fxgraph.reshape %[[S]] shape [6]
func.func @steps(%x: tensor<5x2xf32>) -> tensor<6xf32> {
  %u:5 = fxgraph.unbind %x dim 0 : (tensor<5x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.cat %u#0, %u#2, %u#4 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  %r = fxgraph.relu %c : tensor<6xf32>
  return %r : tensor<6xf32>
}

// Extents that are symbols or unknown: flatten instead of reshape.
// CHECK-LABEL: func @dynamic
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %{{.*}} dims [1, 0, 2]
// CHECK-NEXT: fxgraph.flatten %[[P]] dims 1 to 2
func.func @dynamic(%x: tensor<2x5x?xf32>) -> tensor<5x?xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x5x?xf32>) -> (tensor<5x?xf32>, tensor<5x?xf32>)
  %c = fxgraph.cat %u#0, %u#1 dim 1 : (tensor<5x?xf32>, tensor<5x?xf32>) -> tensor<5x?xf32>
  %r = fxgraph.relu %c : tensor<5x?xf32>
  return %r : tensor<5x?xf32>
}
