// RUN: fx-opt %s --fxgraph-normalize > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-normalize | diff %t.once -
// RUN: fx-opt %s --fxgraph-normalize --remarks-filter="fxgraph.*" --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=SPLITS

// One rewrite for each split and chunk.
// SPLITS-COUNT-8: [Passed] split-to-sizes
// SPLITS-NOT: [Passed] split-to-sizes

// The last piece may be shorter; the size is not the number of pieces.
// CHECK-LABEL: func @split_uneven
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [4, 4, 2] dim 1
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [6, 4] dim 1
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [7, 3] dim 0
func.func @split_uneven(%x: tensor<10x10xf32>) -> (tensor<10x2xf32>, tensor<10x4xf32>, tensor<3x10xf32>) {
  %a:3 = fxgraph.split %x size 4 dim 1 : (tensor<10x10xf32>) -> (tensor<10x4xf32>, tensor<10x4xf32>, tensor<10x2xf32>)
  %b:2 = fxgraph.split %x size 6 dim -1 : (tensor<10x10xf32>) -> (tensor<10x6xf32>, tensor<10x4xf32>)
  %c:2 = fxgraph.split %x size 7 dim -2 : (tensor<10x10xf32>) -> (tensor<7x10xf32>, tensor<3x10xf32>)
  return %a#2, %b#1, %c#1 : tensor<10x2xf32>, tensor<10x4xf32>, tensor<3x10xf32>
}

// A size beyond the extent is clipped; an empty dimension has one piece.
// CHECK-LABEL: func @split_clipped
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [3] dim 0
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [0] dim 0
func.func @split_clipped(%x: tensor<3xf32>, %e: tensor<0x2xf32>) -> (tensor<3xf32>, tensor<0x2xf32>) {
  %a = fxgraph.split %x size 320 dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %b = fxgraph.split %e size 0 dim 0 : (tensor<0x2xf32>) -> tensor<0x2xf32>
  return %a, %b : tensor<3xf32>, tensor<0x2xf32>
}

// CHECK-LABEL: func @chunk
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [3, 3, 3, 1] dim 0
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [2, 2, 2, 2, 2] dim 0
func.func @chunk(%x: tensor<10xi64>) -> (tensor<1xi64>, tensor<2xi64>) {
  %a:4 = fxgraph.chunk %x chunks 4 dim 0 : (tensor<10xi64>) -> (tensor<3xi64>, tensor<3xi64>, tensor<3xi64>, tensor<1xi64>)
  %b:5 = fxgraph.chunk %x chunks 6 dim -1 : (tensor<10xi64>) -> (tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>, tensor<2xi64>)
  return %a#3, %b#4 : tensor<1xi64>, tensor<2xi64>
}

// A dynamic extent beside the split dimension does not matter.
// CHECK-LABEL: func @split_dynamic
// CHECK: fxgraph.split_with_sizes %{{.*}} sizes [1, 1] dim 1 : (tensor<?x2xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>)
func.func @split_dynamic(%x: tensor<?x2xf32>) -> tensor<?x1xf32> {
  %a:2 = fxgraph.split %x size 1 dim 1 : (tensor<?x2xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>)
  return %a#1 : tensor<?x1xf32>
}

