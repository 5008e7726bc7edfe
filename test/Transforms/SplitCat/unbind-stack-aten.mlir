// RUN: fx-opt %s --fxgraph-splitcat-unbind-stack-aten > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-unbind-stack-aten | diff %t.once -

!r = tensor<3x4xf32>

// As a stack; x itself, which is an argument, is cloned to be returned.
// CHECK-LABEL: func.func @stack
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: return %[[C]]
func.func @stack(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<2x3x4xf32>) -> !r
  %1 = fxgraph.select %x dim -3 at -1 : (tensor<2x3x4xf32>) -> !r
  %s = fxgraph.stack %0, %1 dim -3 : (!r, !r) -> tensor<2x3x4xf32>
  return %s : tensor<2x3x4xf32>
}

// Stacked on another dimension, and unsqueezed there: the dimension moves, the others keep
// their order.
// CHECK-LABEL: func.func @moved
// CHECK-NEXT: %[[A:.+]] = fxgraph.permute %arg0 dims [1, 2, 0]
// CHECK-NEXT: %[[B:.+]] = fxgraph.permute %arg0 dims [1, 2, 0]
// CHECK-NEXT: fxgraph.add %[[A]], %[[B]]
func.func @moved(%x: tensor<2x3x4xf32>) -> tensor<3x4x2xf32> {
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<2x3x4xf32>) -> !r
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<2x3x4xf32>) -> !r
  %s = fxgraph.stack %0, %1 dim 2 : (!r, !r) -> tensor<3x4x2xf32>
  %u = fxgraph.unsqueeze %0 dim -1 : (!r) -> tensor<3x4x1xf32>
  %v = fxgraph.unsqueeze %1 dim 2 : (!r) -> tensor<3x4x1xf32>
  %t = fxgraph.cat %u, %v dim 2 : (tensor<3x4x1xf32>, tensor<3x4x1xf32>) -> tensor<3x4x2xf32>
  %r = fxgraph.add %s, %t : (tensor<3x4x2xf32>, tensor<3x4x2xf32>) -> tensor<3x4x2xf32>
  return %r : tensor<3x4x2xf32>
}

// Selects and unsqueezes with other users stay for them; a scalar; no elements.
// CHECK-LABEL: func.func @others
// CHECK-NOT: {{fxgraph.(cat|stack)}}
func.func @others(%x: tensor<2x3x4xf32>, %y: tensor<2xf32>, %e: tensor<1x0xf32>) -> (tensor<2x3x4xf32>, tensor<1x3x4xf32>, tensor<2xf32>, tensor<1x0xf32>) {
  %n = fxgraph.neg %x : tensor<2x3x4xf32>
  %0 = fxgraph.select %n dim 0 at 0 : (tensor<2x3x4xf32>) -> !r
  %1 = fxgraph.select %n dim 0 at 1 : (tensor<2x3x4xf32>) -> !r
  %u = fxgraph.unsqueeze %0 dim 0 : (!r) -> tensor<1x3x4xf32>
  %v = fxgraph.unsqueeze %1 dim 0 : (!r) -> tensor<1x3x4xf32>
  %c = fxgraph.cat %u, %v dim 0 : (tensor<1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<2x3x4xf32>
  %a = fxgraph.abs %u : tensor<1x3x4xf32>
  %y0 = fxgraph.select %y dim 0 at 0 : (tensor<2xf32>) -> tensor<f32>
  %y1 = fxgraph.select %y dim 0 at 1 : (tensor<2xf32>) -> tensor<f32>
  %s = fxgraph.stack %y0, %y1 dim 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  %e0 = fxgraph.select %e dim 0 at 0 : (tensor<1x0xf32>) -> tensor<0xf32>
  %t = fxgraph.stack %e0 dim 0 : (tensor<0xf32>) -> tensor<1x0xf32>
  return %c, %a, %s, %t : tensor<2x3x4xf32>, tensor<1x3x4xf32>, tensor<2xf32>, tensor<1x0xf32>
}
