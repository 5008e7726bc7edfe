// RUN: fx-opt %s --fxgraph-splitcat-cat-slice-cat | FileCheck %s

// CHECK-LABEL: func.func @append
// CHECK-NEXT: %[[S:.+]] = fxgraph.slice %arg0 dim 1 from 0 to 19
// CHECK-NEXT: %[[C:.+]] = fxgraph.cat %arg0, %arg1, %[[S]] dim 1
// CHECK-NEXT: return %[[C]]
func.func @append(%a: tensor<2x32xf32>, %b: tensor<2x16xf32>) -> tensor<2x67xf32> {
  %c = fxgraph.cat %a, %b dim 1 : (tensor<2x32xf32>, tensor<2x16xf32>) -> tensor<2x48xf32>
  %s = fxgraph.slice %c dim 1 from 0 to 19 : (tensor<2x48xf32>) -> tensor<2x19xf32>
  %r = fxgraph.cat %c, %s dim 1 : (tensor<2x48xf32>, tensor<2x19xf32>) -> tensor<2x67xf32>
  return %r : tensor<2x67xf32>
}
