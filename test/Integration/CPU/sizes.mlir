// Divisions of sizes: half of the rows, and what cannot be divided.
// RUN: fx-run %s --entry=half --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=7 | FileCheck %s
// RUN: fx-run %s --entry=half --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=1 | FileCheck %s
// RUN: fx-run %s --entry=all --target=cpu --compare-target=ref --inputs=seed:1 --dim=n=7,m=3 | FileCheck %s
// CHECK: out0: equal
// RUN: not fx-run %s --entry=all --target=cpu --inputs=seed:1 --dim=n=7,m=0 2>&1 | FileCheck %s --check-prefix=ZERO
// RUN: not fx-run %s --entry=all --target=ref --inputs=seed:1 --dim=n=7,m=0 2>&1 | FileCheck %s --check-prefix=ZERO
// ZERO: 'arith.floordivsi' op divides an integer by zero
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s --check-prefix=GUARD

// A divisor that is known needs no check.
// GUARD-LABEL: func.func @half
// GUARD-NOT: divides
// GUARD: return
func.func @half(%x: tensor<?x3xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [h]>> {
  %zero = arith.constant 0 : index
  %two = arith.constant 2 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?x3xf32, #fxgraph.meta<dims = [n]>>
  %h = arith.floordivsi %n, %two : index
  %0 = "fxgraph.narrow"(%x, %zero, %h) <{dim = 0 : i64}> : (tensor<?x3xf32, #fxgraph.meta<dims = [n]>>, index, index) -> tensor<?x3xf32, #fxgraph.meta<dims = [h]>>
  return %0 : tensor<?x3xf32, #fxgraph.meta<dims = [h]>>
}

// GUARD-LABEL: func.func @all
// GUARD: cf.assert %{{.*}}, "'arith.floordivsi' op divides an integer by zero"
// GUARD: cf.assert %{{.*}}, "'arith.ceildivsi' op divides an integer by zero"
// GUARD: cf.assert %{{.*}}, "'arith.remsi' op divides an integer by zero"
func.func @all(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>, %y: tensor<?xf32, #fxgraph.meta<dims = [m]>>) -> (index, index, index, index, index) {
  %minus = arith.constant -1 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %m = fxgraph.sym_size %y dim 0 : tensor<?xf32, #fxgraph.meta<dims = [m]>>
  %a = arith.floordivsi %n, %m : index
  %b = arith.ceildivsi %n, %m : index
  %c = arith.remsi %n, %m : index
  %d = arith.floordivsi %n, %minus : index
  %e = arith.ceildivsi %d, %m : index
  return %a, %b, %c, %d, %e : index, index, index, index, index
}
