// The second graph takes long, the others are what the wrong rule of the tests takes, and what it leaves.
func.func @first(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.relu %x : tensor<3xf32>
  %1 = fxgraph.sub %x, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func @slow(%x: tensor<2000x2000xf32>) -> tensor<2000x2000xf32> {
  %0 = fxgraph.matmul %x, %x : (tensor<2000x2000xf32>, tensor<2000x2000xf32>) -> tensor<2000x2000xf32>
  %1 = fxgraph.sub %x, %0 : (tensor<2000x2000xf32>, tensor<2000x2000xf32>) -> tensor<2000x2000xf32>
  return %1 : tensor<2000x2000xf32>
}
func.func @left(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.relu %x : tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @last(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.tanh %x : tensor<3xf32>
  %1 = fxgraph.sub %0, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
