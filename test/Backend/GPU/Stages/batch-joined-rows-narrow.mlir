// Narrow rows of pieces of which one has its neighbours some bytes apart are put together by blocks; those whose neighbours lie in
// different sectors are chosen from by one kernel.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=near | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=far | FileCheck %s --check-prefix=FAR
// RUN: fx-opt %s --fxgraph-to-gpu=entry=elements | FileCheck %s --check-prefix=ELEMENTS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=functions | FileCheck %s --check-prefix=FUNCTIONS
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --compare-target=ref
// CHECK: gpu.func
// CHECK-SAME: kind = "joined rows"
// CHECK-NOT: gpu.func @
// FAR: gpu.func
// FAR-SAME: kind = "flat"
// FAR-NOT: gpu.func @

func.func @near(%x: tensor<20300x3x3xf16>, %y: tensor<3x20300x8xf16>, %z: tensor<3x20300x7xf16>) -> tensor<3x20300x18xf16> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<20300x3x3xf16>) -> tensor<3x20300x3xf16>
  %1 = fxgraph.cat %0, %y, %z dim 2 : (tensor<3x20300x3xf16>, tensor<3x20300x8xf16>, tensor<3x20300x7xf16>) -> tensor<3x20300x18xf16>
  return %1 : tensor<3x20300x18xf16>
}

func.func @far(%x: tensor<3x20300x3xf16>, %y: tensor<3x20300x8xf16>, %z: tensor<3x20300x7xf16>) -> tensor<3x20300x18xf16> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<3x20300x3xf16>) -> tensor<3x20300x3xf16>
  %1 = fxgraph.cat %0, %y, %z dim 2 : (tensor<3x20300x3xf16>, tensor<3x20300x8xf16>, tensor<3x20300x7xf16>) -> tensor<3x20300x18xf16>
  return %1 : tensor<3x20300x18xf16>
}

// Single elements that lie across go through boxes to memory of their own, from where the blocks have them. More rows of a block
// where they are narrow.
// ELEMENTS: gpu.func
// ELEMENTS-SAME: kind = "boxes"
// ELEMENTS: gpu.func
// ELEMENTS-SAME: kind = "joined rows", rows = {{(2|3)[0-9][0-9]}}
// ELEMENTS-NOT: gpu.func @
func.func @elements(%x: tensor<301x1201xf32>, %y: tensor<1201x301xf32>, %z: tensor<301x1201xf32>) -> tensor<301x1201x3xf32> {
  %0 = fxgraph.permute %y dims [1, 0] : (tensor<1201x301xf32>) -> tensor<301x1201xf32>
  %1 = fxgraph.stack %x, %0, %z dim 2 : (tensor<301x1201xf32>, tensor<301x1201xf32>, tensor<301x1201xf32>) -> tensor<301x1201x3xf32>
  return %1 : tensor<301x1201x3xf32>
}

// The same for one kernel that chooses between functions.
// FUNCTIONS: gpu.func
// FUNCTIONS-SAME: kind = "boxes"
// FUNCTIONS: gpu.func
// FUNCTIONS-SAME: kind = "flat"
// FUNCTIONS-NOT: gpu.func @
func.func @functions(%x: tensor<301x1201xf32>, %y: tensor<1201x301xf32>) -> tensor<301x1201x3xf32> {
  %0 = fxgraph.permute %y dims [1, 0] : (tensor<1201x301xf32>) -> tensor<301x1201xf32>
  %1 = fxgraph.neg %0 : tensor<301x1201xf32>
  %2 = fxgraph.abs %x : tensor<301x1201xf32>
  %3 = fxgraph.stack %x, %1, %2 dim 2 : (tensor<301x1201xf32>, tensor<301x1201xf32>, tensor<301x1201xf32>) -> tensor<301x1201x3xf32>
  return %3 : tensor<301x1201x3xf32>
}
