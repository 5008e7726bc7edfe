// A logarithm near 1 keeps its digits, for single elements and vectors.
// RUN: fx-run %s --target=gpu-emulator --print | FileCheck %s
// CHECK: out0: tensor<8xf32> [5.96{{[0-9]*}}e-08, 9.99999{{[0-9]*}}e-09, 0, -0, inf, -inf, nan, 0.69314
// CHECK: out1: tensor<1xf32> [9.99999{{[0-9]*}}e-21]
func.func @main() -> (tensor<8xf32>, tensor<1xf32>) {
  %x = fxgraph.constant dense<[5.96e-8, 1.0e-8, 0.0, -0.0, 0x7F800000, -1.0, -2.0, 1.0]> : tensor<8xf32>
  %0 = fxgraph.log1p %x : tensor<8xf32>
  %y = fxgraph.constant dense<1.0e-20> : tensor<1xf32>
  %1 = fxgraph.log1p %y : tensor<1xf32>
  return %0, %1 : tensor<8xf32>, tensor<1xf32>
}
