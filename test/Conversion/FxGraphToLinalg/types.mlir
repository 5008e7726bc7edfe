// Types that no code is made for, also where no op has them.
// RUN: split-file %s %t
// RUN: not fx-opt %t/huge.mlir --fxgraph-to-linalg 2>&1 | FileCheck %s --check-prefix=HUGE
// RUN: fx-opt %t/large.mlir --fxgraph-to-linalg | FileCheck %s --check-prefix=LARGE
// RUN: not fx-opt %t/type.mlir --fxgraph-to-linalg 2>&1 | FileCheck %s --check-prefix=TYPE
// HUGE: huge.mlir:2:{{.*}} 'fxgraph.expand' op expected a tensor of at most 2^47 bytes but got tensor<4611686018427387904x4xf32>
// LARGE: tensor<4294967296x4xf32>
// TYPE: type.mlir:1:{{.*}} expected a dtype with a lowering {{.*}} but got i3 in the type of 'main'

//--- huge.mlir
func.func @main(%x: tensor<1x1xf32>) -> tensor<4611686018427387904x4xf32> {
  %0 = fxgraph.expand %x shape [4611686018427387904, 4] : tensor<1x1xf32> -> tensor<4611686018427387904x4xf32>
  return %0 : tensor<4611686018427387904x4xf32>
}
//--- large.mlir
func.func @main(%x: tensor<1x1xf32>) -> tensor<4294967296x4xf32> {
  %0 = fxgraph.expand %x shape [4294967296, 4] : tensor<1x1xf32> -> tensor<4294967296x4xf32>
  return %0 : tensor<4294967296x4xf32>
}
//--- type.mlir
func.func @main(%x: tensor<4xi3>) -> tensor<4xi3> {
  return %x : tensor<4xi3>
}
