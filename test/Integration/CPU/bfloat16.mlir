// bf16 on a processor without instructions for it: rounded to nearest even, subnormals
// and NaN included.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=cpu --target-option=cpu=generic --compare-target=ref | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=cpu --compare-target=ref | FileCheck %s
// RUN: fx-run %s --entry=special --target=cpu --print | FileCheck %s --check-prefix=VALUES
// RUN: fx-translate %s --entry=round --to=llvm --option=cpu=generic | FileCheck %s --check-prefix=CODE
// What rounds to itself in bf16 is computed in f32 all the same, which has instructions for it.
// RUN: fx-translate %s --entry=floors --to=llvm | FileCheck %s --check-prefix=FLOORS
// FLOORS: call <{{[0-9]+}} x float> @llvm.floor.v{{[0-9]+}}f32
// FLOORS-NOT: llvm.floor.{{[a-z0-9]*}}bf16
// CHECK: round/out0: equal
// CHECK: special/out0: equal
// CHECK: product/out0: equal
// CHECK: doubles/out0: equal
// CHECK: doubles/out1: equal
// CHECK: floors/out0: equal
// RUN: fx-run %s --entry=doubles --target=cpu --print | FileCheck %s --check-prefix=DOUBLES
// DOUBLES: out0: tensor<2xbf16> [1, 1.015625]
// DOUBLES: out1: tensor<2xf16> [1, 1.00390625]
// VALUES: out0: tensor<7xbf16> [1, 1.015625, 9.18354962e-41, 0, inf, nan, -inf]
// CODE-NOT: __truncsfbf2

func.func @round(%x: tensor<1000xf32>) -> tensor<1000xbf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<1000xf32>) -> tensor<1000xbf16>
  return %0 : tensor<1000xbf16>
}
// Ties to even below and above, a subnormal, too small, too large, NaN.
func.func @special() -> tensor<7xbf16> {
  %x = fxgraph.constant dense<[1.00390625, 1.01171875, 9.18355e-41, 1.0e-42, 3.4e38, 0x7F800001, -3.4e38]> : tensor<7xf32>
  %0 = fxgraph.convert_element_type %x : (tensor<7xf32>) -> tensor<7xbf16>
  return %0 : tensor<7xbf16>
}
func.func @product(%x: tensor<9x17xbf16>, %w: tensor<17x33xbf16>) -> tensor<9x33xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<9x17xbf16>, tensor<17x33xbf16>) -> tensor<9x33xbf16>
  return %0 : tensor<9x33xbf16>
}
// A double becomes a float first, as in PyTorch: 1 + 2^-8 + 2^-40 ends as 1 and not as 1 + 2^-7.
func.func @doubles() -> (tensor<2xbf16>, tensor<2xf16>) {
  %x = fxgraph.constant dense<[1.0039062500009095, 1.01171875]> : tensor<2xf64>
  %0 = fxgraph.convert_element_type %x : (tensor<2xf64>) -> tensor<2xbf16>
  %y = fxgraph.constant dense<[1.0004882812509095, 1.00390625]> : tensor<2xf64>
  %1 = fxgraph.convert_element_type %y : (tensor<2xf64>) -> tensor<2xf16>
  return %0, %1 : tensor<2xbf16>, tensor<2xf16>
}
func.func @floors(%x: tensor<1003xbf16>) -> tensor<1003xbf16> {
  %0 = fxgraph.floor %x : tensor<1003xbf16>
  return %0 : tensor<1003xbf16>
}
