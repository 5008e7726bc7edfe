// Loops of many steps, or of how many is not known, stay.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: note: fxgraph.map has no GPU form: a loop that is not written out (--fxgraph-mutation-decompose-map-to-while-loop, -scan-to-while-loop make it a while_loop)
// RUN: fx-opt %s --fxgraph-mutation-decompose-map-to-while-loop -o %t.mlir
// RUN: fx-run %t.mlir --entry=many --inputs=seed:3 --target=gpu-emulator --compare-target=ref

// CHECK: fxgraph.map
func.func @many(%x: tensor<257x4xf32>) -> tensor<257x4xf32> {
  %0 = fxgraph.map (%x) {
  ^bb0(%row: tensor<4xf32>):
    %1 = fxgraph.neg %row : tensor<4xf32>
    fxgraph.yield %1 : tensor<4xf32>
  } : (tensor<257x4xf32>) -> tensor<257x4xf32>
  return %0 : tensor<257x4xf32>
}
