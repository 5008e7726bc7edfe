// Pieces are slices; a join is a chain of insert_slice into one tensor.
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s

// CHECK-LABEL: func.func @split
// CHECK: tensor.extract_slice %[[X:.*]][0, 0] [4, 3] [1, 1]
// CHECK: tensor.extract_slice %[[X]][0, 3] [4, 1] [1, 1]
func.func @split(%x: tensor<4x4xf32>) -> (tensor<4x3xf32>, tensor<4x1xf32>) {
  %0:2 = fxgraph.split %x size 3 dim -1 : (tensor<4x4xf32>) -> (tensor<4x3xf32>, tensor<4x1xf32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<4x1xf32>
}

// CHECK-LABEL: func.func @unbind
// CHECK: tensor.extract_slice %{{.*}}[0, 0] [1, 3] [1, 1]
// CHECK: tensor.collapse_shape
func.func @unbind(%x: tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<3xf32>
}

// The same operand twice, an empty one, PyTorch's legacy tensor<0>.
// CHECK-LABEL: func.func @cat
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x6xf32>
// CHECK: %[[A:.*]] = tensor.insert_slice %[[X:.*]] into %[[E]][0, 0] [4, 3] [1, 1]
// CHECK: tensor.insert_slice %[[X]] into %[[A]][0, 3] [4, 3] [1, 1]
// CHECK-NOT: insert_slice
// CHECK: return
func.func @cat(%x: tensor<4x3xf32>, %y: tensor<4x0xf32>, %z: tensor<0xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.cat %x, %y, %z, %x dim 1 : (tensor<4x3xf32>, tensor<4x0xf32>, tensor<0xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @stack
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 0] [2, 3, 1] [1, 1, 1] : tensor<2x3xf32> into tensor<2x3x2xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0, 0, 1] [2, 3, 1] [1, 1, 1] : tensor<2x3xf32> into tensor<2x3x2xf32>
func.func @stack(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  %0 = fxgraph.stack %x, %y dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}
