// A sample of each collective, between two processes; docs/Status.md (utils/gen-status.py) takes its column from what becomes of these.
// RUN: fx-run %s --entry=* --ranks=2 --inputs=seed:7 --target=gpu-emulator --compare-target=ref --rtol=1e-6 --atol=1e-6

func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @all_reduce_coalesced(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = fxgraph.all_reduce_coalesced (%x, %y) op "avg" group "0" : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  return %0#0, %0#1 : tensor<4xf32>, tensor<2xf32>
}

func.func @all_gather_into_tensor(%x: tensor<4x3xf32>) -> tensor<8x3xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<4x3xf32>) -> tensor<8x3xf32>
  return %0 : tensor<8x3xf32>
}

func.func @reduce_scatter_tensor(%x: tensor<4x3xf32>) -> tensor<2x3xf32> {
  %0 = fxgraph.reduce_scatter_tensor %x op "sum" group "0" of 2 : (tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

func.func @wait_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "max" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.neg %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

func.func @fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> (tensor<8x3xf32>, tensor<8x5xf32>) {
  %0:2 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "0" of 2 : (tensor<4x3xf32>, tensor<3x5xf32>) -> (tensor<8x3xf32>, tensor<8x5xf32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x5xf32>
}

func.func @fused_matmul_reduce_scatter(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> tensor<2x5xf32> {
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "0" of 2 : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

func.func @all_gather_into_tensor_coalesced(%x: tensor<4x3xf32>, %y: tensor<2xi64>) -> (tensor<8x3xf32>, tensor<4xi64>) {
  %0:2 = fxgraph.all_gather_into_tensor_coalesced (%x, %y) group "0" of 2 : (tensor<4x3xf32>, tensor<2xi64>) -> (tensor<8x3xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<4xi64>
}

func.func @reduce_scatter_tensor_coalesced(%x: tensor<8x3xf32>, %y: tensor<2xf32>) -> (tensor<4x3xf32>, tensor<1xf32>) {
  %0:2 = fxgraph.reduce_scatter_tensor_coalesced (%x, %y) op "avg" group "0" of 2 : (tensor<8x3xf32>, tensor<2xf32>) -> (tensor<4x3xf32>, tensor<1xf32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<1xf32>
}

func.func @broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.broadcast %x from 1 group "0" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @all_to_all_single(%x: tensor<4x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.all_to_all_single %x give [2, 2] take [2, 2] group "0" : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

func.func @fused_all_gather_scaled_matmul(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) -> (tensor<8x3xf8E4M3FN>, tensor<8x5xf32>) {
  %0:2 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%s) dim 0 group "0" of 2 : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> (tensor<8x3xf8E4M3FN>, tensor<8x5xf32>)
  return %0#0, %0#1 : tensor<8x3xf8E4M3FN>, tensor<8x5xf32>
}

func.func @fused_scaled_matmul_reduce_scatter(%x: tensor<4x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<f32>) -> tensor<2x5xf32> {
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %s op "sum" dim 0 group "0" of 2 : (tensor<4x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}
