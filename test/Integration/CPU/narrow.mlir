// Slices whose bounds are computed from sizes, on the CPU as on the interpreter.
// RUN: fx-run %s --entry=head --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=5
// RUN: fx-run %s --entry=head --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=0
// RUN: fx-run %s --entry=head --inputs=seed:1 --dim=n=3 --print | FileCheck %s --check-prefix=HEAD
// HEAD: out0: tensor<3x2xf32>
// RUN: fx-run %s --entry=middle --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=9
// RUN: fx-run %s --entry=middle --inputs=seed:1 --dim=n=9 --print | FileCheck %s --check-prefix=MIDDLE
// MIDDLE: out0: tensor<4xi64> [2, 3, 4, 5]
// RUN: fx-run %s --entry=last --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=4
// RUN: fx-run %s --entry=last --inputs=seed:1 --dim=n=4 --print | FileCheck %s --check-prefix=LAST
// LAST: out0: tensor<1xi64> [3]

// Out of range is an error on both.
// RUN: not fx-run %s --entry=head --inputs=seed:1 --dim=n=7 2>&1 | FileCheck %s --check-prefix=LONG
// LONG: narrow.mlir:{{[0-9]+}}:8: error: 'fxgraph.narrow' op expected length in [0, 5] but got 7
// RUN: not fx-run %s --entry=head --target=cpu --inputs=seed:1 --dim=n=7 2>&1 | FileCheck %s --check-prefix=RANGE
// RANGE: expected narrow's bounds to be in range
// RUN: not fx-run %s --entry=last --inputs=seed:1 --dim=n=0 2>&1 | FileCheck %s --check-prefix=START
// START: error: 'fxgraph.narrow' op expected start in [0, 0] but got -1
// RUN: not fx-run %s --entry=last --target=cpu --inputs=seed:1 --dim=n=0 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not fx-run %s --entry=far --inputs=seed:1 --dim=n=2 2>&1 | FileCheck %s --check-prefix=FAR
// FAR: error: 'fxgraph.narrow' op expected length in [0, 3] but got 9223372036854775807
// RUN: not fx-run %s --entry=far --target=cpu --inputs=seed:1 --dim=n=2 2>&1 | FileCheck %s --check-prefix=RANGE
// RUN: not fx-run %s --entry=wrong --inputs=seed:1 --dim=n=2 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error: expected 'fxgraph.narrow' op result 0 of type tensor<1xf32> but got tensor<2xf32>
// RUN: not fx-run %s --entry=wrong --target=cpu --inputs=seed:1 --dim=n=2 2>&1 | FileCheck %s --check-prefix=LENGTH
// LENGTH: expected narrow's length to be that of its type

!named = tensor<?xf32, #fxgraph.meta<dims = [n]>>

func.func @head(%x: tensor<5x2xf32>, %y: !named) -> tensor<?x2xf32, #fxgraph.meta<dims = [n]>> {
  %zero = arith.constant 0 : index
  %n = fxgraph.sym_size %y dim 0 : !named
  %r = fxgraph.narrow %x dim 0 from %zero length %n : tensor<5x2xf32> -> tensor<?x2xf32, #fxgraph.meta<dims = [n]>>
  return %r : tensor<?x2xf32, #fxgraph.meta<dims = [n]>>
}
func.func @middle(%y: !named) -> tensor<?xi64> {
  %two = arith.constant 2 : index
  %five = arith.constant 5 : index
  %n = fxgraph.sym_size %y dim 0 : !named
  %length = arith.subi %n, %five : index
  %range = fxgraph.arange size %n from 0.0 : tensor<?xi64>
  %r = fxgraph.narrow %range dim 0 from %two length %length : tensor<?xi64> -> tensor<?xi64>
  return %r : tensor<?xi64>
}
func.func @last(%y: !named) -> tensor<1xi64> {
  %one = arith.constant 1 : index
  %n = fxgraph.sym_size %y dim 0 : !named
  %start = arith.subi %n, %one : index
  %range = fxgraph.arange size %n from 0.0 : tensor<?xi64>
  %r = fxgraph.narrow %range dim 0 from %start length %one : tensor<?xi64> -> tensor<1xi64>
  return %r : tensor<1xi64>
}
func.func @far(%x: tensor<5xf32>, %y: !named) -> tensor<?xf32> {
  %most = arith.constant 9223372036854775807 : index
  %n = fxgraph.sym_size %y dim 0 : !named
  %r = fxgraph.narrow %x dim 0 from %n length %most : tensor<5xf32> -> tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @wrong(%x: tensor<5xf32>, %y: !named) -> tensor<1xf32> {
  %zero = arith.constant 0 : index
  %n = fxgraph.sym_size %y dim 0 : !named
  %r = fxgraph.narrow %x dim 0 from %zero length %n : tensor<5xf32> -> tensor<1xf32>
  return %r : tensor<1xf32>
}
