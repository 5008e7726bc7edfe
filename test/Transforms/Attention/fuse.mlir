// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse{numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse{numerics=reassociate}))' | FileCheck %s --check-prefix=WIDE
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse{keep-hidden-rows=false}))' | FileCheck %s --check-prefix=BARE
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-attention-fuse{numerics=some}))' 2>&1 | FileCheck %s --check-prefix=ERROR

// ERROR: expected numerics to be exact, reassociate or relaxed but got some
// EXACT-NOT: scaled_dot_product_attention
// The positive counts that models of PyTorch give are in python/tests/test_attention.py.

#s = #fxgraph.meta<dims = [s0, s1]>
#t = #fxgraph.meta<dims = [s0, s2]>
#u = #fxgraph.meta<dims = [s0, s1, s2]>
// CHECK-LABEL: func.func @plain
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 scale 1.000000e+00
// CHECK-NEXT: return %[[A]]
// WIDE-LABEL: func.func @plain
// WIDE: fxgraph.scaled_dot_product_attention
func.func @plain(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: func.func @half
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 scale 5.000000e-01
// CHECK-NEXT: return %[[A]]
// In 16 bits less is rounded than before.
// WIDE-LABEL: func.func @half
// WIDE-NOT: fxgraph.scaled_dot_product_attention
// WIDE: return
func.func @half(%q: tensor<2x4x8x16xf16>, %k: tensor<2x4x8x16xf16>, %v: tensor<2x4x8x16xf16>) -> (tensor<2x4x8x16xf16>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf16>) -> tensor<2x4x16x8xf16>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf16>, tensor<2x4x16x8xf16>) -> tensor<2x4x8x8xf16>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %s = fxgraph.div %qk, %two : (tensor<2x4x8x8xf16>, tensor<f64>) -> tensor<2x4x8x8xf16>
  %c = fxgraph.convert_element_type %s : (tensor<2x4x8x8xf16>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %c dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %n = fxgraph.convert_element_type %w : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf16>
  %r = fxgraph.matmul %n, %v : (tensor<2x4x8x8xf16>, tensor<2x4x8x16xf16>) -> tensor<2x4x8x16xf16>
  return %r : tensor<2x4x8x16xf16>
}

