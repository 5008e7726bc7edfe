// @main calls @outer, that @inner, which has what the wrong rule of the tests takes.
func.func private @inner(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.relu %x : tensor<3xf32>
  %1 = fxgraph.sub %x, %0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
func.func private @outer(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @inner(%x) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = call @outer(%x) : (tensor<3xf32>) -> tensor<3xf32>
  %1 = fxgraph.relu %0 : tensor<3xf32>
  return %1 : tensor<3xf32>
}
