// Integers at their edges: all bits of an exponent, the lowest value by -1, indices.
// RUN: split-file %s %t
// RUN: fx-run %t/edges.mlir --inputs=seed:1 --target=cpu --print | FileCheck %s
// CHECK: out0: {{.*}}[0, 1, 0, 1]
// CHECK: out1: {{.*}}[-2147483648, -3]
// CHECK: out2: {{.*}}[-128, 4]
// CHECK: out3: {{.*}}[0, 0]
// RUN: not fx-run %t/gather.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=GATHER
// GATHER: gather.mlir:3:{{[0-9]+}}: error: 'fxgraph.index_select' op expected indices in [0, 3] but got one outside

//--- edges.mlir
func.func @main() -> (tensor<4xui8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>) {
  %b = fxgraph.constant dense<[0, 1, 2, 255]> : tensor<4xui8>
  %e = fxgraph.constant dense<[128, 255, 200, 254]> : tensor<4xui8>
  %0 = fxgraph.pow %b, %e : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
  %x = fxgraph.constant dense<[-2147483648, 7]> : tensor<2xi32>
  %y = fxgraph.constant dense<[-1, -3]> : tensor<2xi32>
  %1 = fxgraph.div %x, %y rounding_mode "floor" : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  %u = fxgraph.constant dense<[-128, 9]> : tensor<2xi8>
  %v = fxgraph.constant dense<[-1, 2]> : tensor<2xi8>
  %2 = fxgraph.div %u, %v rounding_mode "trunc" : (tensor<2xi8>, tensor<2xi8>) -> tensor<2xi8>
  %m = fxgraph.constant dense<[-1, 7]> : tensor<2xi32>
  %3 = fxgraph.remainder %x, %m : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi32>
  return %0, %1, %2, %3 : tensor<4xui8>, tensor<2xi32>, tensor<2xi8>, tensor<2xi32>
}
//--- gather.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<2xf32> {
  %i = fxgraph.constant dense<[0, 4]> : tensor<2xi64>
  %0 = fxgraph.index_select %x, %i dim 0 : (tensor<4xf32>, tensor<2xi64>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}
