// RUN: fx-opt %s --fxgraph-predispatch-stack-to-unsqueeze --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @unknown_op_writes
// CHECK: fxgraph.stack
func.func @unknown_op_writes(%a: tensor<4xf32>) {
  // expected-remark @below {{an unknown op may write to the stack}}
  %0 = fxgraph.stack %a dim 0 : (tensor<4xf32>) -> tensor<1x4xf32>
  fxgraph.opaque "mine.write_.default"(%0) : (tensor<1x4xf32>) -> ()
  return
}

// CHECK-LABEL: func @cat
// CHECK-NEXT: fxgraph.cat
func.func @cat(%a: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
