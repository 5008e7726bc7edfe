// RUN: fx-opt %s --fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-fuse-chunk-reshape-unsqueeze-concat -o %t.twice
// RUN: diff %t.once %t.twice

// The unsqueezed dimension is not the one that is joined.
// CHECK-LABEL: func @other_dimension
// CHECK-NEXT: fxgraph.reshape %{{.+}} shape [1, 24]
// CHECK-NEXT: fxgraph.relu
func.func @other_dimension(%x: tensor<6x4xf32>) -> tensor<1x24xf32> {
  %p:2 = fxgraph.split %x size 3 dim 0 : (tensor<6x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>)
  %0 = fxgraph.reshape %p#0 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %1 = fxgraph.reshape %p#1 shape [12] : tensor<3x4xf32> -> tensor<12xf32>
  %u = fxgraph.unsqueeze %0 dim -2 : (tensor<12xf32>) -> tensor<1x12xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (tensor<12xf32>) -> tensor<1x12xf32>
  %c = fxgraph.cat %u, %v dim 1 : (tensor<1x12xf32>, tensor<1x12xf32>) -> tensor<1x24xf32>
  %r = fxgraph.relu %c : tensor<1x24xf32>
  return %r : tensor<1x24xf32>
}
