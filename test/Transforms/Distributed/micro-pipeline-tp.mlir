// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-micro-pipeline-tp))' -o %t.once.twice
// RUN: diff %t.once %t.once.twice

// RUN: fx-run %s --entry='*' --ranks=2 --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=2 --inputs=seed:1 --compare=%t.npz --rtol=1e-4 --atol=1e-3

// Several products; what a weight needs is moved before the gather; the gathered tensor is used besides.
// CHECK-LABEL: func.func @products
// CHECK-NEXT: %[[V:.+]] = fxgraph.relu %arg2
// CHECK-NEXT: %[[F:.+]]:3 = fxgraph.fused_all_gather_matmul %arg0 x(%arg1, %[[V]]) dim 0 group "g" of 2 : {{.*}} -> (tensor<8x6xf32>, tensor<8x5xf32>, tensor<8x3xf32>)
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[F]]#0
// CHECK-NEXT: return %[[F]]#1, %[[F]]#2, %[[N]]
func.func @products(%x: tensor<4x6xf32>, %w: tensor<6x5xf32>, %v: tensor<6x3xf32>) -> (tensor<8x5xf32>, tensor<8x3xf32>, tensor<8x6xf32>) {
  %as = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4x6xf32>) -> tensor<8x6xf32>
  %a = fxgraph.wait_tensor %as : (tensor<8x6xf32>) -> tensor<8x6xf32>
  %0 = fxgraph.mm %a, %w : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  %r = fxgraph.relu %v : tensor<6x3xf32>
  %1 = fxgraph.mm %a, %r : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %n = fxgraph.neg %a : tensor<8x6xf32>
  return %0, %1, %n : tensor<8x5xf32>, tensor<8x3xf32>, tensor<8x6xf32>
}

// Along dimension 1 of three: split, cat, products between reshapes that share one matrix; one product is used as a matrix too.
// CHECK-LABEL: func.func @middle
// CHECK-NEXT: %[[F:.+]]:2 = fxgraph.fused_all_gather_matmul %arg0 x(%arg1, %arg2) dim 1 group "g" of 2 return_a false : {{.*}} -> (tensor<2x4x5xf32>, tensor<2x4x3xf32>)
// CHECK-NEXT: fxgraph.reshape %[[F]]#1 shape [8, 3]
// CHECK-NOT: fxgraph.all_gather_into_tensor
// CHECK: return
func.func @middle(%x: tensor<2x2x6xf32>, %w: tensor<6x5xf32>, %v: tensor<6x3xf32>) -> (tensor<2x4x5xf32>, tensor<2x4x3xf32>, tensor<8x3xf32>) {
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x2x6xf32>) -> tensor<4x2x6xf32>
  %g = fxgraph.wait_tensor %gs : (tensor<4x2x6xf32>) -> tensor<4x2x6xf32>
  %p:2 = fxgraph.split %g size 2 dim 0 : (tensor<4x2x6xf32>) -> (tensor<2x2x6xf32>, tensor<2x2x6xf32>)
  %a = fxgraph.cat %p#0, %p#1 dim 1 : (tensor<2x2x6xf32>, tensor<2x2x6xf32>) -> tensor<2x4x6xf32>
  %m = fxgraph.reshape %a shape [8, 6] : tensor<2x4x6xf32> -> tensor<8x6xf32>
  %0 = fxgraph.mm %m, %w : (tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<8x5xf32>
  %1 = fxgraph.reshape %0 shape [2, 4, 5] : tensor<8x5xf32> -> tensor<2x4x5xf32>
  %2 = fxgraph.mm %m, %v : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %3 = fxgraph.reshape %2 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  %4 = fxgraph.neg %2 : tensor<8x3xf32>
  return %1, %3, %4 : tensor<2x4x5xf32>, tensor<2x4x3xf32>, tensor<8x3xf32>
}

