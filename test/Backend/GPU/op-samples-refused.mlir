// A sample of each op that a GPU has not, with the reason; docs/Status.md (utils/gen-status.py) has them from here.
// RUN: not fx-opt %s --split-input-file --fxgraph-to-gpu 2>&1 | FileCheck %s
// CHECK-NOT: gpu.func

// Each says why.
// CHECK: note: fxgraph.opaque is the unknown PyTorch op
// CHECK: note: fxgraph.auto_functionalized is the unknown PyTorch op 'mylib.fill.default'

func.func @opaque(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = fxgraph.opaque "a.b.c"(%x) args {args = ["%0"]} : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

func.func @auto_functionalized(%out: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %x) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
