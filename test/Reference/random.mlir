// Random ops follow --seed, not the seed of the inputs.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --inputs=seed:1 --seed=1 -o %t/one.npz
// RUN: fx-run %s --inputs=seed:2 --seed=1 --compare=%t/one.npz
// RUN: not fx-run %s --inputs=seed:1 --seed=2 --compare=%t/one.npz 2>&1 | FileCheck %s
// CHECK: error: out0: {{.*}} elements differ
// CHECK: error: out1: {{.*}} elements differ
// CHECK: error: out2: {{.*}} elements differ
// RUN: %python -c "import numpy; x = numpy.load('%t/one.npz')['out2']; assert (x > 0).all() and abs(x.mean() * 4 - 1) < 0.03, x.mean()"

func.func @main() -> (tensor<4x5xf32>, tensor<4xf16>, tensor<100x100xf32>) {
  %a = fxgraph.randn : tensor<4x5xf32>
  %b = fxgraph.rand : tensor<4xf16>
  %c = fxgraph.exponential rate 4.0 : tensor<100x100xf32>
  return %a, %b, %c : tensor<4x5xf32>, tensor<4xf16>, tensor<100x100xf32>
}
