// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of the ops that cut and join.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @split(
// CHECK: fxgraph.split %{{.+}} size 4 dim 1 : (tensor<2x10xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>)
func.func @split(%x: tensor<2x10xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>) {
  %r:3 = fxgraph.split %x size 4 dim 1 : (tensor<2x10xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @split_empty(
// CHECK: fxgraph.split %{{.+}} size 0 dim 0 : (tensor<0x3xf32>) -> tensor<0x3xf32>
func.func @split_empty(%x: tensor<0x3xf32>) -> tensor<0x3xf32> {
  %r = fxgraph.split %x size 0 dim 0 : (tensor<0x3xf32>) -> tensor<0x3xf32>
  return %r : tensor<0x3xf32>
}

// CHECK-LABEL: func @split_symbol(
// CHECK: fxgraph.split %{{.+}} size 2 dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>)
func.func @split_symbol(%x: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>) {
  %r:2 = fxgraph.split %x size 2 dim 1 : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> (tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>)
  return %r#0, %r#1 : tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x2xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @split_with_sizes(
// CHECK: fxgraph.split_with_sizes %{{.+}} sizes [3, 0, 2] dim -1 : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>)
func.func @split_with_sizes(%x: tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>) {
  %r:3 = fxgraph.split_with_sizes %x sizes [3, 0, 2] dim -1 : (tensor<2x5xf32>) -> (tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>)
  return %r#0, %r#1, %r#2 : tensor<2x3xf32>, tensor<2x0xf32>, tensor<2x2xf32>
}

// CHECK-LABEL: func @split_with_sizes_dynamic(
// CHECK: fxgraph.split_with_sizes %{{.+}} sizes [3, 2] dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>)
func.func @split_with_sizes_dynamic(%x: tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>) {
  %r:2 = fxgraph.split_with_sizes %x sizes [3, 2] dim 0 : (tensor<?xf32>) -> (tensor<3xf32>, tensor<2xf32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @chunk(
// CHECK: fxgraph.chunk %{{.+}} chunks 6 dim 0 : (tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
func.func @chunk(%x: tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r:5 = fxgraph.chunk %x chunks 6 dim 0 : (tensor<10xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func @unbind(
// CHECK: fxgraph.unbind %{{.+}} dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
func.func @unbind(%x: tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %r:2 = fxgraph.unbind %x dim 1 : (tensor<3x2xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  return %r#0, %r#1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func @unbind_one(
// CHECK: fxgraph.unbind %{{.+}} dim 0 : (tensor<1x2xf32>) -> tensor<2xf32>
func.func @unbind_one(%x: tensor<1x2xf32>) -> tensor<2xf32> {
  %r = fxgraph.unbind %x dim 0 : (tensor<1x2xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @cat(
// CHECK: fxgraph.cat %{{.+}}, %{{.+}} dim 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
func.func @cat(%x: tensor<2x3xf32>, %y: tensor<2x4xf32>) -> tensor<2x7xf32> {
  %r = fxgraph.cat %x, %y dim 1 : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x7xf32>
  return %r : tensor<2x7xf32>
}

// CHECK-LABEL: func @cat_repeated(
// CHECK: fxgraph.cat %{{.+}}, %{{.+}}, %{{.+}} dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
func.func @cat_repeated(%x: tensor<2x3xf32>) -> tensor<2x9xf32> {
  %r = fxgraph.cat %x, %x, %x dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x9xf32>
  return %r : tensor<2x9xf32>
}

// CHECK-LABEL: func @cat_legacy_empty(
// CHECK: fxgraph.cat %{{.+}}, %{{.+}} dim 1 : (tensor<0xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
func.func @cat_legacy_empty(%x: tensor<0xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = fxgraph.cat %x, %y dim 1 : (tensor<0xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %r : tensor<2x4xf32>
}

// CHECK-LABEL: func @cat_symbols(
// CHECK: fxgraph.cat %{{.+}}, %{{.+}} dim 1 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>
func.func @cat_symbols(%x: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, %y: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>> {
  %r = fxgraph.cat %x, %y dim 1 : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>
  return %r : tensor<?x?xf32, #fxgraph.meta<dims = [s0, ?]>>
}

// CHECK-LABEL: func @stack(
// CHECK: fxgraph.stack %{{.+}}, %{{.+}} dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
func.func @stack(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3x2xf32> {
  %r = fxgraph.stack %x, %y dim -1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x2xf32>
  return %r : tensor<2x3x2xf32>
}

// CHECK-LABEL: func @stack_scalars(
// CHECK: fxgraph.stack %{{.+}}, %{{.+}} dim 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
func.func @stack_scalars(%x: tensor<f32>, %y: tensor<f32>) -> tensor<2xf32> {
  %r = fxgraph.stack %x, %y dim 0 : (tensor<f32>, tensor<f32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}
