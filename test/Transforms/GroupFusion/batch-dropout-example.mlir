// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-dropout{min-fuse-set-size=2 allow-rng-reorder}))' | FileCheck %s

!x = tensor<3xf32>

// CHECK-LABEL: func.func @two_dropouts
// CHECK-NEXT: %[[X:.+]] = fxgraph.stack %arg0, %arg1 dim 0
// CHECK-NEXT: %[[D:.+]] = fxgraph.dropout %[[X]] p 2.500000e-01 : tensor<2x3xf32>
// CHECK-NEXT: %[[Y:.+]]:2 = fxgraph.unbind %[[D]] dim 0
// CHECK-NEXT: fxgraph.mul %[[Y]]#0, %[[Y]]#1
func.func @two_dropouts(%a: !x, %b: !x) -> !x {
  %0 = fxgraph.dropout %a p 0.25 {training = true} : !x
  %1 = fxgraph.dropout %b p 0.25 {training = true} : !x
  %2 = fxgraph.mul %0, %1 : (!x, !x) -> !x
  return %2 : !x
}
