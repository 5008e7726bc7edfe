// All entries in one run: names carry the function's.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --entry=* --inputs=seed:1 --unknown-dim=2 --print -o %t/all.npz 2>&1 | FileCheck %s
// CHECK: one/out0: tensor<2xf32>
// CHECK: two/out0: tensor<2xf32>
// CHECK-NOT: hidden
// RUN: fx-run %s --entry=* --inputs=seed:1 --unknown-dim=2 --compare=%t/all.npz

// One of them fails: the others' results are written only if asked for.
// RUN: not fx-run %s --entry=* --inputs=seed:1 --unknown-dim=3 -o %t/some.npz 2>&1 | FileCheck %s --check-prefix=FAIL
// FAIL: error: 'fxgraph.reshape' op expected a shape of 3 elements but got [2]
// RUN: not ls %t/some.npz
// RUN: not fx-run %s --entry=* --inputs=seed:1 --unknown-dim=3 --keep-going -o %t/some.npz
// RUN: not fx-run %s --entry=* --inputs=seed:1 --unknown-dim=2 --compare=%t/some.npz --keep-going 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT-DAG: one/out0: equal
// KEPT-DAG: error: {{.*}}some.npz: no tensor 'two/out0' to compare with

func.func @one(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
func.func @two(%x: tensor<?xf32>) -> tensor<2xf32> {
  %r = fxgraph.reshape %x shape [2] : tensor<?xf32> -> tensor<2xf32>
  return %r : tensor<2xf32>
}
func.func private @hidden(%x: tensor<2xf32>) -> tensor<2xf32> { return %x : tensor<2xf32> }
