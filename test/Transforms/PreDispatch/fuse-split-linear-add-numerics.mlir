// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add=numerics=relaxed | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add | FileCheck %s --check-prefixes=CHECK,REASSOCIATE
// RUN: fx-opt %s --fxgraph-predispatch-fuse-split-linear-add=numerics=exact | FileCheck %s --check-prefixes=CHECK,EXACT
// RUN: not fx-opt %s --fxgraph-predispatch-fuse-split-linear-add=numerics=fast 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: expected numerics to be exact, reassociate or relaxed but got fast

// CHECK-LABEL: func @wide
// RELAXED: fxgraph.cat
// REASSOCIATE: fxgraph.cat
// EXACT-NOT: fxgraph.cat
func.func @wide(%x: tensor<4x4xf32>, %w: tensor<6x2xf32>) -> tensor<4x6xf32> {
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xf32>, tensor<6x2xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

// CHECK-LABEL: func @narrow
// RELAXED: fxgraph.cat
// REASSOCIATE-NOT: fxgraph.cat
// EXACT-NOT: fxgraph.cat
func.func @narrow(%x: tensor<4x4xbf16>, %w: tensor<6x2xbf16>) -> tensor<4x6xbf16> {
  %p:2 = fxgraph.split %x size 2 dim 1 : (tensor<4x4xbf16>) -> (tensor<4x2xbf16>, tensor<4x2xbf16>)
  %0 = fxgraph.linear %p#0, %w : (tensor<4x2xbf16>, tensor<6x2xbf16>) -> tensor<4x6xbf16>
  %1 = fxgraph.linear %p#1, %w : (tensor<4x2xbf16>, tensor<6x2xbf16>) -> tensor<4x6xbf16>
  %2 = fxgraph.add %0, %1 : (tensor<4x6xbf16>, tensor<4x6xbf16>) -> tensor<4x6xbf16>
  return %2 : tensor<4x6xbf16>
}