// CHECK-LABEL: func.func @added
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %arg3
// CHECK-NEXT: %[[INF:.+]] = fxgraph.constant
// CHECK-NEXT: %[[EQ:.+]] = fxgraph.eq %arg3, %[[INF]]
// CHECK-NEXT: %[[ALL:.+]] = fxgraph.all %[[EQ]] dims [-1] keepdim true
// CHECK-NEXT: %[[NAN:.+]] = fxgraph.constant
// CHECK-NEXT: %[[R:.+]] = fxgraph.where %[[ALL]], %[[NAN]], %[[A]]
// CHECK-NEXT: return %[[R]]
// BARE-LABEL: func.func @added
// BARE-NEXT: fxgraph.scaled_dot_product_attention
// BARE-NEXT: return
func.func @added(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %qk, %mask : (tensor<2x4x8x8xf32>, tensor<8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// CHECK-LABEL: func.func @added_from_the_left
// CHECK-NEXT: fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %arg3
func.func @added_from_the_left(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %mask: tensor<8x8xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %m = fxgraph.add %mask, %qk : (tensor<8x8xf32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// Each row of a lower triangle has something to see.
// CHECK-LABEL: func.func @causal
// CHECK: %[[M:.+]] = fxgraph.tril
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %[[M]]
// CHECK-NEXT: return %[[A]]
func.func @causal(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %ones = fxgraph.full 1.0 : tensor<8x8xi1>
  %seen = fxgraph.tril %ones : (tensor<8x8xi1>) -> tensor<8x8xi1>
  %low = fxgraph.full 0xFFF0000000000000 : tensor<f32>
  %m = fxgraph.where %seen, %qk, %low : (tensor<8x8xi1>, tensor<2x4x8x8xf32>, tensor<f32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// A finite fill: the mean of the values where all is hidden.
// CHECK-LABEL: func.func @masked_fill
// CHECK-NEXT: %[[M:.+]] = fxgraph.logical_not %arg3
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 mask %[[M]]
// CHECK-NEXT: %[[ANY:.+]] = fxgraph.any %[[M]] dims [-1] keepdim true
// CHECK-NEXT: %[[MEAN:.+]] = fxgraph.mean %arg2 dims [-2] keepdim true
// CHECK-NEXT: fxgraph.where %[[ANY]], %[[A]], %[[MEAN]]
func.func @masked_fill(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>, %hidden: tensor<2x1x1x8xi1>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %q, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %low = fxgraph.full -3.4e38 : tensor<f32>
  %m = fxgraph.where %hidden, %low, %qk : (tensor<2x1x1x8xi1>, tensor<f32>, tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %m dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %v : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// Permuted keys and values may be results of the graph.
// CHECK-LABEL: func.func @keys_returned
// CHECK: %[[Q:.+]] = fxgraph.permute %arg0
// CHECK: %[[K:.+]] = fxgraph.permute %arg1
// CHECK: %[[V:.+]] = fxgraph.permute %arg2
// CHECK: %[[A:.+]] = fxgraph.scaled_dot_product_attention %[[Q]], %[[K]], %[[V]]
// CHECK-NEXT: return %[[A]], %[[K]], %[[V]]
func.func @keys_returned(%q: tensor<2x8x4x16xf32>, %k: tensor<2x8x4x16xf32>, %v: tensor<2x8x4x16xf32>) -> (tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>) {
  %qp = fxgraph.permute %q dims [0, 2, 1, 3] : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %kp = fxgraph.permute %k dims [0, 2, 1, 3] : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %vp = fxgraph.permute %v dims [0, 2, 1, 3] : (tensor<2x8x4x16xf32>) -> tensor<2x4x8x16xf32>
  %kt = fxgraph.transpose %kp dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qk = fxgraph.matmul %qp, %kt : (tensor<2x4x8x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %r = fxgraph.matmul %w, %vp : (tensor<2x4x8x8xf32>, tensor<2x4x8x16xf32>) -> tensor<2x4x8x16xf32>
  return %r, %kp, %vp : tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>, tensor<2x4x8x16xf32>
}

// matmul as PyTorch decomposes it: batch and heads merged for bmm and taken apart again.
// CHECK-LABEL: func.func @merged
// CHECK-NEXT: %[[A:.+]] = fxgraph.scaled_dot_product_attention %arg0, %arg1, %arg2 scale 1.000000e+00
// CHECK-NEXT: return %[[A]]
func.func @merged(%q: tensor<2x4x8x16xf32>, %k: tensor<2x4x8x16xf32>, %v: tensor<2x4x8x16xf32>) -> (tensor<2x4x8x16xf32>) {
  %kt = fxgraph.transpose %k dims -2, -1 : (tensor<2x4x8x16xf32>) -> tensor<2x4x16x8xf32>
  %qe = fxgraph.expand %q shape [2, 4, 8, 16] : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32>
  %q3 = fxgraph.view %qe shape [8, 8, 16] : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %kc = fxgraph.clone %kt : tensor<2x4x16x8xf32>
  %k3 = fxgraph.view %kc shape [8, 16, 8] : tensor<2x4x16x8xf32> -> tensor<8x16x8xf32>
  %qk3 = fxgraph.bmm %q3, %k3 : (tensor<8x8x16xf32>, tensor<8x16x8xf32>) -> tensor<8x8x8xf32>
  %qk = fxgraph.view %qk3 shape [2, 4, 8, 8] : tensor<8x8x8xf32> -> tensor<2x4x8x8xf32>
  %w = fxgraph.softmax %qk dim -1 : (tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %w3 = fxgraph.view %w shape [8, 8, 8] : tensor<2x4x8x8xf32> -> tensor<8x8x8xf32>
  %v3 = fxgraph.view %v shape [8, 8, 16] : tensor<2x4x8x16xf32> -> tensor<8x8x16xf32>
  %r3 = fxgraph.bmm %w3, %v3 : (tensor<8x8x8xf32>, tensor<8x8x16xf32>) -> tensor<8x8x16xf32>
  %r = fxgraph.view %r3 shape [2, 4, 8, 16] : tensor<8x8x16xf32> -> tensor<2x4x8x16xf32>
  return %r : tensor<2x4x8x16xf32>
}

// Extents of symbols; the key is as in the product.
// CHECK-LABEL: func.func @symbols
// CHECK-NEXT: %[[K:.+]] = fxgraph.transpose %arg1 dims -2, -1
// CHECK-NEXT: fxgraph.scaled_dot_product_attention %arg0, %[[K]], %arg2
func.func @symbols(%q: tensor<?x4x?x16xf32, #s>, %k: tensor<?x4x16x?xf32, #t>, %v: tensor<?x4x?x16xf32, #t>) -> (tensor<?x4x?x16xf32, #s>) {
  %qk = fxgraph.matmul %q, %k : (tensor<?x4x?x16xf32, #s>, tensor<?x4x16x?xf32, #t>) -> tensor<?x4x?x?xf32, #u>
  %w = fxgraph.softmax %qk dim -1 : (tensor<?x4x?x?xf32, #u>) -> tensor<?x4x?x?xf32, #u>
  %r = fxgraph.matmul %w, %v : (tensor<?x4x?x?xf32, #u>, tensor<?x4x?x16xf32, #t>) -> tensor<?x4x?x16xf32, #s>
  return %r : tensor<?x4x?x16xf32, #s>
}
