// Running sums and products: along rows one after the other with the value in a register, else slab by slab.
// RUN: fx-run %s --entry=* --inputs=seed:1 --dim=s0=3 --dim=s1=0 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s
// CHECK-LABEL: func.func @rows
// CHECK: scf.for {{.*}} -> (tensor<21x9xf32>)
// CHECK: scf.for {{.*}} -> (f64, tensor<21x9xf32>)
// CHECK-LABEL: func.func @columns
// CHECK: linalg.generic
// RUN: fx-opt %s --fxgraph-to-linalg=parallel-forms | FileCheck %s --check-prefix=LAUNCH
// LAUNCH-LABEL: func.func @rows
// LAUNCH: linalg.generic
// RUN: fx-run %s --entry=special --target=cpu --print | FileCheck %s --check-prefix=SPECIAL
// SPECIAL: out0: tensor<2x4xf32> {{\[\[}}1, nan, nan, nan], [inf, inf, nan, nan]]

func.func @rows(%x: tensor<3x7x9xf32>) -> tensor<3x7x9xf32> {
  %0 = fxgraph.cumsum %x dim 2 : (tensor<3x7x9xf32>) -> tensor<3x7x9xf32>
  return %0 : tensor<3x7x9xf32>
}
func.func @columns(%x: tensor<3x7x9xf32>) -> tensor<3x7x9xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<3x7x9xf32>) -> tensor<3x7x9xf32>
  return %0 : tensor<3x7x9xf32>
}
func.func @one_row(%x: tensor<1001xf32>) -> tensor<1001xf32> {
  %0 = fxgraph.cumsum %x dim 0 : (tensor<1001xf32>) -> tensor<1001xf32>
  return %0 : tensor<1001xf32>
}
func.func @products(%x: tensor<5x6xf64>) -> tensor<5x6xf64> {
  %0 = fxgraph.cumprod %x dim -1 : (tensor<5x6xf64>) -> tensor<5x6xf64>
  return %0 : tensor<5x6xf64>
}
func.func @narrow(%x: tensor<4x33xbf16>) -> tensor<4x33xbf16> {
  %0 = fxgraph.cumsum %x dim -1 : (tensor<4x33xbf16>) -> tensor<4x33xbf16>
  return %0 : tensor<4x33xbf16>
}
func.func @integers(%x: tensor<4x33xi32>) -> tensor<4x33xi64> {
  %0 = fxgraph.cumsum %x dim -1 : (tensor<4x33xi32>) -> tensor<4x33xi64>
  return %0 : tensor<4x33xi64>
}
func.func @truth(%x: tensor<4x33xi1>) -> tensor<4x33xi64> {
  %0 = fxgraph.cumsum %x dim -1 : (tensor<4x33xi1>) -> tensor<4x33xi64>
  return %0 : tensor<4x33xi64>
}
func.func @no_rows(%x: tensor<0x5xf32>) -> tensor<0x5xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<0x5xf32>) -> tensor<0x5xf32>
  return %0 : tensor<0x5xf32>
}
func.func @no_columns(%x: tensor<5x0xf32>) -> tensor<5x0xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<5x0xf32>) -> tensor<5x0xf32>
  return %0 : tensor<5x0xf32>
}
func.func @known_when_run(%x: tensor<?x7x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x7x?xf32, #fxgraph.meta<dims = [s0, s1]>> {
  %0 = fxgraph.cumsum %x dim 2 : (tensor<?x7x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x7x?xf32, #fxgraph.meta<dims = [s0, s1]>>
  return %0 : tensor<?x7x?xf32, #fxgraph.meta<dims = [s0, s1]>>
}
func.func @special() -> tensor<2x4xf32> {
  %x = fxgraph.constant dense<[[1.0, 0x7FC00000, 1.0, 2.0], [0x7F800000, 1.0, 0xFF800000, 1.0]]> : tensor<2x4xf32>
  %0 = fxgraph.cumsum %x dim 1 : (tensor<2x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}
