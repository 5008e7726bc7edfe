// A term whose outer labels are columns (or rows) and whose inner ones are too is read as it lies: a matrix for each outer label.
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --compare-target=ref --rtol=1e-4 --atol=1e-4
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s
// RUN: fx-opt %s --fxgraph-decompose | FileCheck %s --check-prefix=PYTORCH

// PYTORCH-LABEL: func.func @experts
// PYTORCH: fxgraph.bmm {{.*}} : (tensor<1x6x4xf32>, tensor<1x4x15xf32>)
// CHECK-LABEL: func.func @experts
// CHECK: %[[LEFT:.*]] = fxgraph.expand {{.*}} shape [3, 6, 4]
// CHECK: fxgraph.bmm %[[LEFT]], %{{.*}} : (tensor<3x6x4xf32>, tensor<3x4x5xf32>)
func.func @experts(%x: tensor<6x4xf32>, %w: tensor<3x4x5xf32>) -> tensor<3x6x5xf32> {
  %0 = fxgraph.einsum "th,ehi->eti", %x, %w : (tensor<6x4xf32>, tensor<3x4x5xf32>) -> tensor<3x6x5xf32>
  return %0 : tensor<3x6x5xf32>
}
// CHECK-LABEL: func.func @rows
// CHECK: %[[RIGHT:.*]] = fxgraph.expand {{.*}} shape [6, 4, 7]
// CHECK: fxgraph.bmm %{{.*}}, %[[RIGHT]] : (tensor<6x5x4xf32>, tensor<6x4x7xf32>)
func.func @rows(%w: tensor<2x3x4x5xf32>, %x: tensor<7x4xf32>) -> tensor<5x2x7x3xf32> {
  %0 = fxgraph.einsum "efhi,th->ietf", %w, %x : (tensor<2x3x4x5xf32>, tensor<7x4xf32>) -> tensor<5x2x7x3xf32>
  return %0 : tensor<5x2x7x3xf32>
}
// Not where the columns are next to each other, or where there are matrices already, or nothing is summed.
// CHECK-LABEL: func.func @neither
// CHECK-NOT: fxgraph.expand
// CHECK: return
func.func @neither(%x: tensor<6x4xf32>, %w: tensor<4x3x5xf32>, %y: tensor<2x6x4xf32>, %v: tensor<2x3x4x5xf32>, %u: tensor<3x5xf32>) -> (tensor<3x6x5xf32>, tensor<2x3x6x5xf32>, tensor<6x4x3x5xf32>) {
  %0 = fxgraph.einsum "th,hei->eti", %x, %w : (tensor<6x4xf32>, tensor<4x3x5xf32>) -> tensor<3x6x5xf32>
  %1 = fxgraph.einsum "bth,behi->beti", %y, %v : (tensor<2x6x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x6x5xf32>
  %2 = fxgraph.einsum "th,ei->thei", %x, %u : (tensor<6x4xf32>, tensor<3x5xf32>) -> tensor<6x4x3x5xf32>
  return %0, %1, %2 : tensor<3x6x5xf32>, tensor<2x3x6x5xf32>, tensor<6x4x3x5xf32>
}
