// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-canonicalize-quant-mapping))' | FileCheck %s

// CHECK-LABEL: func.func @scheme
// CHECK: fxgraph.invoke_quant(%arg0, %arg1) scheme "nf4" {
// CHECK: fxgraph.mul
func.func @scheme(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.invoke_quant(%x, %y) scheme "nf4" packed true {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
