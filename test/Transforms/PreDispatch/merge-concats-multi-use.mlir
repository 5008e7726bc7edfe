// RUN: fx-opt %s --fxgraph-predispatch-merge-concats=allow-multi-use=true | FileCheck %s

// CHECK-LABEL: func @shared
// CHECK-NEXT: %[[I:.+]] = fxgraph.cat %[[A:.+]], %[[A]] dim 0
// CHECK-NEXT: %[[O:.+]] = fxgraph.cat %[[A]], %[[A]], %[[A]], %[[A]] dim 0
// CHECK-NEXT: return %[[O]], %[[I]]
func.func @shared(%a: tensor<2xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %0 = fxgraph.cat %a, %a dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = fxgraph.cat %0, %0 dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<4xf32>
}
