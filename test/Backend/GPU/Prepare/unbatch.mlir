// What a batch fusion has made of pointwise ops is undone: no operand is copied into a stack.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref

// CHECK-LABEL: func.func @stacked
// CHECK-NEXT: %[[A:.*]] = fxgraph.relu %arg0
// CHECK-NEXT: %[[B:.*]] = fxgraph.relu %arg1
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @stacked(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.stack %a, %b dim 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.relu %0 : tensor<2x4x6xf32>
  %2:2 = fxgraph.unbind %1 dim 0 : (tensor<2x4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %2#0, %2#1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// Along a dimension in the middle, of two stacks, a tensor that broadcasts along it and one that does not reach it; every value once
// for a piece, however often it is used.
// CHECK-LABEL: func.func @several
// CHECK-NOT: fxgraph.stack
// CHECK-COUNT-2: fxgraph.mul
// CHECK-NOT: fxgraph.mul
// CHECK-NOT: fxgraph.unbind
func.func @several(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %c: tensor<4x6xf32>, %row: tensor<6xf32>, %column: tensor<4x1x1xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.stack %a, %b dim 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x2x6xf32>
  %1 = fxgraph.stack %c, %a dim 1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x2x6xf32>
  %2 = fxgraph.add %0, %row : (tensor<4x2x6xf32>, tensor<6xf32>) -> tensor<4x2x6xf32>
  %3 = fxgraph.sub %2, %column : (tensor<4x2x6xf32>, tensor<4x1x1xf32>) -> tensor<4x2x6xf32>
  %4 = fxgraph.mul %3, %3 : (tensor<4x2x6xf32>, tensor<4x2x6xf32>) -> tensor<4x2x6xf32>
  %5 = fxgraph.add %4, %1 : (tensor<4x2x6xf32>, tensor<4x2x6xf32>) -> tensor<4x2x6xf32>
  %6:2 = fxgraph.unbind %5 dim -2 : (tensor<4x2x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %6#0, %6#1 : tensor<4x6xf32>, tensor<4x6xf32>
}

// A cat that is cut where it was joined.
// CHECK-LABEL: func.func @joined
// CHECK-NOT: fxgraph.cat
// CHECK: fxgraph.convert_element_type %arg0 : (tensor<4x6xf32>) -> tensor<4x6xf16>
// CHECK: fxgraph.convert_element_type %arg1 : (tensor<3x6xf32>) -> tensor<3x6xf16>
func.func @joined(%a: tensor<4x6xf32>, %b: tensor<3x6xf32>) -> (tensor<4x6xf16>, tensor<3x6xf16>) {
  %0 = fxgraph.cat %a, %b dim 0 : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<7x6xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<7x6xf32>) -> tensor<7x6xf16>
  %2:2 = fxgraph.split_with_sizes %1 sizes [4, 3] dim 0 : (tensor<7x6xf16>) -> (tensor<4x6xf16>, tensor<3x6xf16>)
  return %2#0, %2#1 : tensor<4x6xf16>, tensor<3x6xf16>
}

// The twins: what was computed has another user; another tensor along the dimension; other cuts; another dimension.
// CHECK-LABEL: func.func @stays
// CHECK: fxgraph.sqrt %{{.*}} : tensor<2x4x6xf32>
// CHECK: fxgraph.mul {{.*}} -> tensor<2x4x6xf32>
// CHECK: fxgraph.relu %{{.*}} : tensor<7x6xf32>
// CHECK: fxgraph.neg %{{.*}} : tensor<2x4x6xf32>
func.func @stays(%a: tensor<4x6xf32>, %b: tensor<4x6xf32>, %c: tensor<3x6xf32>, %t: tensor<2x1x6xf32>)
    -> (tensor<2x4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>) {
  %0 = fxgraph.stack %a, %b dim 0 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.sqrt %0 : tensor<2x4x6xf32>
  %2:2 = fxgraph.unbind %1 dim 0 : (tensor<2x4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %3 = fxgraph.mul %0, %t : (tensor<2x4x6xf32>, tensor<2x1x6xf32>) -> tensor<2x4x6xf32>
  %4:2 = fxgraph.unbind %3 dim 0 : (tensor<2x4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  %5 = fxgraph.cat %a, %c dim 0 : (tensor<4x6xf32>, tensor<3x6xf32>) -> tensor<7x6xf32>
  %6 = fxgraph.relu %5 : tensor<7x6xf32>
  %7:2 = fxgraph.split_with_sizes %6 sizes [3, 4] dim 0 : (tensor<7x6xf32>) -> (tensor<3x6xf32>, tensor<4x6xf32>)
  %8 = fxgraph.neg %0 : tensor<2x4x6xf32>
  %9:4 = fxgraph.unbind %8 dim 1 : (tensor<2x4x6xf32>) -> (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>)
  return %1, %2#0, %4#1, %7#0, %9#2 : tensor<2x4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>, tensor<3x6xf32>, tensor<2x6xf32>
}
