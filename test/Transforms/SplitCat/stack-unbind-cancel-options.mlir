// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel | FileCheck %s --check-prefixes=CHECK,STRICT
// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel="allow-other-users=true" | FileCheck %s --check-prefixes=CHECK,LOOSE

// A residual connection takes a piece of what a stack takes altogether.
// CHECK-LABEL: func @residual
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4xf32>
// CHECK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[X]] dim 0
// STRICT-NEXT: %[[S:.*]] = fxgraph.stack
// STRICT-NEXT: fxgraph.relu %[[S]]
// LOOSE-NEXT: fxgraph.relu %[[X]]
// CHECK: fxgraph.tanh %[[U]]#1
func.func @residual(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<4xf32>) {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %r = fxgraph.relu %s : tensor<2x4xf32>
  %t = fxgraph.tanh %u#1 : tensor<4xf32>
  return %r, %t : tensor<2x4xf32>, tensor<4xf32>
}

// Another stack takes only some: it stays.
// CHECK-LABEL: func @partial
// STRICT: fxgraph.stack
// CHECK: fxgraph.stack
// LOOSE-NOT: fxgraph.stack
func.func @partial(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>) {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %r = fxgraph.relu %s : tensor<2x4xf32>
  %t = fxgraph.stack %u#1, %u#0 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %v = fxgraph.relu %t : tensor<2x4xf32>
  return %r, %v : tensor<2x4xf32>, tensor<2x4xf32>
}
