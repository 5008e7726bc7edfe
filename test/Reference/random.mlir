// Random ops follow --seed, not the seed of the inputs.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --inputs=seed:1 --seed=1 -o %t/one.npz
// RUN: fx-run %s --inputs=seed:2 --seed=1 --compare=%t/one.npz
// RUN: not fx-run %s --inputs=seed:1 --seed=2 --compare=%t/one.npz 2>&1 | FileCheck %s
// CHECK: error: out0: {{.*}} elements differ
// CHECK: error: out1: {{.*}} elements differ

func.func @main() -> (tensor<4x5xf32>, tensor<4xf16>) {
  %a = fxgraph.randn : tensor<4x5xf32>
  %b = fxgraph.rand : tensor<4xf16>
  return %a, %b : tensor<4x5xf32>, tensor<4xf16>
}
