// The round of fx-run: seeded inputs, results to files, comparison, written arguments.

// RUN: rm -rf %t && mkdir -p %t
// RUN: fx-run %s --inputs=seed:3 -o %t/a.npz --print | FileCheck %s --check-prefix=PRINT
// PRINT: out0: tensor<2x2xf32> {{\[\[}}
// PRINT: out1: tensor<2xbf16> [
// PRINT: state: tensor<2x2xf32> {{\[\[}}

// The same seed gives the same results, through either format.
// RUN: fx-run %s --inputs=seed:3 -o %t/a.safetensors
// RUN: fx-run %s --inputs=seed:3 --compare=%t/a.npz | FileCheck %s --check-prefix=EQUAL
// RUN: fx-run %s --inputs=seed:3 --compare=%t/a.safetensors | FileCheck %s --check-prefix=EQUAL
// EQUAL: out0: equal, max abs 0, max rel 0
// EQUAL: out1: equal
// EQUAL: state: equal
// RUN: not fx-run %s --inputs=seed:4 --compare=%t/a.npz 2>&1 | FileCheck %s --check-prefix=DIFFER
// DIFFER: fx-run: error: out0: 4 of 4 elements differ, first at [0, 0]: expected {{.*}} but got {{.*}} (max abs

// A tolerance lets a difference pass.
// RUN: fx-run %s --inputs=seed:4 --compare=%t/a.npz --atol=100 | FileCheck %s --check-prefix=CLOSE
// CLOSE: out0: equal, max abs {{[0-9.]+}}, max rel

// Two targets, and sums in float.
// RUN: fx-run %s --inputs=seed:3 --compare-target=ref | FileCheck %s --check-prefix=EQUAL
// RUN: fx-run %s --inputs=seed:3 --compare=%t/a.npz --accumulate=f32 --rtol=1e-5 --atol=1e-6

// Inputs from two files and the seed; a file comes first.
// RUN: fx-run %s --inputs=seed:9 --inputs=%t/a.npz --print | FileCheck %s --check-prefix=PRINT

// RUN: fx-run %s --inputs=seed:3 --bench=3 | FileCheck %s --check-prefix=BENCH
// BENCH: ref: 3 runs, median {{[0-9.]+}} ms, min {{[0-9.]+}} ms

func.func @main(%x: tensor<2x3xf32> {fxgraph.name = "x"}, %w: tensor<2x3xf32> {fxgraph.name = "w"},
                %state: tensor<2x2xf32> {fxgraph.name = "state"}) -> (tensor<2x2xf32>, tensor<2xbf16>) {
  %l = fxgraph.linear %x, %w : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x2xf32>
  %sum = fxgraph.add %l, %state : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  fxgraph.copy_ %sum into %state : tensor<2x2xf32>, tensor<2x2xf32>
  %row = fxgraph.select %sum dim 0 at 1 : (tensor<2x2xf32>) -> tensor<2xf32>
  %narrow = fxgraph.convert_element_type %row : (tensor<2xf32>) -> tensor<2xbf16>
  return %l, %narrow : tensor<2x2xf32>, tensor<2xbf16>
}
