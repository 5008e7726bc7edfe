// What only passes make: a capture's unsafe forms are imported as the checked ones.
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %s --fxgraph-postgrad-randperm-index > %t.mlir
// RUN: fx-run %t.mlir --entry=rows --inputs=seed:5 --target=cpu --compare-target=ref --rtol=0 --atol=0

func.func @index(%x: tensor<4x5x3xf32>) -> (tensor<4x2x3xf32>, tensor<2x5x2xf32>) {
  %i = fxgraph.constant dense<[-5, 4]> : tensor<2xi64>
  %j = fxgraph.constant dense<[[0], [3]]> : tensor<2x1xi64>
  %k = fxgraph.constant dense<[2, 0]> : tensor<2xi64>
  %0 = fxgraph.unsafe_index %x[%i] dims [1] : (tensor<4x5x3xf32>, tensor<2xi64>) -> tensor<4x2x3xf32>
  %1 = fxgraph.unsafe_index %x[%j, %k] dims [0, 2] : (tensor<4x5x3xf32>, tensor<2x1xi64>, tensor<2xi64>) -> tensor<2x2x5xf32>
  %2 = fxgraph.transpose %1 dims 1, 2 : (tensor<2x2x5xf32>) -> tensor<2x5x2xf32>
  return %0, %2 : tensor<4x2x3xf32>, tensor<2x5x2xf32>
}

func.func @put(%x: tensor<5x3xf32>, %y: tensor<2x3xf32>, %z: tensor<3xf32>) -> (tensor<5x3xf32>, tensor<5x3xf32>) {
  %i = fxgraph.constant dense<[4, -5]> : tensor<2xi64>
  %0 = fxgraph.unsafe_index_put %x[%i] dims [0], %y : (tensor<5x3xf32>, tensor<2xi64>, tensor<2x3xf32>) -> tensor<5x3xf32>
  %1 = fxgraph.unsafe_index_put %x[%i] dims [0], %z accumulate true : (tensor<5x3xf32>, tensor<2xi64>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0, %1 : tensor<5x3xf32>, tensor<5x3xf32>
}

func.func @rows(%x: tensor<6x4xf32>, %y: tensor<3x4xf32>) -> (tensor<6x4xf32>, tensor<3x4xf32>) {
  %p = fxgraph.randperm : tensor<6xi64>
  %i = fxgraph.slice %p dim 0 from 0 to 3 : (tensor<6xi64>) -> tensor<3xi64>
  %0 = fxgraph.index_put %x[%i] dims [0], %y accumulate true : (tensor<6x4xf32>, tensor<3xi64>, tensor<3x4xf32>) -> tensor<6x4xf32>
  %1 = fxgraph.index %x[%i] dims [0] : (tensor<6x4xf32>, tensor<3xi64>) -> tensor<3x4xf32>
  return %0, %1 : tensor<6x4xf32>, tensor<3x4xf32>
}