// Along the last dimension, by slices.
// CHECK-LABEL: func.func @last
// CHECK-NEXT: fxgraph.fused_all_gather_matmul %arg0 x(%arg1) dim 1 group "g" of 2 return_a false
// CHECK-NEXT: return
func.func @last(%x: tensor<2x1024xf32>, %w: tensor<2048x3xf32>) -> tensor<2x3xf32> {
  %gs = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<2x1024xf32>) -> tensor<4x1024xf32>
  %g = fxgraph.wait_tensor %gs : (tensor<4x1024xf32>) -> tensor<4x1024xf32>
  %p = fxgraph.slice %g dim 0 from 0 to 2 : (tensor<4x1024xf32>) -> tensor<2x1024xf32>
  %q = fxgraph.slice %g dim 0 from 2 to 9223372036854775807 : (tensor<4x1024xf32>) -> tensor<2x1024xf32>
  %a = fxgraph.cat %p, %q dim 1 : (tensor<2x1024xf32>, tensor<2x1024xf32>) -> tensor<2x2048xf32>
  %0 = fxgraph.mm %a, %w : (tensor<2x2048xf32>, tensor<2048x3xf32>) -> tensor<2x3xf32>
  return %0 : tensor<2x3xf32>
}

// Gathered as bytes, which are viewed back: the shard is, too.
// CHECK-LABEL: func.func @bytes
// CHECK-NEXT: %[[U:.+]] = fxgraph.view_dtype %arg0 : tensor<4x6xbf16> to tensor<4x12xui8>
// CHECK-NEXT: %[[S:.+]] = fxgraph.view_dtype %[[U]] : tensor<4x12xui8> to tensor<4x6xbf16>
// CHECK-NEXT: fxgraph.fused_all_gather_matmul %[[S]] x(%arg1) dim 0 group "g" of 2 return_a false
// CHECK-NEXT: return
func.func @bytes(%x: tensor<4x6xbf16>, %w: tensor<6x5xbf16>) -> tensor<8x5xbf16> {
  %u = fxgraph.view_dtype %x : tensor<4x6xbf16> to tensor<4x12xui8>
  %s = fxgraph.all_gather_into_tensor %u group "g" of 2 : (tensor<4x12xui8>) -> tensor<8x12xui8>
  %g = fxgraph.wait_tensor %s : (tensor<8x12xui8>) -> tensor<8x12xui8>
  %a = fxgraph.view_dtype %g : tensor<8x12xui8> to tensor<8x6xbf16>
  %0 = fxgraph.mm %a, %w : (tensor<8x6xbf16>, tensor<6x5xbf16>) -> tensor<8x5xbf16>
  return %0 : tensor<8x5xbf16>
}

// Scattered along the second dimension of a product between reshapes.
// CHECK-LABEL: func.func @scatter_middle
// CHECK-NEXT: fxgraph.fused_matmul_reduce_scatter %arg0 x %arg1 op "avg" dim 1 group "g" of 2 : (tensor<2x4x6xf32>, tensor<6x3xf32>) -> tensor<2x2x3xf32>
// CHECK-NEXT: return
func.func @scatter_middle(%x: tensor<2x4x6xf32>, %w: tensor<6x3xf32>) -> tensor<2x2x3xf32> {
  %m = fxgraph.reshape %x shape [8, 6] : tensor<2x4x6xf32> -> tensor<8x6xf32>
  %0 = fxgraph.mm %m, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %1 = fxgraph.reshape %0 shape [2, 4, 3] : tensor<8x3xf32> -> tensor<2x4x3xf32>
  %p:2 = fxgraph.chunk %1 chunks 2 dim 1 : (tensor<2x4x3xf32>) -> (tensor<2x2x3xf32>, tensor<2x2x3xf32>)
  %c = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2x2x3xf32>, tensor<2x2x3xf32>) -> tensor<4x2x3xf32>
  %rs = fxgraph.reduce_scatter_tensor %c op "avg" group "g" of 2 : (tensor<4x2x3xf32>) -> tensor<2x2x3xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<2x2x3xf32>) -> tensor<2x2x3xf32>
  return %r : tensor<2x2x3xf32>
}

// What is saved for the backward graph, before the wait, is the fused value.
// CHECK-LABEL: func.func @saved
// CHECK-NEXT: %[[F:.+]] = fxgraph.fused_matmul_reduce_scatter
// CHECK: return
func.func @saved(%x: tensor<8x6xf32>, %w: tensor<6x3xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = fxgraph.matmul %x, %w : (tensor<8x6xf32>, tensor<6x3xf32>) -> tensor<8x3xf32>
  %rs = fxgraph.reduce_scatter_tensor %0 op "sum" group "g" of 2 : (tensor<8x3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.wait_tensor %rs : (tensor<4x3xf32>) -> tensor<4x3xf32>
  %n = fxgraph.neg %r : tensor<4x3xf32>
  return %rs, %n : tensor<4x3xf32>, tensor<4x3xf32>
}
