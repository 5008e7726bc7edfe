// Of extents that vary: what no device has is refused before any call.
// RUN: not fx-run %s --entry=main --target=gpu-emulator --inputs=seed:1 --dim=n=6 2>&1 | FileCheck %s --check-prefix=REFUSED
// REFUSED: error: not supported on gpu: 1 op
// REFUSED: unsupported-sizes.mlir:[[#@LINE+2]]:{{.*}}note: fxgraph.opaque is the unknown PyTorch op 'a.b.c'
func.func @main(%x: tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>> {
  %0 = fxgraph.opaque "a.b.c"(%x) : (tensor<?xf32, #fxgraph.meta<dims = [n]>>) -> tensor<?xf32, #fxgraph.meta<dims = [n]>>
  return %0 : tensor<?xf32, #fxgraph.meta<dims = [n]>>
}
