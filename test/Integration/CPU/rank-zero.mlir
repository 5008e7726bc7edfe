// Results and operands of rank 0: maps without results are not null maps.
// RUN: fx-run %s --entry=* --target=cpu --compare-target=ref --inputs=seed:1 --rtol=1e-5 --atol=1e-5 | FileCheck %s
// CHECK-COUNT-2: equal
// CHECK-NOT: differ

func.func @dot(%a: tensor<4xf32>, %b: tensor<4xf32>) -> tensor<f32> {
  %0 = fxgraph.matmul %a, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @one_row(%w: tensor<3x5xf32>) -> tensor<5xf32> {
  %i = fxgraph.constant dense<2> : tensor<i64>
  %0 = fxgraph.embedding %w, %i : (tensor<3x5xf32>, tensor<i64>) -> tensor<5xf32>
  return %0 : tensor<5xf32>
}
