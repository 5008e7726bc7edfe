// Products of 8-bit floats in the passes of tensor parallelism.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' -o %t.once.twice
// RUN: diff %t.once %t.once.twice

// RUN: fx-run %s --entry='*' --ranks=2 --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz --rtol=1e-4 --atol=1e-3

// A scale of all; the second weight's is computed behind the gather, and moved before it.
// CHECK-LABEL: func.func @column_then_row
// CHECK-NEXT: %[[T:.+]] = fxgraph.abs %arg4
// CHECK-NEXT: %[[F:.+]]:2 = fxgraph.fused_all_gather_scaled_matmul %arg0 x(%arg1, %arg2) scales %arg3, (%arg4, %[[T]]) dim 0 group "g" of 2 return_a false : {{.*}} -> (tensor<8x5xbf16>, tensor<8x3xf32>)
// CHECK-NEXT: %[[Q:.+]] = fxgraph.convert_element_type %[[F]]#0
// CHECK-NEXT: %[[S:.+]] = fxgraph.fused_scaled_matmul_reduce_scatter %[[Q]] x %arg5 scales %arg3, %arg4 op "sum" dim 0 group "g" of 2 : {{.*}} -> tensor<4x6xf32>
// CHECK-NEXT: return %[[S]], %[[F]]#1
func.func @column_then_row(%x: tensor<4x6xf8E4M3FN>, %w: tensor<6x5xf8E4M3FN>, %v: tensor<6x3xf8E5M2>, %s: tensor<f32>, %t: tensor<1xf32>, %u: tensor<5x6xf8E4M3FN>) -> (tensor<4x6xf32>, tensor<8x3xf32>) {
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %0 = fxgraph.scaled_mm %a, %w scales %s, %t : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<f32>, tensor<1xf32>) -> tensor<8x5xbf16>
  %t2 = fxgraph.abs %t : tensor<1xf32>
  %1 = fxgraph.scaled_mm %a, %v scales %s, %t2 : (tensor<8x6xf8E4M3FN>, tensor<6x3xf8E5M2>, tensor<f32>, tensor<1xf32>) -> tensor<8x3xf32>
  %q = fxgraph.convert_element_type %0 : (tensor<8x5xbf16>) -> tensor<8x5xf8E4M3FN>
  %2 = fxgraph.scaled_mm %q, %u scales %s, %t : (tensor<8x5xf8E4M3FN>, tensor<5x6xf8E4M3FN>, tensor<f32>, tensor<1xf32>) -> tensor<8x6xf32>
  %rs = fxgraph.reduce_scatter_tensor %2 op "sum" group "g" of 2 : (tensor<8x6xf32>) -> tensor<4x6xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %r, %1 : tensor<4x6xf32>, tensor<8x3xf32>
}

// Along dimension 1 of three, between reshapes, with scales of rows and columns and a bias; bytes travel.
// CHECK-LABEL: func.func @rows_of_three
// CHECK: %[[V:.+]] = fxgraph.view_dtype %arg0
// CHECK-NEXT: %[[F:.+]]:2 = fxgraph.fused_all_gather_scaled_matmul %[[V]] x(%arg1) scales %arg2, (%arg3) + (%arg4) dim 1 group "g" of 2 use_fast_accum true : {{.*}} -> (tensor<2x4x6xf8E4M3FN>, tensor<2x4x5xbf16>)
// CHECK-NOT: fxgraph.all_gather_into_tensor
// CHECK: fxgraph.fused_scaled_matmul_reduce_scatter %[[F]]#0 x %arg1 scales %arg2, %arg3 bias %arg4 op "avg" dim 1 group "g" of 2 : {{.*}} -> tensor<2x2x5xf32>
// CHECK-NOT: fxgraph.reduce_scatter_tensor
func.func @rows_of_three(%bytes: tensor<2x2x6xui8>, %w: tensor<6x5xf8E4M3FN>, %rows: tensor<8x1xf32>, %columns: tensor<1x5xf32>, %bias: tensor<5xbf16>) -> (tensor<2x4x5xbf16>, tensor<2x2x5xf32>) {
  %gs = fxgraph.all_gather_into_tensor %bytes group "g" of 2 : (tensor<2x2x6xui8>) -> tensor<4x2x6xui8>
  %g = fxgraph.wait_tensor %gs : (tensor<4x2x6xui8>) -> tensor<4x2x6xui8>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x2x6xui8>) -> (tensor<2x2x6xui8>, tensor<2x2x6xui8>)
  %c = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x2x6xui8>, tensor<2x2x6xui8>) -> tensor<2x4x6xui8>
  %a = fxgraph.view_dtype %c : tensor<2x4x6xui8> to tensor<2x4x6xf8E4M3FN>
  %m = fxgraph.reshape %a shape [8, 6] : tensor<2x4x6xf8E4M3FN> -> tensor<8x6xf8E4M3FN>
  %0 = fxgraph.scaled_mm %m, %w scales %rows, %columns bias %bias use_fast_accum true : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<8x1xf32>, tensor<1x5xf32>, tensor<5xbf16>) -> tensor<8x5xbf16>
  %1 = fxgraph.reshape %0 shape [2, 4, 5] : tensor<8x5xbf16> -> tensor<2x4x5xbf16>
  %n = fxgraph.reshape %a shape [8, 6] : tensor<2x4x6xf8E4M3FN> -> tensor<8x6xf8E4M3FN>
  %2 = fxgraph.scaled_mm %n, %w scales %rows, %columns bias %bias : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<8x1xf32>, tensor<1x5xf32>, tensor<5xbf16>) -> tensor<8x5xf32>
  %3 = fxgraph.reshape %2 shape [2, 4, 5] : tensor<8x5xf32> -> tensor<2x4x5xf32>
  %q:2 = fxgraph.split %3 size 2 dim 1 : (tensor<2x4x5xf32>) -> (tensor<2x2x5xf32>, tensor<2x2x5xf32>)
  %d = fxgraph.cat %q#0, %q#1 dim 0 : (tensor<2x2x5xf32>, tensor<2x2x5xf32>) -> tensor<4x2x5xf32>
  %rs = fxgraph.reduce_scatter_tensor %d op "avg" group "g" of 2 : (tensor<4x2x5xf32>) -> tensor<2x2x5xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<2x2x5xf32>) -> tensor<2x2x5xf32>
  return %1, %r : tensor<2x4x5xbf16>, tensor<2x2x5xf32>
}

// One op takes one scale of what is gathered (Inductor's takes the first one's for all): the second product stays.
// CHECK-LABEL: func.func @two_scales
// CHECK-NEXT: %[[F:.+]]:2 = fxgraph.fused_all_gather_scaled_matmul %arg0 x(%arg1) scales %arg2, (%arg2) dim 0 group "g" of 2 :
// CHECK-NEXT: %[[P:.+]] = fxgraph.scaled_mm %[[F]]#0, %arg1 scales %arg3, %arg2
// CHECK-NEXT: return %[[F]]#1, %[[P]]
func.func @two_scales(%x: tensor<4x6xf8E4M3FN>, %w: tensor<6x5xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) -> (tensor<8x5xf32>, tensor<8x5xf32>) {
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf8E4M3FN>) -> tensor<8x6xf8E4M3FN>
  %0 = fxgraph.scaled_mm %a, %w scales %s, %s : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  %1 = fxgraph.scaled_mm %a, %w scales %t, %s : (tensor<8x6xf8E4M3FN>, tensor<6x5xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<8x5xf32>
  return %0, %1 : tensor<8x5xf32>, tensor<8x5xf32>
}
