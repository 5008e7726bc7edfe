// RUN: fx-opt %s --fxgraph-postgrad-scatter-upon-const-tensor > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-scatter-upon-const-tensor | diff %t.once -

// With mode=best only where the graph has no more ops than before: the cast and the expansion of the value go.
// RUN: fx-opt %s --fxgraph-post-grad=mode=best | FileCheck %s --check-prefix=BEST
// BEST-LABEL: func.func @argmax
// BEST: fxgraph.where
// BEST-LABEL: func.func @others
// BEST-COUNT-3: fxgraph.scatter

// What argmax picks of five is below five, moved or not; the dimension from the end; the
// number as a capture writes it.
// CHECK-LABEL: func.func @argmax
// CHECK-NOT: fxgraph.scatter
// CHECK: return
func.func @argmax(%x: tensor<3x5xf32>) -> tensor<3x5xi1> {
  %i = fxgraph.argmax %x dim -1 : (tensor<3x5xf32>) -> tensor<3xi64>
  %u = fxgraph.unsqueeze %i dim 1 : (tensor<3xi64>) -> tensor<3x1xi64>
  %zeros = fxgraph.full 0.0 : tensor<3x5xi1>
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %bit = fxgraph.convert_element_type %one : (tensor<f64>) -> tensor<i1>
  %value = fxgraph.expand %bit shape [4, 2] : tensor<i1> -> tensor<4x2xi1>
  %r = fxgraph.scatter %zeros, %u, %value dim -1 : (tensor<3x5xi1>, tensor<3x1xi64>, tensor<4x2xi1>) -> tensor<3x5xi1>
  return %r : tensor<3x5xi1>
}

// Ranges, constants, places of the largest; another dimension; i32; the number rounds to the
// element type.
// CHECK-LABEL: func.func @others
// CHECK-NOT: fxgraph.scatter
// CHECK: return
func.func @others(%x: tensor<4x3xf16>) -> (tensor<5x3xf16>, tensor<2x4xi64>, tensor<4x3xf16>) {
  %r = fxgraph.arange from 0.0 : tensor<3xi32>
  %i = fxgraph.reshape %r shape [1, 3] : tensor<3xi32> -> tensor<1x3xi32>
  %a = fxgraph.full 0.1 : tensor<5x3xf16>
  %v = fxgraph.full 65519.0 : tensor<1x3xf16>
  %0 = fxgraph.scatter %a, %i, %v dim 0 : (tensor<5x3xf16>, tensor<1x3xi32>, tensor<1x3xf16>) -> tensor<5x3xf16>
  %c = fxgraph.constant dense<[[3], [0]]> : tensor<2x1xi64>
  %b = fxgraph.full 7.0 : tensor<2x4xi64>
  %w = fxgraph.constant dense<-1> : tensor<2x1xi64>
  %1 = fxgraph.scatter %b, %c, %w dim 1 : (tensor<2x4xi64>, tensor<2x1xi64>, tensor<2x1xi64>) -> tensor<2x4xi64>
  %values, %indices = fxgraph.topk %x k 1 dim 0 : (tensor<4x3xf16>) -> (tensor<1x3xf16>, tensor<1x3xi64>)
  %d = fxgraph.full 0.0 : tensor<4x3xf16>
  %y = fxgraph.full 1.0 : tensor<1x3xf16>
  %2 = fxgraph.scatter %d, %indices, %y dim 0 : (tensor<4x3xf16>, tensor<1x3xi64>, tensor<1x3xf16>) -> tensor<4x3xf16>
  return %0, %1, %2 : tensor<5x3xf16>, tensor<2x4xi64>, tensor<4x3xf16>
}

// Equal symbols are equal extents.
// CHECK-LABEL: func.func @symbols
// CHECK-NOT: fxgraph.scatter
// CHECK: return
func.func @symbols(%x: tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>, %n: index) -> tensor<?x5xf32, #fxgraph.meta<dims = [s0]>> {
  %i = fxgraph.argmax %x dim 1 keepdim true : (tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x1xi64, #fxgraph.meta<dims = [s0]>>
  %a = fxgraph.full 0.0 sizes %n : tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>
  %v = fxgraph.full 1.0 sizes %n : tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.scatter %a, %i, %v dim 1 : (tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x1xi64, #fxgraph.meta<dims = [s0]>>, tensor<?x1xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x5xf32, #fxgraph.meta<dims = [s0]>>
}
