// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-canonicalize-quant-mapping))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-canonicalize-quant-mapping))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(fxgraph-joint-graph)' | FileCheck %s

// CHECK-LABEL: func.func @options
// CHECK: fxgraph.invoke_quant(%arg0, %arg1) codegen_low_precision false {
func.func @options(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.invoke_quant(%x, %y) codegen_low_precision false packed true {
  ^bb0(%a: tensor<4xf32>, %b: tensor<4xf32>):
    %1 = fxgraph.mul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Two results; one in another.
// CHECK-LABEL: func.func @several
// CHECK: fxgraph.invoke_quant(%arg0) {
// CHECK: fxgraph.invoke_quant(%{{.+}}) {
// CHECK-NOT: packed
func.func @several(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0:2 = fxgraph.invoke_quant(%x) packed true {
  ^bb0(%a: tensor<4xf32>):
    %1 = fxgraph.invoke_quant(%a) packed true {
    ^bb0(%b: tensor<4xf32>):
      %2 = fxgraph.relu %b : tensor<4xf32>
      fxgraph.yield %2 : tensor<4xf32>
    } : (tensor<4xf32>) -> tensor<4xf32>
    %3 = fxgraph.tanh %1 : tensor<4xf32>
    fxgraph.yield %1, %3 : tensor<4xf32>, tensor<4xf32>
  } : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}
