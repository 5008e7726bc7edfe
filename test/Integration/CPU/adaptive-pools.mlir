// Means over windows of varying extents are loops of an element; over equal ones, the whole plane for one, they are a reduction.
// RUN: fx-run %s --entry=* --inputs=seed:1 --dim=s0=6 --target=cpu --compare-target=ref --rtol=1e-5 --atol=1e-5
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-linalg=parallel-forms | FileCheck %s --check-prefix=LAUNCH --implicit-check-not=reduction
// LAUNCH-LABEL: func.func @whole
// CHECK-LABEL: func.func @whole
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel", "reduction"]
// CHECK-LABEL: func.func @equal
// CHECK: iterator_types = ["parallel", "parallel", "parallel", "reduction", "parallel", "reduction"]
// CHECK-LABEL: func.func @unequal
// CHECK-NOT: "reduction"
// CHECK: scf.for
// CHECK-LABEL: func.func @known_when_run
// CHECK-NOT: "reduction"
// CHECK-LABEL: func.func @last_unbatched

func.func @whole(%x: tensor<2x3x29x32xf32>) -> tensor<2x3x1x1xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %x to [1, 1] : (tensor<2x3x29x32xf32>) -> tensor<2x3x1x1xf32>
  return %0 : tensor<2x3x1x1xf32>
}
func.func @equal(%x: tensor<2x3x12x9xf32>) -> tensor<2x3x4x3xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %x to [4, 3] : (tensor<2x3x12x9xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}
func.func @unequal(%x: tensor<2x3x11x9xf32>) -> tensor<2x3x4x3xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %x to [4, 3] : (tensor<2x3x11x9xf32>) -> tensor<2x3x4x3xf32>
  return %0 : tensor<2x3x4x3xf32>
}
func.func @known_when_run(%x: tensor<2x?x9xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x1x3xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %x to [1, 3] : (tensor<2x?x9xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<2x1x3xf32>
  return %0 : tensor<2x1x3xf32>
}
func.func @last_unbatched(%x: tensor<3x8x6xf32>) -> tensor<3x2x6xf32> {
  %0 = fxgraph.adaptive_avg_pool2d %x to [2, 6] : (tensor<3x8x6xf32>) -> tensor<3x2x6xf32>
  return %0 : tensor<3x2x6xf32>
}
