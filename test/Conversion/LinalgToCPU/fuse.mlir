// What is written into pieces of a tensor and read from pieces again; copies that products read.
// RUN: fx-opt %s --fxgraph-to-linalg --fxgraph-cpu-fuse | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5

// Gates in place: one loop computes them and what reads them.
// CHECK-LABEL: func.func @gates
// CHECK-NOT: tensor.insert_slice
// CHECK: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @gates(%x: tensor<4x16xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.slice %x dim 1 from 0 to 8 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %1 = fxgraph.sigmoid %0 : tensor<4x8xf32>
  %2 = fxgraph.slice_scatter %x, %1 dim 1 from 0 to 8 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %3 = fxgraph.slice %2 dim 1 from 8 to 16 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %4 = fxgraph.tanh %3 : tensor<4x8xf32>
  %5 = fxgraph.slice_scatter %2, %4 dim 1 from 8 to 16 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %6 = fxgraph.slice %5 dim 1 from 0 to 8 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %7 = fxgraph.slice %5 dim 1 from 8 to 16 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %8 = fxgraph.mul %6, %7 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %8 : tensor<4x8xf32>
}

// A part of a piece is read in the piece.
// CHECK-LABEL: func.func @within
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.extract_slice %{{.*}}[0, 1] [4, 3] [1, 1] : tensor<4x8xf32> to tensor<4x3xf32>
func.func @within(%x: tensor<4x16xf32>, %y: tensor<4x8xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 4 to 12 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.slice %0 dim 1 from 5 to 8 : (tensor<4x16xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// The twins: where all of the tensor is read, or what lies on both sides of a piece's end, or every other column was written, it
// is made.
// CHECK-LABEL: func.func @all_of_it
// CHECK: %[[ALL:.*]] = tensor.insert_slice
// CHECK: tensor.extract_slice %[[ALL]]
func.func @all_of_it(%x: tensor<4x16xf32>, %y: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x16xf32>) {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 0 to 8 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.slice %0 dim 1 from 8 to 16 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  %2 = fxgraph.relu %1 : tensor<4x8xf32>
  return %2, %0 : tensor<4x8xf32>, tensor<4x16xf32>
}

// CHECK-LABEL: func.func @across
// CHECK: %[[ALL:.*]] = tensor.insert_slice
// CHECK: tensor.extract_slice %[[ALL]]
func.func @across(%x: tensor<4x16xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 0 to 8 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.slice %0 dim 1 from 4 to 12 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @every_other
// CHECK: tensor.insert_slice
func.func @every_other(%x: tensor<4x16xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 0 to 16 step 2 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.slice %0 dim 1 from 0 to 8 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// A slice that a later insertion leaves alone reads the earlier one, which it crosses and which therefore stays.
// CHECK-LABEL: func.func @through_one
// CHECK: %[[FIRST:.*]] = tensor.insert_slice
// CHECK-NOT: tensor.insert_slice
// CHECK: tensor.extract_slice %[[FIRST]][0, 4] [4, 4] [1, 1]
func.func @through_one(%x: tensor<4x16xf32>, %y: tensor<4x6xf32>, %z: tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x8xf32>) {
  %0 = fxgraph.slice_scatter %x, %y dim 1 from 0 to 6 : (tensor<4x16xf32>, tensor<4x6xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.slice_scatter %0, %z dim 1 from 8 to 16 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %2 = fxgraph.slice %1 dim 1 from 4 to 8 : (tensor<4x16xf32>) -> tensor<4x4xf32>
  %3 = fxgraph.slice %1 dim 1 from 8 to 16 : (tensor<4x16xf32>) -> tensor<4x8xf32>
  return %2, %3 : tensor<4x4xf32>, tensor<4x8xf32>
}

// One matrix for all of a batch is read where it lies.
// CHECK-LABEL: func.func @shared
// CHECK-COUNT-1: linalg.generic
// CHECK-NOT: linalg.generic
// CHECK: return
func.func @shared(%x: tensor<3x5x8xf32>, %w: tensor<7x8xf32>) -> tensor<3x5x7xf32> {
  %0 = fxgraph.transpose %w dims 0, 1 : (tensor<7x8xf32>) -> tensor<8x7xf32>
  %1 = fxgraph.expand %0 shape [3, 8, 7] : tensor<8x7xf32> -> tensor<3x8x7xf32>
  %2 = fxgraph.bmm %x, %1 : (tensor<3x5x8xf32>, tensor<3x8x7xf32>) -> tensor<3x5x7xf32>
  return %2 : tensor<3x5x7xf32>
}

// The twin: matrices of a batch whose elements lie side by side are copied, as are those of which nothing but the copy has the
// extent of a dimension.
// CHECK-LABEL: func.func @side_by_side
// CHECK-COUNT-2: linalg.generic
// CHECK: return
func.func @side_by_side(%x: tensor<3x5x8xf32>, %w: tensor<8x7x3xf32>) -> tensor<3x5x7xf32> {
  %0 = fxgraph.permute %w dims [2, 0, 1] : (tensor<8x7x3xf32>) -> tensor<3x8x7xf32>
  %1 = fxgraph.expand %0 shape [3, 8, 7] : tensor<3x8x7xf32> -> tensor<3x8x7xf32>
  %2 = fxgraph.bmm %x, %1 : (tensor<3x5x8xf32>, tensor<3x8x7xf32>) -> tensor<3x5x7xf32>
  return %2 : tensor<3x5x7xf32>
}

func.func @all_shared(%x: tensor<5x1xf32>, %w: tensor<1x7xf32>) -> tensor<3x5x7xf32> {
  %0 = fxgraph.expand %x shape [3, 5, 8] : tensor<5x1xf32> -> tensor<3x5x8xf32>
  %1 = fxgraph.expand %w shape [3, 8, 7] : tensor<1x7xf32> -> tensor<3x8x7xf32>
  %2 = fxgraph.bmm %0, %1 : (tensor<3x5x8xf32>, tensor<3x8x7xf32>) -> tensor<3x5x7xf32>
  return %2 : tensor<3x5x7xf32>
}
