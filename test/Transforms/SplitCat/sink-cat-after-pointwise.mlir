// RUN: fx-opt %s --fxgraph-splitcat-sink-cat-after-pointwise > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-sink-cat-after-pointwise | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-sink-cat-after-pointwise=all-pointwise=true | FileCheck %s --check-prefix=ALL

// A chain of views and ops moves at once; the last op may have many users.
// CHECK-LABEL: func @chain
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>, %[[Y:[a-z0-9]+]]: tensor<2x1xf32>
// CHECK-NEXT: %[[A:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.tanh %[[A]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.relu %[[Y]]
// CHECK-NEXT: %[[D:.*]] = fxgraph.tanh %[[C]]
// CHECK-NEXT: %[[E:.*]] = fxgraph.cat %[[B]], %[[D]] dim -1
// CHECK-NEXT: %[[F:.*]] = fxgraph.permute %[[E]] dims [1, 0]
// CHECK-NEXT: %[[G:.*]] = fxgraph.reshape %[[F]] shape [2, 2, 2]
// CHECK-NEXT: %[[H:.*]] = fxgraph.neg %[[G]]
// CHECK-NEXT: return %[[G]], %[[H]]
func.func @chain(%x: tensor<2x3xf32>, %y: tensor<2x1xf32>) -> (tensor<2x2x2xf32>, tensor<2x2x2xf32>) {
  %c = fxgraph.cat %x, %y dim -1 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x4xf32>
  %p = fxgraph.permute %c dims [1, 0] : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %r = fxgraph.relu %p : tensor<4x2xf32>
  %v = fxgraph.reshape %r shape [2, 2, 2] : tensor<4x2xf32> -> tensor<2x2x2xf32>
  %t = fxgraph.tanh %v : tensor<2x2x2xf32>
  %n = fxgraph.neg %t : tensor<2x2x2xf32>
  return %t, %n : tensor<2x2x2xf32>, tensor<2x2x2xf32>
}

// Through a cat of a cat, in one run; an operand that stands twice is computed once.
// CHECK-LABEL: func @nested
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32>, %[[Y:[a-z0-9]+]]: tensor<1xf32>
// CHECK-NEXT: %[[A:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.relu %[[Y]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[B]], %[[A]] dim 0
// CHECK-NEXT: %[[D:.*]] = fxgraph.relu %[[Y]]
// CHECK-NEXT: %[[E:.*]] = fxgraph.cat %[[C]], %[[D]] dim 0
// CHECK-NEXT: return %[[E]]
func.func @nested(%x: tensor<2xf32>, %y: tensor<1xf32>) -> tensor<6xf32> {
  %c = fxgraph.cat %x, %y, %x dim 0 : (tensor<2xf32>, tensor<1xf32>, tensor<2xf32>) -> tensor<5xf32>
  %d = fxgraph.cat %c, %y dim 0 : (tensor<5xf32>, tensor<1xf32>) -> tensor<6xf32>
  %r = fxgraph.relu %d : tensor<6xf32>
  return %r : tensor<6xf32>
}

// A legacy empty operand keeps its rank.
// CHECK-LABEL: func @legacy_empty
// CHECK: %[[E:.*]] = fxgraph.relu %{{.*}} : tensor<0xf32>
// CHECK: fxgraph.cat %{{.*}}, %[[E]] dim 0
func.func @legacy_empty(%x: tensor<2x2xf32>, %e: tensor<0xf32>) -> tensor<2x2xf32> {
  %c = fxgraph.cat %x, %e dim 0 : (tensor<2x2xf32>, tensor<0xf32>) -> tensor<2x2xf32>
  %r = fxgraph.relu %c : tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// Symbols and a reshape with a size operand.
// CHECK-LABEL: func @dynamic
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<?x2xf32>, %[[N:[a-z0-9]+]]: index
// CHECK-NEXT: %[[A:.*]] = fxgraph.tanh %[[X]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[A]] dim 1 : {{.*}} -> tensor<?x4xf32>
// CHECK-NEXT: %[[V:.*]] = fxgraph.view %[[C]] shape [%[[N]], 2]
// CHECK-NEXT: return %[[V]]
func.func @dynamic(%x: tensor<?x2xf32>, %n: index) -> tensor<?x2xf32> {
  %c = fxgraph.cat %x, %x dim 1 : (tensor<?x2xf32>, tensor<?x2xf32>) -> tensor<?x4xf32>
  %v = fxgraph.view %c shape [%n, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  %t = fxgraph.tanh %v : tensor<?x2xf32>
  return %t : tensor<?x2xf32>
}

// By default only relu and tanh move. Attributes move along, and element types change.
// CHECK-LABEL: func @others
// CHECK-NEXT: fxgraph.cat
// ALL-LABEL: func @others
// ALL-SAME: %[[X:[a-z0-9]+]]: tensor<2xf32>
// ALL-NEXT: %[[A:.*]] = fxgraph.leaky_relu %[[X]] slope 5.000000e-01
// ALL-NEXT: %[[B:.*]] = fxgraph.isnan %[[A]] : (tensor<2xf32>) -> tensor<2xi1>
// ALL-NEXT: %[[C:.*]] = fxgraph.cat %[[B]], %[[B]] dim 0 : {{.*}} -> tensor<4xi1>
// ALL-NEXT: %[[V:.*]] = fxgraph.view %[[C]] shape [2, 2] : tensor<4xi1> -> tensor<2x2xi1>
// ALL-NEXT: return %[[V]]
func.func @others(%x: tensor<2xf32>) -> tensor<2x2xi1> {
  %c = fxgraph.cat %x, %x dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %l = fxgraph.leaky_relu %c slope 0.5 : tensor<4xf32>
  %v = fxgraph.view %l shape [2, 2] : tensor<4xf32> -> tensor<2x2xf32>
  %n = fxgraph.isnan %v : (tensor<2x2xf32>) -> tensor<2x2xi1>
  return %n : tensor<2x2xi1>
}

// NaN, infinities and -0 go the same way (rewrites are checked in this suite).
// CHECK-LABEL: func @special_values
// CHECK: fxgraph.relu
// CHECK: fxgraph.relu
// CHECK: fxgraph.cat
func.func @special_values() -> tensor<4xf32> {
  %a = arith.constant dense<[0x7FC00000, -0.0]> : tensor<2xf32>
  %b = arith.constant dense<[0xFF800000, 0x7F800000]> : tensor<2xf32>
  %c = fxgraph.cat %a, %b dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %r = fxgraph.relu %c : tensor<4xf32>
  return %r : tensor<4xf32>
}
