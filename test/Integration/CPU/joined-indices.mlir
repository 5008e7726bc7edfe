// Index tensors on neighbouring dims that all of the result's channels share are one, computed once: of negative indices, three of them,
// some of the dims alone; not where the result has no more elements, where a dim lies between, and not where the unit is a launch.
// RUN: split-file %s %t
// RUN: fx-run %t/values.mlir --entry=* --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %t/values.mlir --fxgraph-to-linalg | FileCheck %s
// RUN: fx-opt %t/values.mlir --fxgraph-to-linalg=parallel-forms | FileCheck %s --check-prefix=LAUNCH --implicit-check-not='tensor<1x3x20x'
// RUN: not fx-run %t/outside.mlir --target=cpu 2>&1 | FileCheck %s --check-prefix=OUTSIDE
// OUTSIDE: expected indices in [-5, 4] but got one outside
// CHECK-LABEL: func.func @channels
// CHECK: tensor<1x3x4x5xf32> into tensor<1x3x20xf32>
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<1x3x20xf32>
// CHECK-LABEL: func.func @three
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<24x3xf32>
// CHECK-LABEL: func.func @as_many
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}] : tensor<4x5xf32>
// CHECK-LABEL: func.func @apart
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<4x2x5xf32>
// CHECK-LABEL: func.func @of_other_shapes
// CHECK: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}] : tensor<4x5x3xf32>
// LAUNCH-LABEL: func.func @channels
// LAUNCH: tensor.extract %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] : tensor<1x3x4x5xf32>

//--- values.mlir
func.func @channels() -> tensor<1x3x2x2xf32> {
  %r = fxgraph.arange from 0.0 : tensor<60xf32>
  %x = fxgraph.view %r shape [1, 3, 4, 5] : tensor<60xf32> -> tensor<1x3x4x5xf32>
  %n = fxgraph.constant dense<0> : tensor<1x1x1x1xi64>
  %c = fxgraph.constant dense<[[[[0]], [[1]], [[-1]]]]> : tensor<1x3x1x1xi64>
  %i = fxgraph.constant dense<[[[[0, -1], [3, -4]]]]> : tensor<1x1x2x2xi64>
  %j = fxgraph.constant dense<[[[[-5, 4], [2, -1]]]]> : tensor<1x1x2x2xi64>
  %0 = fxgraph.index %x[%n, %c, %i, %j] dims [0, 1, 2, 3] : (tensor<1x3x4x5xf32>, tensor<1x1x1x1xi64>, tensor<1x3x1x1xi64>, tensor<1x1x2x2xi64>, tensor<1x1x2x2xi64>) -> tensor<1x3x2x2xf32>
  return %0 : tensor<1x3x2x2xf32>
}
func.func @three() -> tensor<2x3xf32> {
  %r = fxgraph.arange from 0.0 : tensor<72xf32>
  %x = fxgraph.view %r shape [2, 3, 4, 3] : tensor<72xf32> -> tensor<2x3x4x3xf32>
  %i = fxgraph.constant dense<[1, -2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[-3, 2]> : tensor<2xi32>
  %k = fxgraph.constant dense<[3, -1]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i, %j, %k] dims [0, 1, 2] : (tensor<2x3x4x3xf32>, tensor<2xi64>, tensor<2xi32>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
func.func @as_many() -> tensor<2xf32> {
  %r = fxgraph.arange from 0.0 : tensor<20xf32>
  %x = fxgraph.view %r shape [4, 5] : tensor<20xf32> -> tensor<4x5xf32>
  %i = fxgraph.constant dense<[1, -2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[-3, 2]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i, %j] dims [0, 1] : (tensor<4x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @apart() -> tensor<2x2xf32> {
  %r = fxgraph.arange from 0.0 : tensor<40xf32>
  %x = fxgraph.view %r shape [4, 2, 5] : tensor<40xf32> -> tensor<4x2x5xf32>
  %i = fxgraph.constant dense<[1, -2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[-3, 2]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i, %j] dims [0, 2] : (tensor<4x2x5xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}
func.func @of_other_shapes() -> tensor<2x2x3xf32> {
  %r = fxgraph.arange from 0.0 : tensor<60xf32>
  %x = fxgraph.view %r shape [4, 5, 3] : tensor<60xf32> -> tensor<4x5x3xf32>
  %i = fxgraph.constant dense<[[1], [-2]]> : tensor<2x1xi64>
  %j = fxgraph.constant dense<[-3, 2]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i, %j] dims [0, 1] : (tensor<4x5x3xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x2x3xf32>
  return %0 : tensor<2x2x3xf32>
}
//--- outside.mlir
func.func @main() -> tensor<2x3xf32> {
  %r = fxgraph.arange from 0.0 : tensor<60xf32>
  %x = fxgraph.view %r shape [4, 5, 3] : tensor<60xf32> -> tensor<4x5x3xf32>
  %i = fxgraph.constant dense<[1, -2]> : tensor<2xi64>
  %j = fxgraph.constant dense<[-6, 2]> : tensor<2xi64>
  %0 = fxgraph.index %x[%i, %j] dims [0, 1] : (tensor<4x5x3xf32>, tensor<2xi64>, tensor<2xi64>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}
