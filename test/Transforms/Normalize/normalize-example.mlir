// RUN: fx-opt %s --fxgraph-normalize | FileCheck %s

// The heads of an attention layer, as users write them.
func.func @heads(%qkv: tensor<2x5x24xf32>) -> tensor<2x5x24xf32> {
  %p:3 = fxgraph.chunk %qkv chunks 3 dim -1 : (tensor<2x5x24xf32>) -> (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>)
  %q = fxgraph.view %p#0 shape [2, 5, -1, 4] : tensor<2x5x8xf32> -> tensor<2x5x2x4xf32>
  %f = fxgraph.flatten %q dims 2 to -1 : (tensor<2x5x2x4xf32>) -> tensor<2x5x8xf32>
  %c = fxgraph.cat %f, %p#1, %p#2 dim -1 : (tensor<2x5x8xf32>, tensor<2x5x8xf32>, tensor<2x5x8xf32>) -> tensor<2x5x24xf32>
  return %c : tensor<2x5x24xf32>
}

// CHECK-LABEL: func @heads
// CHECK-NEXT: %[[P:.*]]:3 = fxgraph.split_with_sizes %{{.*}} sizes [8, 8, 8] dim 2
// CHECK-NEXT: %[[Q:.*]] = fxgraph.view %[[P]]#0 shape [2, 5, 2, 4]
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[Q]] shape [2, 5, 8]
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[F]], %[[P]]#1, %[[P]]#2 dim 2
// CHECK-NEXT: return %[[C]]
