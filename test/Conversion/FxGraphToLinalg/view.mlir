// Reshapes and slices are views, permutes and broadcasts are maps.
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s

// CHECK-DAG: #[[$SWAP:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-LABEL: func.func @views
// CHECK: tensor.collapse_shape %{{.*}} {{\[}}[0, 1], [2]]
// CHECK: tensor.expand_shape %{{.*}} {{\[}}[0], [1], [2, 3]] output_shape [2, 3, 2, 2]
// CHECK: tensor.extract_slice %{{.*}}[0, 1, 0] [2, 2, 4] [1, 1, 1]
// CHECK: tensor.extract_slice %{{.*}}[0, 0, 0] [2, 2, 2] [1, 1, 2]
func.func @views(%x: tensor<2x3x4xf32>) -> (tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<2x2x2xf32>) {
  %0 = fxgraph.reshape %x shape [6, -1] : tensor<2x3x4xf32> -> tensor<6x4xf32>
  %1 = fxgraph.unflatten %x dim -1 sizes [2, 2] : (tensor<2x3x4xf32>) -> tensor<2x3x2x2xf32>
  %2 = fxgraph.slice %x dim 1 from -2 to 9223372036854775807 : (tensor<2x3x4xf32>) -> tensor<2x2x4xf32>
  %3 = fxgraph.slice %2 dim 2 from 0 to 99 step 2 : (tensor<2x2x4xf32>) -> tensor<2x2x2xf32>
  return %0, %1, %3 : tensor<6x4xf32>, tensor<2x3x2x2xf32>, tensor<2x2x2xf32>
}

// CHECK-LABEL: func.func @permute
// CHECK: linalg.generic {indexing_maps = [#[[$SWAP]],
func.func @permute(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// Pad: the value everywhere, then the input; a negative amount crops first.
// CHECK-LABEL: func.func @pad
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [2, 2] [1, 1]
// CHECK: linalg.fill ins(%{{.*}} : f32) outs(%{{.*}} : tensor<3x2xf32>)
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[1, 0] [2, 2] [1, 1]
func.func @pad(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %0 = fxgraph.constant_pad_nd %x by [-1, 0, 1, 0] value 5.000000e-01 : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return %0 : tensor<3x2xf32>
}

// A slice of nothing at the end is no slice.
// CHECK-LABEL: func.func @nothing
// CHECK-NOT: extract_slice
// CHECK: tensor.empty() : tensor<0x3xf32>
func.func @nothing(%x: tensor<2x3xf32>) -> tensor<0x3xf32> {
  %0 = fxgraph.slice %x dim 0 from 2 to 5 : (tensor<2x3xf32>) -> tensor<0x3xf32>
  return %0 : tensor<0x3xf32>
}

// Python's clamping where the extent is not known.
// CHECK-LABEL: func.func @dynamic_slice
// CHECK: %[[N:.*]] = tensor.dim
// CHECK: arith.minsi %[[N]]
// CHECK: arith.maxsi
// CHECK: tensor.extract_slice
func.func @dynamic_slice(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fxgraph.slice %x dim 0 from 0 to 7 : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
