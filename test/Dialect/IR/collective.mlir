// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s --mlir-print-op-generic | fx-opt | FileCheck %s

// CHECK-LABEL: func.func @all_reduce
// CHECK: fxgraph.all_reduce %{{.*}} op "sum" group "0"
func.func @all_reduce(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// CHECK-LABEL: func.func @all_reduce_coalesced
// CHECK: fxgraph.all_reduce_coalesced(%{{.*}}, %{{.*}}) op "avg" group "0"
func.func @all_reduce_coalesced(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>) {
  %0:2 = fxgraph.all_reduce_coalesced (%x, %y) op "avg" group "0" : (tensor<4xf32>, tensor<2xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  %1 = fxgraph.wait_tensor %0#0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.wait_tensor %0#1 : (tensor<2xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<4xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @all_gather_into_tensor
// CHECK: fxgraph.all_gather_into_tensor %{{.*}} group "0" of 2
func.func @all_gather_into_tensor(%x: tensor<4x3xf32>) -> tensor<8x3xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<4x3xf32>) -> tensor<8x3xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<8x3xf32>) -> tensor<8x3xf32>
  return %1 : tensor<8x3xf32>
}

// CHECK-LABEL: func.func @reduce_scatter_tensor
// CHECK: fxgraph.reduce_scatter_tensor %{{.*}} op "sum" group "0" of 2
func.func @reduce_scatter_tensor(%x: tensor<8x3xf32>) -> tensor<4x3xf32> {
  %0 = fxgraph.reduce_scatter_tensor %x op "sum" group "0" of 2 : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}

// CHECK-LABEL: func.func @wait_tensor
// CHECK: fxgraph.wait_tensor %{{.*}} : (tensor<4xf32>)
func.func @wait_tensor(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.wait_tensor %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @fused_all_gather_matmul
// CHECK: fxgraph.fused_all_gather_matmul %{{.*}} x(%{{.*}}) dim 0 group "0" of 2
func.func @fused_all_gather_matmul(%x: tensor<4x3xf32>, %w: tensor<3x5xf32>) -> (tensor<8x3xf32>, tensor<8x5xf32>) {
  %0:2 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "0" of 2 : (tensor<4x3xf32>, tensor<3x5xf32>) -> (tensor<8x3xf32>, tensor<8x5xf32>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<8x5xf32>
}

// CHECK-LABEL: func.func @fused_matmul_reduce_scatter
// CHECK: fxgraph.fused_matmul_reduce_scatter %{{.*}} x %{{.*}} op "sum" dim 0 group "0" of 2
func.func @fused_matmul_reduce_scatter(%x: tensor<8x3xf32>, %w: tensor<3x5xf32>) -> tensor<4x5xf32> {
  %0 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "0" of 2 : (tensor<8x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  return %0 : tensor<4x5xf32>
}

// CHECK-LABEL: func.func @all_gather_into_tensor_coalesced
// CHECK: fxgraph.all_gather_into_tensor_coalesced(%{{.*}}, %{{.*}}) group "0" of 2 : (tensor<4x3xf32>, tensor<2xi64>) -> (tensor<8x3xf32>, tensor<4xi64>)
func.func @all_gather_into_tensor_coalesced(%x: tensor<4x3xf32>, %y: tensor<2xi64>) -> (tensor<8x3xf32>, tensor<4xi64>) {
  %0:2 = fxgraph.all_gather_into_tensor_coalesced (%x, %y) group "0" of 2 : (tensor<4x3xf32>, tensor<2xi64>) -> (tensor<8x3xf32>, tensor<4xi64>)
  return %0#0, %0#1 : tensor<8x3xf32>, tensor<4xi64>
}

// CHECK-LABEL: func.func @reduce_scatter_tensor_coalesced
// CHECK: fxgraph.reduce_scatter_tensor_coalesced(%{{.*}}, %{{.*}}) op "avg" group "0" of 2
func.func @reduce_scatter_tensor_coalesced(%x: tensor<8x3xf32>, %y: tensor<2xf32>) -> (tensor<4x3xf32>, tensor<1xf32>) {
  %0:2 = fxgraph.reduce_scatter_tensor_coalesced (%x, %y) op "avg" group "0" of 2 : (tensor<8x3xf32>, tensor<2xf32>) -> (tensor<4x3xf32>, tensor<1xf32>)
  return %0#0, %0#1 : tensor<4x3xf32>, tensor<1xf32>
}

// CHECK-LABEL: func.func @broadcast
// CHECK: fxgraph.broadcast %{{.*}} from 1 group "0"
func.func @broadcast(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.broadcast %x from 1 group "0" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @all_to_all_single
// CHECK: fxgraph.all_to_all_single %{{.*}} give [1, 3] take [2, 3] group "0" : (tensor<4x3xf32>) -> tensor<5x3xf32>
func.func @all_to_all_single(%x: tensor<4x3xf32>) -> tensor<5x3xf32> {
  %0 = fxgraph.all_to_all_single %x give [1, 3] take [2, 3] group "0" : (tensor<4x3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @fused_all_gather_scaled_matmul
// CHECK: fxgraph.fused_all_gather_scaled_matmul %arg0 x(%arg1, %arg1) scales %arg2, (%arg3, %arg3) + (%arg4, %arg4) dim 1 group "0" of 2 :
// CHECK: fxgraph.fused_all_gather_scaled_matmul %arg0 x(%arg1) scales %arg3, (%arg3) dim 0 group "0" of 2 use_fast_accum true return_a false :
func.func @fused_all_gather_scaled_matmul(%x: tensor<4x2x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %one: tensor<1x1xf32>, %s: tensor<f32>, %b: tensor<5xf16>) -> (tensor<4x4x3xf8E4M3FN>, tensor<4x4x5xf16>, tensor<4x4x5xf16>, tensor<8x2x5xf32>) {
  %0:3 = fxgraph.fused_all_gather_scaled_matmul %x x (%w, %w) scales %one, (%s, %s) + (%b, %b) dim 1 group "0" of 2 : (tensor<4x2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<1x1xf32>, tensor<f32>, tensor<f32>, tensor<5xf16>, tensor<5xf16>) -> (tensor<4x4x3xf8E4M3FN>, tensor<4x4x5xf16>, tensor<4x4x5xf16>)
  %1 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %s, (%s) dim 0 group "0" of 2 use_fast_accum true return_a false : (tensor<4x2x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x2x5xf32>
  return %0#0, %0#1, %0#2, %1 : tensor<4x4x3xf8E4M3FN>, tensor<4x4x5xf16>, tensor<4x4x5xf16>, tensor<8x2x5xf32>
}

// CHECK-LABEL: func.func @fused_scaled_matmul_reduce_scatter
// CHECK: fxgraph.fused_scaled_matmul_reduce_scatter %arg0 x %arg1 scales %arg2, %arg3 bias %arg4 op "sum" dim 0 group "0" of 2 :
func.func @fused_scaled_matmul_reduce_scatter(%x: tensor<8x3xf8E4M3FN>, %w: tensor<3x5xf8E4M3FN>, %s: tensor<8x1xf32>, %t: tensor<1x5xf32>, %b: tensor<5xbf16>) -> tensor<4x5xbf16> {
  %0 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %s, %t bias %b op "sum" dim 0 group "0" of 2 : (tensor<8x3xf8E4M3FN>, tensor<3x5xf8E4M3FN>, tensor<8x1xf32>, tensor<1x5xf32>, tensor<5xbf16>) -> tensor<4x5xbf16>
  return %0 : tensor<4x5xbf16>
}