// stack and unsqueeze count in the rank of the result, the others in the input's.
// CHECK-LABEL: func @ranks
// CHECK: fxgraph.cat {{.*}} dim 1
// CHECK: fxgraph.stack {{.*}} dim 2
// CHECK: fxgraph.unsqueeze {{.*}} dim 2
// CHECK: fxgraph.unbind {{.*}} dim 1
// CHECK: fxgraph.split_with_sizes {{.*}} sizes [1, 2] dim 1
func.func @ranks(%x: tensor<2x3xf32>) -> (tensor<2x6xf32>, tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<2xf32>, tensor<2x2xf32>) {
  %a = fxgraph.cat %x, %x dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x6xf32>
  %b = fxgraph.stack %x, %x dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  %c = fxgraph.unsqueeze %x dim -1 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  %d:3 = fxgraph.unbind %x dim -1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %e:2 = fxgraph.split_with_sizes %x sizes [1, 2] dim -1 : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  return %a, %b, %c, %d#0, %e#1 : tensor<2x6xf32>, tensor<2x3x2xf32>, tensor<2x3x1xf32>, tensor<2xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @views
// CHECK: fxgraph.permute {{.*}} dims [2, 0, 1]
// CHECK: fxgraph.transpose {{.*}} dims 1, 2
// CHECK: fxgraph.squeeze {{.*}} dims [1, 2]
// CHECK: fxgraph.select {{.*}} dim 0 at 1
// CHECK: fxgraph.flip {{.*}} dims [0, 2]
func.func @views(%x: tensor<2x3x4xf32>, %y: tensor<2x1x1xf32>) -> (tensor<4x2x3xf32>, tensor<2x4x3xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<2x3x4xf32>) {
  %a = fxgraph.permute %x dims [-1, 0, -2] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %b = fxgraph.transpose %x dims -1, -2 : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %c = fxgraph.squeeze %y dims [-1, -2] : (tensor<2x1x1xf32>) -> tensor<2xf32>
  %d = fxgraph.select %x dim -3 at -1 : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  %e = fxgraph.flip %x dims [-1, -3] : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %a, %b, %c, %d, %e : tensor<4x2x3xf32>, tensor<2x4x3xf32>, tensor<2xf32>, tensor<3x4xf32>, tensor<2x3x4xf32>
}

// -1 is resolved where the extent is known.
// CHECK-LABEL: func @shapes
// CHECK: fxgraph.reshape {{.*}} shape [4, 6]
// CHECK: fxgraph.view {{.*}} shape [24]
// CHECK: fxgraph.expand {{.*}} shape [5, 2, 3, 4]
// CHECK: fxgraph.reshape {{.*}} shape [6, 4]
// CHECK: fxgraph.reshape {{.*}} shape [2, 3, 2, 2]
func.func @shapes(%x: tensor<2x3x4xf32>) -> (tensor<4x6xf32>, tensor<24xf32>, tensor<5x2x3x4xf32>, tensor<6x4xf32>, tensor<2x3x2x2xf32>) {
  %a = fxgraph.reshape %x shape [4, -1] : tensor<2x3x4xf32> -> tensor<4x6xf32>
  %b = fxgraph.view %x shape [-1] : tensor<2x3x4xf32> -> tensor<24xf32>
  %c = fxgraph.expand %x shape [5, -1, -1, -1] : tensor<2x3x4xf32> -> tensor<5x2x3x4xf32>
  %d = fxgraph.flatten %x dims 0 to -2 : (tensor<2x3x4xf32>) -> tensor<6x4xf32>
  %e = fxgraph.unflatten %x dim -1 sizes [2, -1] : (tensor<2x3x4xf32>) -> tensor<2x3x2x2xf32>
  return %a, %b, %c, %d, %e : tensor<4x6xf32>, tensor<24xf32>, tensor<5x2x3x4xf32>, tensor<6x4xf32>, tensor<2x3x2x2xf32>
}

// Bounds count from the end and are clamped; an empty slice ends where it starts.
// CHECK-LABEL: func @bounds
// CHECK: fxgraph.slice {{.*}} dim 0 from 0 to 4 :
// CHECK: fxgraph.slice {{.*}} dim 0 from 0 to 4 :
// CHECK: fxgraph.slice {{.*}} dim 0 from 0 to 3 :
// CHECK: fxgraph.slice {{.*}} dim 0 from 1 to 4 step 2
// CHECK: fxgraph.slice {{.*}} dim 0 from 3 to 3 :
// CHECK: fxgraph.slice_scatter {{.*}} dim 0 from 2 to 4 :
func.func @bounds(%x: tensor<4xf32>, %s: tensor<2xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf32>, tensor<0xf32>, tensor<4xf32>) {
  %a = fxgraph.slice %x dim 0 from -4 to 99 : (tensor<4xf32>) -> tensor<4xf32>
  %b = fxgraph.slice %x dim -1 from 0 to 9223372036854775807 : (tensor<4xf32>) -> tensor<4xf32>
  %c = fxgraph.slice %x dim 0 from 0 to -1 : (tensor<4xf32>) -> tensor<3xf32>
  %d = fxgraph.slice %x dim 0 from -3 to 9223372036854775807 step 2 : (tensor<4xf32>) -> tensor<2xf32>
  %e = fxgraph.slice %x dim 0 from 3 to 1 : (tensor<4xf32>) -> tensor<0xf32>
  %f = fxgraph.slice_scatter %x, %s dim -1 from -2 to 9223372036854775807 : (tensor<4xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %a, %b, %c, %d, %e, %f : tensor<4xf32>, tensor<4xf32>, tensor<3xf32>, tensor<2xf32>, tensor<0xf32>, tensor<4xf32>
}

// No dims, an empty list and all dims mean the same; order does not matter.
// CHECK-LABEL: func @reductions
// CHECK: fxgraph.sum %{{[a-z0-9]+}} : (tensor<2x3xf32>) -> tensor<f32>
// CHECK: fxgraph.amax %{{.*}} dims [0, 1] : (tensor<2x3xf32>) -> tensor<f32>
// CHECK: fxgraph.softmax {{.*}} dim 1
// CHECK: fxgraph.argmax {{.*}} dim 0
// CHECK: fxgraph.cumsum {{.*}} dim 0
func.func @reductions(%x: tensor<2x3xf32>, %scalar: tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<2x3xf32>, tensor<3xi64>, tensor<f32>) {
  %a = fxgraph.sum %x dims [] : (tensor<2x3xf32>) -> tensor<f32>
  %b = fxgraph.amax %x dims [-1, 0] : (tensor<2x3xf32>) -> tensor<f32>
  %c = fxgraph.softmax %x dim -1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d = fxgraph.argmax %x dim -2 : (tensor<2x3xf32>) -> tensor<3xi64>
  %e = fxgraph.cumsum %scalar dim -1 : (tensor<f32>) -> tensor<f32>
  return %a, %b, %c, %d, %e : tensor<f32>, tensor<f32>, tensor<2x3xf32>, tensor<3xi64>, tensor<f32>
}

// CHECK-LABEL: func @indexing
// CHECK: fxgraph.gather {{.*}} dim 1
// CHECK: fxgraph.index_select {{.*}} dim 0
func.func @indexing(%x: tensor<2x3xf32>, %i: tensor<2x1xi64>, %j: tensor<4xi64>) -> (tensor<2x1xf32>, tensor<4x3xf32>) {
  %a = fxgraph.gather %x, %i dim -1 : (tensor<2x3xf32>, tensor<2x1xi64>) -> tensor<2x1xf32>
  %b = fxgraph.index_select %x, %j dim -2 : (tensor<2x3xf32>, tensor<4xi64>) -> tensor<4x3xf32>
  return %a, %b : tensor<2x1xf32>, tensor<4x3xf32>
}
