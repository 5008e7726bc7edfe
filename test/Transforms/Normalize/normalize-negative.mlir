// RUN: fx-opt %s --fxgraph-normalize --remarks-filter="fxgraph.*" --remark-format=emitRemark 2>&1 | FileCheck %s

// Nothing here has another spelling: no rewrite, no count.
// CHECK-NOT: [Passed]

// CHECK-LABEL: func @canonical
// CHECK: fxgraph.split_with_sizes {{.*}} sizes [1, 2] dim 1
// CHECK: fxgraph.unbind {{.*}} dim 1
// CHECK: fxgraph.stack {{.*}} dim 2
func.func @canonical(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2xf32>, tensor<2x3x2xf32>) {
  %a:2 = fxgraph.split_with_sizes %x sizes [1, 2] dim 1 : (tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>)
  %b:3 = fxgraph.unbind %x dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %c = fxgraph.stack %x, %x dim 2 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %a#0, %b#0, %c : tensor<2x1xf32>, tensor<2xf32>, tensor<2x3x2xf32>
}

// The extent is not known: what counts from the end stays.
// CHECK-LABEL: func @dynamic
// CHECK: fxgraph.reshape {{.*}} shape [-1, 2]
// CHECK: fxgraph.slice {{.*}} dim 0 from -1 to 9223372036854775807
// CHECK: fxgraph.select {{.*}} dim 0 at -1
// CHECK: fxgraph.flatten {{.*}} dims 0 to 1
func.func @dynamic(%x: tensor<?x4xf32>) -> (tensor<?x2xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?xf32>) {
  %a = fxgraph.reshape %x shape [-1, 2] : tensor<?x4xf32> -> tensor<?x2xf32>
  %b = fxgraph.slice %x dim 0 from -1 to 9223372036854775807 : (tensor<?x4xf32>) -> tensor<?x4xf32>
  %c = fxgraph.select %x dim 0 at -1 : (tensor<?x4xf32>) -> tensor<4xf32>
  %d = fxgraph.flatten %x dims 0 to 1 : (tensor<?x4xf32>) -> tensor<?xf32>
  return %a, %b, %c, %d : tensor<?x2xf32>, tensor<?x4xf32>, tensor<4xf32>, tensor<?xf32>
}

// The order of these lists, and an empty list of squeeze, mean something.
// CHECK-LABEL: func @order_matters
// CHECK: fxgraph.permute {{.*}} dims [1, 0]
// CHECK: fxgraph.roll {{.*}} dims [1, 0]
// CHECK: fxgraph.squeeze {{.*}} dims []
func.func @order_matters(%x: tensor<1x3xf32>) -> (tensor<3x1xf32>, tensor<1x3xf32>, tensor<1x3xf32>) {
  %a = fxgraph.permute %x dims [1, 0] : (tensor<1x3xf32>) -> tensor<3x1xf32>
  %b = fxgraph.roll %x by [1, 2] dims [1, 0] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  %c = fxgraph.squeeze %x dims [] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %a, %b, %c : tensor<3x1xf32>, tensor<1x3xf32>, tensor<1x3xf32>
}
