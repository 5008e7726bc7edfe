// RUN: fx-opt %s --fxgraph-noop-remove | FileCheck %s --check-prefixes=CHECK,TRAINING
// RUN: fx-opt %s --fxgraph-noop-remove="inference=true" | FileCheck %s --check-prefixes=CHECK,INFERENCE

// CHECK-LABEL: func @detach
// TRAINING-NEXT: fxgraph.contiguous
// TRAINING-NEXT: fxgraph.detach
// CHECK-NEXT: fxgraph.relu
// INFERENCE-NOT: fxgraph.detach
func.func @detach(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = fxgraph.contiguous %x : tensor<4xf32>
  %b = fxgraph.detach %a : tensor<4xf32>
  %r = fxgraph.relu %b : tensor<4xf32>
  return %r : tensor<4xf32>
}

// What is returned stays apart from the argument.
// CHECK-LABEL: func @returned
// TRAINING-NEXT: fxgraph.detach
// INFERENCE-NEXT: fxgraph.detach
// CHECK-NEXT: return
func.func @returned(%x: tensor<4xf32>) -> tensor<4xf32> {
  %b = fxgraph.detach %x : tensor<4xf32>
  return %b : tensor<4xf32>
}
