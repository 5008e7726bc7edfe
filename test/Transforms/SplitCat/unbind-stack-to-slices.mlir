// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-to-slices="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-unbind-stack-to-slices="threshold-to-cat=2" | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-to-slices="threshold-to-cat=2 allow-steps=true" | FileCheck %s --check-prefix=STEPS

// The last dimension, from which Inductor's rewrite fails.
// CHECK-LABEL: func @last_dim
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3xf32>
// CHECK-NEXT: fxgraph.relu %[[X]]
func.func @last_dim(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %u:3 = fxgraph.unbind %x dim -1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1, %u#2 dim -1 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %r = fxgraph.relu %s : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @moved
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %{{.*}} dims [1, 2, 0]
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @moved(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 2 : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4x2xf32>
  %r = fxgraph.relu %s : tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// Neighbours that are no run stay stacked, the same value twice too.
// CHECK-LABEL: func @others
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x4xf32>, %[[A:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack %[[A]], %[[U]]#1, %[[A]] dim 0
// CHECK-NEXT: fxgraph.cat %[[S]], %[[X]] dim 0
func.func @others(%x: tensor<2x4xf32>, %a: tensor<4xf32>) -> tensor<5x4xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %s = fxgraph.stack %a, %u#1, %a, %u#0, %u#1 dim 0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<5x4xf32>
  return %s : tensor<5x4xf32>
}

// CHECK-LABEL: func @steps
// CHECK: fxgraph.stack
// STEPS-LABEL: func @steps
// STEPS-SAME: %[[X:[a-z0-9]+]]: tensor<6x2xf32>
// STEPS-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 0 to 5 step 2 : (tensor<6x2xf32>) -> tensor<3x2xf32>
// STEPS-NEXT: fxgraph.relu %[[S]]
func.func @steps(%x: tensor<6x2xf32>) -> tensor<3x2xf32> {
  %u:6 = fxgraph.unbind %x dim 0 : (tensor<6x2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#2, %u#4 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
  %r = fxgraph.relu %s : tensor<3x2xf32>
  return %r : tensor<3x2xf32>
}

// An argument does not become a result, and two results do not become one.
// CHECK-LABEL: func @returned
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @returned(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %t = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s, %t : tensor<2x2xf32>, tensor<2x2xf32>
}

// The argument is written after the stack was read: the clone is of the old value.
// CHECK-LABEL: func @written_argument
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x2xf32>
// CHECK-NEXT: fxgraph.copy_
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @written_argument(%x: tensor<2x2xf32>, %y: tensor<2x2xf32>) -> tensor<2x2xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  fxgraph.copy_ %y into %x : tensor<2x2xf32>, tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// An unknown extent, which the stack alone could not keep apart.
// CHECK-LABEL: func @dynamic
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %{{.*}} dims [1, 0] : (tensor<2x?xf32>) -> tensor<?x2xf32>
func.func @dynamic(%x: tensor<2x?xf32>) -> tensor<?x2xf32> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x?xf32>) -> (tensor<?xf32>, tensor<?xf32>)
  %s = fxgraph.stack %u#0, %u#1 dim 1 : (tensor<?xf32>, tensor<?xf32>) -> tensor<?x2xf32>
  %r = fxgraph.relu %s : tensor<?x2xf32>
  return %r : tensor<?x2xf32>
}

// Nothing to stack but the dimension, in bools.
// CHECK-LABEL: func @empty
// CHECK-NEXT: fxgraph.permute %{{.*}} dims [1, 0] : (tensor<2x0xi1>) -> tensor<0x2xi1>
func.func @empty(%x: tensor<2x0xi1>) -> tensor<0x2xi1> {
  %u:2 = fxgraph.unbind %x dim 0 : (tensor<2x0xi1>) -> (tensor<0xi1>, tensor<0xi1>)
  %s = fxgraph.stack %u#0, %u#1 dim 1 : (tensor<0xi1>, tensor<0xi1>) -> tensor<0x2xi1>
  %r = fxgraph.logical_not %s : (tensor<0x2xi1>) -> tensor<0x2xi1>
  return %r : tensor<0x2xi1>
}

// Pieces of rank 0.
// CHECK-LABEL: func @scalars
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<3xf32>
// CHECK-NEXT: fxgraph.relu %[[X]]
func.func @scalars(%x: tensor<3xf32>) -> tensor<3xf32> {
  %u:3 = fxgraph.unbind %x dim 0 : (tensor<3xf32>) -> (tensor<f32>, tensor<f32>, tensor<f32>)
  %s = fxgraph.stack %u#0, %u#1, %u#2 dim -1 : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  %r = fxgraph.relu %s : tensor<3xf32>
  return %r : tensor<3xf32>
}
