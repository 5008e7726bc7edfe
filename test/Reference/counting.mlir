// Counts beyond 2^53, where doubles have no odd integers, and to the ends of the dtype.

// RUN: fx-run %s --print | FileCheck %s
// RUN: fx-run %s --target=cpu --print | FileCheck %s

// CHECK: out0: tensor<4xi64> [9007199254740991, 9007199254740992, 9007199254740993, 9007199254740994]
// CHECK: out1: tensor<3xi64> [9223372036854774784, -9223372036854775808, -9223372036854774784]
// CHECK: out2: tensor<3xi64> [0, 9007199254740994, 18014398509481988]
// Narrower integers wrap, floats have the doubles that there are.
// CHECK: out3: tensor<3xui8> [254, 255, 0]
// CHECK: out4: tensor<3xf64> [9007199254740991, 9.007199{{[0-9]*}}e+15, 9.007199{{[0-9]*}}e+15]
func.func @main() -> (tensor<4xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xui8>, tensor<3xf64>) {
  %odd = fxgraph.arange from 9007199254740991.0 : tensor<4xi64>
  %wraps = fxgraph.arange from 9.2233720368547748e+18 step 1024.0 : tensor<3xi64>
  %far = fxgraph.arange from 0.0 step 9007199254740994.0 : tensor<3xi64>
  %bytes = fxgraph.arange from 254.0 : tensor<3xui8>
  %floats = fxgraph.arange from 9007199254740991.0 : tensor<3xf64>
  return %odd, %wraps, %far, %bytes, %floats : tensor<4xi64>, tensor<3xi64>, tensor<3xi64>, tensor<3xui8>, tensor<3xf64>
}
