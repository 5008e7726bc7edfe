// Size arithmetic and symbolic extents at run time.

// RUN: fx-run %s --entry=sizes --inputs=seed:1 --dim=s0=5 --print | FileCheck %s --check-prefix=FIVE
// FIVE: out0: tensor<15xf32>
// FIVE: out1: tensor<5x2xf32> {{\[\[}}1, 1], [1, 1], [1, 1], [1, 1], [1, 1{{\]\]}}
// FIVE: out2: tensor<7xi64> [0, 1, 2, 3, 4, 5, 6]
// RUN: fx-run %s --entry=sizes --inputs=seed:1 --dim=s0=0 --print | FileCheck %s --check-prefix=ZERO
// ZERO: out0: tensor<0xf32> []
// ZERO: out1: tensor<0x2xf32> []
// ZERO: out2: tensor<2xi64> [0, 1]
// RUN: not fx-run %s --entry=reshape --inputs=seed:1 --dim=s0=5 2>&1 | FileCheck %s --check-prefix=RESHAPE
// RESHAPE: error: 'fxgraph.reshape' op expected a shape of 15 elements but got [2, 6]
// RUN: fx-run %s --entry=reshape --inputs=seed:1 --dim=s0=4
// RUN: not fx-run %s --entry=zero --inputs=seed:1 --dim=s0=0 2>&1 | FileCheck %s --check-prefix=DIVIDE
// DIVIDE: error: 'arith.floordivsi' op divides an integer by zero
// RUN: fx-run %s --entry=metadata --inputs=seed:1 --unknown-dim=2
// RUN: not fx-run %s --entry=metadata --inputs=seed:1 --unknown-dim=3 2>&1 | FileCheck %s --check-prefix=METADATA
// METADATA: error: 'fxgraph.assert_tensor_metadata' op expected a tensor of type tensor<2xf32> but got tensor<3xf32>

// RUN: fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=4
// RUN: fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=6
// RUN: not fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=2 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: not fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=5 2>&1 | FileCheck %s --check-prefix=SCALAR
// RUN: fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=4 --target=cpu
// RUN: not fx-run %s --entry=scalar --inputs=seed:1 --dim=s0=5 --target=cpu 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: error: 'fxgraph.assert_scalar' op expected an even x.shape[0] > 3

func.func @sizes(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?xf32>, tensor<?x2xf32>, tensor<?xi64>) {
  %n = fxgraph.sym_size %x dim 0 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %three = arith.constant 3 : index
  %two = arith.constant 2 : index
  %product = arith.muli %n, %three : index
  %sum = arith.addi %n, %two : index
  %flat = fxgraph.reshape %x shape [%product] : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?xf32>
  %ones = fxgraph.full 1.0 sizes %n : tensor<?x2xf32>
  %range = fxgraph.arange size %sum from 0.0 : tensor<?xi64>
  return %flat, %ones, %range : tensor<?xf32>, tensor<?x2xf32>, tensor<?xi64>
}
func.func @reshape(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x6xf32> {
  %r = fxgraph.reshape %x shape [2, 6] : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}
func.func @zero(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xi64> {
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %six = arith.constant 6 : index
  %q = arith.floordivsi %six, %n : index
  %range = fxgraph.arange size %q from 0.0 : tensor<?xi64>
  return %range : tensor<?xi64>
}
func.func @metadata(%x: tensor<?xf32>) -> tensor<?xf32> {
  fxgraph.assert_tensor_metadata %x is tensor<2xf32> : tensor<?xf32>
  return %x : tensor<?xf32>
}
func.func @scalar(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?xf32, #fxgraph.meta<dims = [s0]>> {
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %three = arith.constant 3 : index
  %more = arith.cmpi sgt, %n, %three : index
  %rest = arith.remsi %n, %two : index
  %even = arith.cmpi eq, %rest, %zero : index
  %both = arith.andi %more, %even : i1
  fxgraph.assert_scalar %both, "expected an even x.shape[0] > 3"
  return %x : tensor<?xf32, #fxgraph.meta<dims = [s0]>>
}
