// RUN: fx-opt %s --fxgraph-splitcat-cat-slice-cat > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-cat-slice-cat | diff %t.once -

// Any dimension and spelling; all of the first operand; nothing of it.
// CHECK-LABEL: func.func @spellings
// CHECK: fxgraph.slice %arg0 dim 0 from 0 to 2
// CHECK: fxgraph.cat %arg0, %arg1, %arg1, %{{.+}} dim 0
// CHECK: fxgraph.slice %arg0 dim 0 from 0 to 0
func.func @spellings(%a: tensor<2x3xf32>, %b: tensor<1x3xf32>) -> (tensor<6x3xf32>, tensor<3x3xf32>) {
  %c = fxgraph.cat %a, %b, %b dim -2 : (tensor<2x3xf32>, tensor<1x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %s = fxgraph.slice %c dim 0 from -9 to -2 : (tensor<4x3xf32>) -> tensor<2x3xf32>
  %r = fxgraph.cat %c, %s dim 0 : (tensor<4x3xf32>, tensor<2x3xf32>) -> tensor<6x3xf32>
  %d = fxgraph.cat %a, %b dim 0 : (tensor<2x3xf32>, tensor<1x3xf32>) -> tensor<3x3xf32>
  %t = fxgraph.slice %d dim -2 from 0 to 0 : (tensor<3x3xf32>) -> tensor<0x3xf32>
  %q = fxgraph.cat %d, %t dim -2 : (tensor<3x3xf32>, tensor<0x3xf32>) -> tensor<3x3xf32>
  return %r, %q : tensor<6x3xf32>, tensor<3x3xf32>
}

// Other extents may be unknown.
// CHECK-LABEL: func.func @unknown_rows
// CHECK: fxgraph.cat %arg0, %arg1, %{{.+}} dim 1
func.func @unknown_rows(%a: tensor<?x3xf32>, %b: tensor<?x3xf32>) -> tensor<?x8xf32> {
  %c = fxgraph.cat %a, %b dim 1 : (tensor<?x3xf32>, tensor<?x3xf32>) -> tensor<?x6xf32>
  %s = fxgraph.slice %c dim 1 from 0 to 2 : (tensor<?x6xf32>) -> tensor<?x2xf32>
  %r = fxgraph.cat %c, %s dim 1 : (tensor<?x6xf32>, tensor<?x2xf32>) -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}
