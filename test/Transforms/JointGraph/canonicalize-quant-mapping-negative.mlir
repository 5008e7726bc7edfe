// RUN: fx-opt %s -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-canonicalize-quant-mapping))' | diff %t.once -

// Plain already: nothing is made anew.
func.func @plain(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.invoke_quant(%x, %y) scheme "nf4" {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
