// RUN: fx-opt %s --fxgraph-predispatch-dot-compress --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// Nothing fires.

// CHECK-LABEL: func @another_input
// CHECK-NOT: fxgraph.dot_compress
// CHECK: return
func.func @another_input(%x: tensor<2x6x4xf32>, %w: tensor<6x3xf32>, %y: tensor<2x6x4xf32>) -> tensor<2x6x3xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf32>, tensor<6x3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.matmul %y, %1 : (tensor<2x6x4xf32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  return %2 : tensor<2x6x3xf32>
}

// CHECK-LABEL: func @square_without_exchange
// CHECK-NOT: fxgraph.dot_compress
// CHECK: return
func.func @square_without_exchange(%x: tensor<4x4x4xf32>, %w: tensor<4x3xf32>) -> tensor<4x4x3xf32> {
  // expected-remark @below {{the permutation is not the exchange of the last two dimensions}}
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<4x4x4xf32>) -> tensor<4x4x4xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<4x4x4xf32>, tensor<4x3xf32>) -> tensor<4x4x3xf32>
  %2 = fxgraph.matmul %x, %1 : (tensor<4x4x4xf32>, tensor<4x4x3xf32>) -> tensor<4x4x3xf32>
  return %2 : tensor<4x4x3xf32>
}

// CHECK-LABEL: func @double
// CHECK-NOT: fxgraph.dot_compress
// CHECK: return
func.func @double(%x: tensor<2x6x4xf64>, %w: tensor<6x3xf64>) -> tensor<2x6x3xf64> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf64>) -> tensor<2x4x6xf64>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf64>, tensor<6x3xf64>) -> tensor<2x4x3xf64>
  // expected-remark @below {{expected floats of 16 or 32 bits}}
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x4xf64>, tensor<2x4x3xf64>) -> tensor<2x6x3xf64>
  return %2 : tensor<2x6x3xf64>
}

// CHECK-LABEL: func @batched_weight
// CHECK-NOT: fxgraph.dot_compress
// CHECK: return
func.func @batched_weight(%x: tensor<2x6x4xf32>, %w: tensor<2x6x3xf32>) -> tensor<2x6x3xf32> {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf32>, tensor<2x6x3xf32>) -> tensor<2x4x3xf32>
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x4xf32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  return %2 : tensor<2x6x3xf32>
}

// CHECK-LABEL: func @inner_product_used
// CHECK-NOT: fxgraph.dot_compress
// CHECK: return
func.func @inner_product_used(%x: tensor<2x6x4xf32>, %w: tensor<6x3xf32>) -> (tensor<2x6x3xf32>, tensor<2x4x3xf32>) {
  %0 = fxgraph.permute %x dims [0, 2, 1] : (tensor<2x6x4xf32>) -> tensor<2x4x6xf32>
  %1 = fxgraph.matmul %0, %w : (tensor<2x4x6xf32>, tensor<6x3xf32>) -> tensor<2x4x3xf32>
  // expected-remark @below {{the inner product has other users}}
  %2 = fxgraph.matmul %x, %1 : (tensor<2x6x4xf32>, tensor<2x4x3xf32>) -> tensor<2x6x3xf32>
  %3 = fxgraph.neg %1 : tensor<2x4x3xf32>
  return %2, %3 : tensor<2x6x3xf32>, tensor<2x4x3xf32>
}
