// RUN: fx-opt %s --fxgraph-noop-remove | FileCheck %s

// A block in evaluation, as capture leaves it.
func.func @block(%x: tensor<2x8xf32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %scale = fxgraph.constant dense<1.0> : tensor<f64>
  %a = fxgraph.dropout %x p 1.000000e-01 training false : tensor<2x8xf32>
  %b = fxgraph.slice %a dim 1 from 0 to 9223372036854775807 : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %c = fxgraph.relu %b : tensor<2x8xf32>
  %d = fxgraph.mul %c, %scale : (tensor<2x8xf32>, tensor<f64>) -> tensor<2x8xf32>
  return %a, %d : tensor<2x8xf32>, tensor<2x8xf32>
}

// The first result is the argument, as in PyTorch: dropout that drops nothing returns it.
// CHECK-LABEL: func @block
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<2x8xf32>
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: return %[[X]], %[[R]]
