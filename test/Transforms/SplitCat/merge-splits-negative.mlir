// RUN: fx-opt %s --fxgraph-splitcat-merge-splits --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics | FileCheck %s

// CHECK-LABEL: func @diff_dims
// CHECK: split_with_sizes {{.*}} dim 1
// CHECK: split_with_sizes {{.*}} dim 0
func.func @diff_dims(%x: tensor<2x4xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 1 : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>)
  // expected-remark @below {{the splits cut different dimensions}}
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 1] dim 0 : (tensor<2x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>)
  return %q#0, %q#1, %p#1 : tensor<1x2xf32>, tensor<1x2xf32>, tensor<2x2xf32>
}

// The same number means another dimension when it is negative: -1 is 1 here.
// CHECK-LABEL: func @negative_dim_is_another
// CHECK-COUNT-2: split_with_sizes
func.func @negative_dim_is_another(%x: tensor<4x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  // expected-remark @below {{the splits cut different dimensions}}
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 3] dim -1 : (tensor<2x4xf32>) -> (tensor<2x1xf32>, tensor<2x3xf32>)
  return %q#0, %q#1 : tensor<2x1xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func @piece_has_other_user
// CHECK-COUNT-2: split_with_sizes
func.func @piece_has_other_user(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<2xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the piece has other users}}
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 1] dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %q#0, %q#1, %p#0 : tensor<1xf32>, tensor<1xf32>, tensor<2xf32>
}

// The same piece split twice.
// CHECK-LABEL: func @piece_split_twice
// CHECK-COUNT-3: split_with_sizes
func.func @piece_split_twice(%x: tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the piece has other users}}
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 1] dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  // expected-remark @below {{the piece has other users}}
  %r:2 = fxgraph.split_with_sizes %p#0 sizes [1, 1] dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %q#0, %r#1 : tensor<1xf32>, tensor<1xf32>
}

// CHECK-LABEL: func @inner_unused
// CHECK-COUNT-2: split_with_sizes
func.func @inner_unused(%x: tensor<4xf32>) -> tensor<2xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no piece of the inner split is used}}
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 1] dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  return %p#1 : tensor<2xf32>
}

// Unbind drops the dimension: what is dim 0 inside is another one outside.
// CHECK-LABEL: func @unbind_is_no_split
// CHECK: unbind
// CHECK: split_with_sizes
func.func @unbind_is_no_split(%x: tensor<2x4xf32>) -> (tensor<1xf32>, tensor<3xf32>) {
  %p:2 = fxgraph.unbind %x dim 0 : (tensor<2x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %q:2 = fxgraph.split_with_sizes %p#0 sizes [1, 3] dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<3xf32>)
  return %q#0, %q#1 : tensor<1xf32>, tensor<3xf32>
}
