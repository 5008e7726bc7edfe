// What ends in a piece of a cat, in a result or in a slice is computed there.
// RUN: fx-opt %s --split-input-file --fxgraph-to-linalg --fxgraph-cpu-fuse --fxgraph-cpu-entry --fxgraph-cpu-place | FileCheck %s --check-prefix=PLACE
// RUN: fx-opt %s --split-input-file --fxgraph-to-linalg --fxgraph-cpu-fuse --fxgraph-cpu-entry --fxgraph-cpu-place --fxgraph-cpu-bufferize --cse --canonicalize | FileCheck %s --check-prefix=BUFFER

// A cat in a cat in the result: both relus write into the result, the argument is copied.
// PLACE-LABEL: func.func @nested
// PLACE-NOT: tensor.concat
// PLACE-NOT: tensor.insert_slice
// PLACE: %[[P:.*]] = memref.reinterpret_cast %[[M:.*]] to offset: [0], sizes: [4, 8], strides: [24, 1]
// PLACE: %[[E:.*]] = bufferization.to_tensor %[[P]] restrict writable
// PLACE: linalg.generic {{.*}} outs(%[[E]]
// PLACE: %[[Q:.*]] = memref.reinterpret_cast %[[M]] to offset: [8], sizes: [4, 8], strides: [24, 1]
// PLACE: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[P]]
// PLACE: bufferization.materialize_in_destination %{{.*}} in restrict writable %[[Q]]
// BUFFER-LABEL: func.func @nested
// BUFFER-NOT: memref.alloc
// BUFFER: linalg.generic {{.*}} outs(%{{.*}} : memref<4x8xf32, strided<[24, 1]>>)
// BUFFER: linalg.generic {{.*}} outs(%{{.*}} : memref<4x8xf32, strided<[24, 1], offset: 8>>)
// BUFFER: memref.copy %{{.*}} : memref<4x8xf32> to memref<4x8xf32, strided<[24, 1], offset: 16>>
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @nested(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x24xf32> {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  %1 = fxgraph.tanh %y : tensor<4x8xf32>
  %2 = fxgraph.cat %0, %1 dim 1 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x16xf32>
  %3 = fxgraph.cat %2, %x dim 1 : (tensor<4x16xf32>, tensor<4x8xf32>) -> tensor<4x24xf32>
  return %3 : tensor<4x24xf32>
}

// -----

// A tensor has one place: where it ends twice, it is copied once.
// BUFFER-LABEL: func.func @twice
// BUFFER-NOT: memref.alloc
// BUFFER-COUNT-1: memref.copy
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @twice(%x: tensor<4x8xf32>) -> tensor<8x8xf32> {
  %0 = fxgraph.relu %x : tensor<4x8xf32>
  %1 = fxgraph.cat %0, %0 dim 0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}

// -----

// Pieces of a stack along the last dim, and a result behind a reshape.
// BUFFER-LABEL: func.func @reshaped
// BUFFER: linalg.generic {{.*}} outs(%{{.*}} : memref<2x3xf32, strided<[6, 2]>>)
// BUFFER: linalg.generic {{.*}} outs(%{{.*}} : memref<2x3xf32, strided<[6, 2], offset: 1>>)
// BUFFER: linalg.generic {{.*}} outs(%{{.*}} : memref<2x3xf32, strided<[3, 1]>>)
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @reshaped(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> (tensor<2x3x2xf32>, tensor<6xf32>) {
  %0 = fxgraph.relu %x : tensor<2x3xf32>
  %1 = fxgraph.tanh %y : tensor<2x3xf32>
  %2 = fxgraph.stack %0, %1 dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  %3 = fxgraph.neg %y : tensor<2x3xf32>
  %4 = fxgraph.view %3 shape [6] : tensor<2x3xf32> -> tensor<6xf32>
  return %2, %4 : tensor<2x3x2xf32>, tensor<6xf32>
}

// -----

// The reshape would have to step over the other piece's rows: copied.
// BUFFER-LABEL: func.func @uneven
// BUFFER: %[[A:.*]] = memref.alloc() {{.*}} : memref<2x3xf32>
// BUFFER: linalg.generic {{.*}} outs(%[[A]] : memref<2x3xf32>)
// BUFFER: memref.copy
// BUFFER: return
func.func @uneven(%x: tensor<2x3xf32>, %y: tensor<6xf32>) -> tensor<3x4xf32> {
  %0 = fxgraph.relu %x : tensor<2x3xf32>
  %1 = fxgraph.view %0 shape [3, 2] : tensor<2x3xf32> -> tensor<3x2xf32>
  %2 = fxgraph.view %y shape [3, 2] : tensor<6xf32> -> tensor<3x2xf32>
  %3 = fxgraph.cat %1, %2 dim 1 : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x4xf32>
  return %3 : tensor<3x4xf32>
}

// -----

// Padding: filled first, then computed in the middle of it, also where others read it.
// BUFFER-LABEL: func.func @padded
// BUFFER: linalg.fill
// BUFFER: %[[S:.*]] = memref.subview %{{.*}}[1] [4] [1]
// BUFFER: linalg.generic {{.*}} outs(%[[S]]
// BUFFER: linalg.generic {{.*}} ins(%[[S]]
// BUFFER-NOT: memref.copy
// BUFFER: return
func.func @padded(%x: tensor<4xf32>) -> (tensor<6xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.constant_pad_nd %0 by [1, 1] : (tensor<4xf32>) -> tensor<6xf32>
  %2 = fxgraph.tanh %0 : tensor<4xf32>
  return %1, %2 : tensor<6xf32>, tensor<4xf32>
}

// -----

// What is read after it was written over keeps a buffer of its own: one copy each.
// BUFFER-LABEL: func.func @overwritten
// BUFFER: memref.copy
// BUFFER: memref.copy
// BUFFER: return
func.func @overwritten(%x: tensor<4xf32>, %y: tensor<1xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.cat %0, %x dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  %2 = fxgraph.slice_scatter %0, %y dim 0 from 1 to 2 step 1 : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<8xf32>, tensor<4xf32>
}

// -----

// A row of what ends elsewhere is read once more at the end: it is not the row that is written into it in the meantime.
// BUFFER-LABEL: func.func @read_later
// BUFFER: %[[OWN:.*]] = memref.alloc() {{.*}} : memref<3x4xf32>
// BUFFER: linalg.fill {{.*}} outs(%[[OWN]] : memref<3x4xf32>)
// BUFFER: %[[ROW:.*]] = memref.subview %[[OWN]][2, 0] [1, 4] [1, 1]
// BUFFER: memref.copy %[[ROW]], %{{.*}} : memref<1x4xf32
// BUFFER: return
func.func @read_later(%y: tensor<4xf32>) -> (tensor<3x4xf32>, tensor<4xf32>) {
  %0 = fxgraph.full 0.0 : tensor<3x4xf32>
  %1 = fxgraph.select %0 dim 0 at 2 : (tensor<3x4xf32>) -> tensor<4xf32>
  %2 = fxgraph.add %1, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = fxgraph.select_scatter %0, %2 dim 0 at 2 : (tensor<3x4xf32>, tensor<4xf32>) -> tensor<3x4xf32>
  return %3, %1 : tensor<3x4xf32>, tensor<4xf32>
}

// -----

// Extents that vary.
// BUFFER-LABEL: func.func @dynamic
// BUFFER: memref.alloc(%{{.*}}) {{.*}} : memref<?x16xf32>
// BUFFER: memref.subview %{{.*}}[0, 8] [%{{.*}}, 8] [1, 1] : memref<?x16xf32>
// BUFFER: memref.copy
func.func @dynamic(%x: tensor<?x8xf32>, %y: tensor<?x8xf32>) -> tensor<?x16xf32> {
  %0 = fxgraph.cat %x, %y dim 1 : (tensor<?x8xf32>, tensor<?x8xf32>) -> tensor<?x16xf32>
  return %0 : tensor<?x16xf32>
}
