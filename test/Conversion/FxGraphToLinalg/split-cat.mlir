// Pieces are slices; a join is one concat of all its pieces.
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
// CHECK: %[[C:.*]] = tensor.concat dim(1) %[[X:.*]], %[[X]] : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
// CHECK-NEXT: return %[[C]]
func.func @cat(%x: tensor<4x3xf32>, %y: tensor<4x0xf32>, %z: tensor<0xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.cat %x, %y, %z, %x dim 1 : (tensor<4x3xf32>, tensor<4x0xf32>, tensor<0xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}

// CHECK-LABEL: func.func @stack
// CHECK: %[[X:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [2, 3, 1]
// CHECK: %[[Y:.*]] = tensor.expand_shape %{{.*}} {{\[}}[0], [1, 2]] output_shape [2, 3, 1]
// CHECK: tensor.concat dim(2) %[[X]], %[[Y]] : (tensor<2x3x1xf32>, tensor<2x3x1xf32>) -> tensor<2x3x2xf32>
func.func @stack(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  %0 = fxgraph.stack %x, %y dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %0 : tensor<2x3x2xf32>
}

// Nothing beside one piece: the piece itself. Nothing at all: an empty tensor.
// CHECK-LABEL: func.func @one
// CHECK-NOT: concat
// CHECK: %[[E:.*]] = tensor.empty() : tensor<4x0xf32>
// CHECK: return %{{.*}}, %[[E]] : tensor<4x3xf32>, tensor<4x0xf32>
func.func @one(%x: tensor<4x3xf32>, %y: tensor<4x0xf32>) -> (tensor<4x3xf32>, tensor<4x0xf32>) {
  %0 = fxgraph.cat %y, %x dim 1 : (tensor<4x0xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.cat %y, %y dim 1 : (tensor<4x0xf32>, tensor<4x0xf32>) -> tensor<4x0xf32>
  return %0, %1 : tensor<4x3xf32>, tensor<4x0xf32>
}
