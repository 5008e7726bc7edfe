// What the mode changes: NaN alone. A check of the rewrite finds that, of course.
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --fxgraph-predispatch-relu-nan-to-num=mode=stabilize -o %t.mlir
// RUN: fx-run %t.mlir --entry=special -o %t.npz
// RUN: %python -c "import numpy; x, = numpy.load('%t.npz').values(); assert x.tolist() == [0.0, float('inf'), 0.0, 2.0], x"
// RUN: env FXGRAPH_VERIFY_REWRITES=1 not fx-opt %s --fxgraph-predispatch-relu-nan-to-num=mode=stabilize 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: rewrite 'stabilize-relu' of 'fxgraph.relu' is wrong

func.func @special() -> tensor<4xf32> {
  %x = fxgraph.constant dense<[0x7FC00000, 0x7F800000, 0xFF800000, 2.0]> : tensor<4xf32>
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
