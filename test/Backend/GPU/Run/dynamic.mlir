// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s
// CHECK: error: not supported on gpu: 2 ops
// CHECK: note: argument has a dynamic extent
// CHECK: note: fxgraph.relu has a dynamic extent
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = fxgraph.relu %x : tensor<?xf32>
  return %0 : tensor<?xf32>
}
