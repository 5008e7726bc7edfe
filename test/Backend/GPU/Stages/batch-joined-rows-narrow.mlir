// Narrow rows of pieces of which one has its neighbours some bytes apart are put together by blocks; those whose neighbours lie in
// different sectors are chosen from by one kernel.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=near | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-gpu=entry=far | FileCheck %s --check-prefix=FAR
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
