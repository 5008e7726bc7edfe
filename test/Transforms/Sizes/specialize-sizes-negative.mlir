// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-specialize-sizes=sizes=n=3
// RUN: not fx-opt %S/specialize-sizes-example.mlir --fxgraph-specialize-sizes=sizes=k=3 2>&1 | FileCheck %s --check-prefix=SYMBOL
// RUN: not fx-opt %S/specialize-sizes-example.mlir --fxgraph-specialize-sizes=sizes=n 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not fx-opt %S/specialize-sizes-example.mlir --fxgraph-specialize-sizes=sizes=n=-3 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not fx-opt %S/specialize-sizes-example.mlir --fxgraph-specialize-sizes=sizes=n=5,n=5 2>&1 | FileCheck %s --check-prefix=ENTRY
// SYMBOL: error: fxgraph-specialize-sizes: expected symbols of the arguments' extents in sizes but got 'k'
// ENTRY: error: fxgraph-specialize-sizes: expected sizes to be SYMBOL=EXTENT, each symbol once, but got 'n{{.*}}'

func.func @condition(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>> {
  %c4 = arith.constant 4 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %enough = arith.cmpi sge, %n, %c4 : index
  // expected-error @below {{expected x.shape[0] >= 4}}
  fxgraph.assert_scalar %enough, "expected x.shape[0] >= 4"
  return %x : tensor<?xf32, #fxgraph.meta<dims = [n]>>
}

// -----

func.func @below_zero(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %c4 = arith.constant 4 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  %m = arith.subi %n, %c4 : index
  // expected-error @below {{expected sizes >= 0 but got -1}}
  %f = fxgraph.full 1.0 sizes %m : tensor<?xf32>
  return %f : tensor<?xf32>
}

// -----

func.func @out_of_bounds(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %c1 = arith.constant 1 : index
  %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
  // expected-error @below {{expected bounds in [0, 3] but got length 3 from 1}}
  %p = fxgraph.narrow %x dim 0 from %c1 length %n : tensor<?xf32, #fxgraph.meta<dims = [n]>> -> tensor<?xf32>
  return %p : tensor<?xf32>
}

// -----

func.func @rest(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<2x?xf32> {
  // expected-error-re @below {{expected {{.*}}3 elements}}
  %r = fxgraph.reshape %x shape [2, -1] : tensor<?xf32, #fxgraph.meta<dims = [n]>> -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// -----

func.func @two_extents(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>> {
  // expected-error @below {{expected extent 3 (n) in dim 0 but got 6}}
  %c = fxgraph.cat %x, %x dim 0 : (tensor<?xf32, #fxgraph.meta<dims = [n]>>, tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>>
  return %c : tensor<?xf32, #fxgraph.meta<dims = [n]>>
}

// -----

// An extent that no size tells: it stays.
func.func @own(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?x1xi64, #fxgraph.meta<dims = [u]>> {
  %r = fxgraph.opaque "aten.nonzero.default"(%x) : (tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?x1xi64, #fxgraph.meta<dims = [u]>>
  return %r : tensor<?x1xi64, #fxgraph.meta<dims = [u]>>
}

// -----

func.func @branches(%c: i1, %x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32> {
  %c2 = arith.constant 2 : index
  // expected-error @below {{expected extent 3 in dim 0 but got 2}}
  %r = scf.if %c -> tensor<?xf32> {
    %n = fxgraph.sym_size %x dim 0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
    %f = fxgraph.full 1.0 sizes %n : tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  } else {
    %f = fxgraph.full 2.0 sizes %c2 : tensor<?xf32>
    scf.yield %f : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
