// Loops of many steps, or of how many is not known, stay.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: note: fxgraph.map has no GPU form: a launch plan has no branches, and no loops but unrolled ones

// CHECK: fxgraph.map
func.func @many(%x: tensor<257x4xf32>) -> tensor<257x4xf32> {
  %0 = fxgraph.map (%x) {
  ^bb0(%row: tensor<4xf32>):
    %1 = fxgraph.neg %row : tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<257x4xf32>) -> tensor<257x4xf32>
  return %0 : tensor<257x4xf32>
}
