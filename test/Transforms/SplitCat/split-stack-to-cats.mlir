// RUN: fx-opt %s --fxgraph-splitcat-split-stack-to-cats="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-split-stack-to-cats="threshold-to-cat=2" | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-split-stack-to-cats="threshold-to-cat=2 allow-steps=true" | FileCheck %s --check-prefix=STEPS

// Dimensions 2 apart: 2 is moved to 0; an exchange would be wrong.
// CHECK-LABEL: func @moved
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x3x8xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [2, 3, 4, 2]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[R]] dims [2, 0, 1, 3]
// CHECK-NEXT: fxgraph.relu %[[P]]
func.func @moved(%x: tensor<2x3x8xf32>) -> tensor<4x2x3x2xf32> {
  %p:4 = fxgraph.split %x size 2 dim -1 : (tensor<2x3x8xf32>) -> (tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>)
  %s = fxgraph.stack %p#0, %p#1, %p#2, %p#3 dim -4 : (tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>, tensor<2x3x2xf32>) -> tensor<4x2x3x2xf32>
  %r = fxgraph.relu %s : tensor<4x2x3x2xf32>
  return %r : tensor<4x2x3x2xf32>
}

// A run of a split whose other section differs, and the split stays for that.
// CHECK-LABEL: func @run
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7xf32>, %[[A:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT: %[[P:.*]]:4 = fxgraph.split_with_sizes %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 5 :
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[P]]#3, %[[A]], %[[S]] dim 0
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[C]] shape [4, 2]
// CHECK-NEXT: %[[T:.*]] = fxgraph.permute %[[R]] dims [1, 0]
func.func @run(%x: tensor<7xf32>, %a: tensor<2xf32>) -> tensor<2x4xf32> {
  %p:4 = fxgraph.split_with_sizes %x sizes [1, 2, 2, 2] dim 0 : (tensor<7xf32>) -> (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#3, %a, %p#1, %p#2 dim 1 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x4xf32>
  return %s : tensor<2x4xf32>
}

// Two splits along two dimensions: no one cat; the rest stays stacked.
// CHECK-LABEL: func @two_dims
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x2xf32>, %[[Y:[a-z0-9]+]]: tensor<2x4xf32>, %[[A:[a-z0-9]+]]:
// CHECK-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [2, 2, 2]
// CHECK-NEXT: %[[S:.*]] = fxgraph.stack %[[A]], %[[A]] dim 0
// CHECK-NEXT: %[[T:.*]] = fxgraph.reshape %[[Y]] shape [2, 2, 2]
// CHECK-NEXT: %[[P:.*]] = fxgraph.permute %[[T]] dims [1, 0, 2]
// CHECK-NEXT: %[[U:.*]] = fxgraph.unsqueeze %[[A]] dim 0
// CHECK-NEXT: fxgraph.cat %[[R]], %[[S]], %[[P]], %[[U]] dim 0
func.func @two_dims(%x: tensor<4x2xf32>, %y: tensor<2x4xf32>, %a: tensor<2x2xf32>) -> tensor<7x2x2xf32> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %q:2 = fxgraph.split %y size 2 dim 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  %s = fxgraph.stack %p#0, %p#1, %a, %a, %q#0, %q#1, %a dim 0 : (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<7x2x2xf32>
  return %s : tensor<7x2x2xf32>
}

// Every second piece of extent 2: unflatten, strided slice, movedim.
// CHECK-LABEL: func @steps
// CHECK: fxgraph.stack
// STEPS-LABEL: func @steps
// STEPS-SAME: %[[X:[a-z0-9]+]]: tensor<3x8xf32>
// STEPS-NEXT: %{{.*}}:4 = fxgraph.split %[[X]]
// STEPS-NEXT: %[[R:.*]] = fxgraph.reshape %[[X]] shape [3, 4, 2]
// STEPS-NEXT: %[[S:.*]] = fxgraph.slice %[[R]] dim 1 from 1 to 4 step 2 : (tensor<3x4x2xf32>) -> tensor<3x2x2xf32>
// STEPS-NEXT: %[[P:.*]] = fxgraph.permute %[[S]] dims [1, 0, 2]
// STEPS-NEXT: fxgraph.relu %[[P]]
func.func @steps(%x: tensor<3x8xf32>) -> (tensor<2x3x2xf32>, tensor<3x2xf32>) {
  %p:4 = fxgraph.split %x size 2 dim 1 : (tensor<3x8xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>, tensor<3x2xf32>)
  %s = fxgraph.stack %p#1, %p#3 dim 0 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<2x3x2xf32>
  %r = fxgraph.relu %s : tensor<2x3x2xf32>
  %n = fxgraph.neg %p#0 : tensor<3x2xf32>
  return %r, %n : tensor<2x3x2xf32>, tensor<3x2xf32>
}

// The last section is shorter: only what lies between the pieces is unflattened.
// STEPS-LABEL: func @steps_uneven
// STEPS-NEXT: %[[S:.*]] = fxgraph.slice %{{.*}} dim 0 from 2 to 8 : (tensor<9xf32>) -> tensor<6xf32>
// STEPS-NEXT: %[[R:.*]] = fxgraph.reshape %[[S]] shape [3, 2]
// STEPS-NEXT: %[[T:.*]] = fxgraph.slice %[[R]] dim 0 from 0 to 3 step 2 : (tensor<3x2xf32>) -> tensor<2x2xf32>
func.func @steps_uneven(%x: tensor<9xf32>) -> tensor<2x2xf32> {
  %p:5 = fxgraph.split %x size 2 dim 0 : (tensor<9xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<1xf32>)
  %s = fxgraph.stack %p#1, %p#3 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s : tensor<2x2xf32>
}

// What is returned shares nothing with the argument or the other result.
// CHECK-LABEL: func @returned
// CHECK: %[[A:.*]] = fxgraph.clone
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @returned(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %s = fxgraph.stack %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  %t = fxgraph.stack %p#0, %p#1 dim 1 : (tensor<2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  return %s, %t : tensor<2x2xf32>, tensor<2x2xf32>
}
