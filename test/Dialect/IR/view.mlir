// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of the ops that move data.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @reshape(
// CHECK: fxgraph.reshape %{{.+}} shape [3, -1] : tensor<2x6xf32> -> tensor<3x4xf32>
func.func @reshape(%x: tensor<2x6xf32>) -> tensor<3x4xf32> {
  %r = fxgraph.reshape %x shape [3, -1] : tensor<2x6xf32> -> tensor<3x4xf32>
  return %r : tensor<3x4xf32>
}

// CHECK-LABEL: func @reshape_dynamic(
// CHECK: fxgraph.reshape %{{.+}} shape [%{{.+}}, 6] : tensor<?xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x6xf32>
func.func @reshape_dynamic(%x: tensor<?xf32, #fxgraph.meta<dims = [s0]>>, %n: index) -> tensor<?x6xf32> {
  %r = fxgraph.reshape %x shape [%n, 6] : tensor<?xf32, #fxgraph.meta<dims = [s0]>> -> tensor<?x6xf32>
  return %r : tensor<?x6xf32>
}

// CHECK-LABEL: func @reshape_scalar(
// CHECK: fxgraph.reshape %{{.+}} shape [] : tensor<1x1xf32> -> tensor<f32>
func.func @reshape_scalar(%x: tensor<1x1xf32>) -> tensor<f32> {
  %r = fxgraph.reshape %x shape [] : tensor<1x1xf32> -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @view(
// CHECK: fxgraph.view %{{.+}} shape [12] : tensor<2x6xf32> -> tensor<12xf32>
func.func @view(%x: tensor<2x6xf32>) -> tensor<12xf32> {
  %r = fxgraph.view %x shape [12] : tensor<2x6xf32> -> tensor<12xf32>
  return %r : tensor<12xf32>
}

// CHECK-LABEL: func @flatten(
// CHECK: fxgraph.flatten %{{.+}} dims 1 to -1 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
func.func @flatten(%x: tensor<2x3x4xf32>) -> tensor<2x12xf32> {
  %r = fxgraph.flatten %x dims 1 to -1 : (tensor<2x3x4xf32>) -> tensor<2x12xf32>
  return %r : tensor<2x12xf32>
}

// CHECK-LABEL: func @flatten_scalar(
// CHECK: fxgraph.flatten %{{.+}} dims 0 to -1 : (tensor<f32>) -> tensor<1xf32>
func.func @flatten_scalar(%x: tensor<f32>) -> tensor<1xf32> {
  %r = fxgraph.flatten %x dims 0 to -1 : (tensor<f32>) -> tensor<1xf32>
  return %r : tensor<1xf32>
}

// CHECK-LABEL: func @unflatten(
// CHECK: fxgraph.unflatten %{{.+}} dim 1 sizes [3, -1] : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
func.func @unflatten(%x: tensor<2x12xf32>) -> tensor<2x3x4xf32> {
  %r = fxgraph.unflatten %x dim 1 sizes [3, -1] : (tensor<2x12xf32>) -> tensor<2x3x4xf32>
  return %r : tensor<2x3x4xf32>
}

// CHECK-LABEL: func @permute(
// CHECK: fxgraph.permute %{{.+}} dims [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
func.func @permute(%x: tensor<2x3x4xf32>) -> tensor<4x2x3xf32> {
  %r = fxgraph.permute %x dims [2, 0, 1] : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @permute_symbols(
// CHECK: fxgraph.permute %{{.+}} dims [-1, 0] : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
func.func @permute_symbols(%x: tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>> {
  %r = fxgraph.permute %x dims [-1, 0] : (tensor<?x?xf32, #fxgraph.meta<dims = [s0, s1]>>) -> tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
  return %r : tensor<?x?xf32, #fxgraph.meta<dims = [s1, s0]>>
}

// CHECK-LABEL: func @permute_scalar(
// CHECK: fxgraph.permute %{{.+}} dims [] : (tensor<f32>) -> tensor<f32>
func.func @permute_scalar(%x: tensor<f32>) -> tensor<f32> {
  %r = fxgraph.permute %x dims [] : (tensor<f32>) -> tensor<f32>
  return %r : tensor<f32>
}

// CHECK-LABEL: func @transpose(
// CHECK: fxgraph.transpose %{{.+}} dims -2, -1 : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
func.func @transpose(%x: tensor<2x3x4xf32>) -> tensor<2x4x3xf32> {
  %r = fxgraph.transpose %x dims -2, -1 : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  return %r : tensor<2x4x3xf32>
}

// CHECK-LABEL: func @squeeze(
// CHECK: fxgraph.squeeze %{{.+}} dims [0, 2] : (tensor<1x3x1xf32>) -> tensor<3xf32>
func.func @squeeze(%x: tensor<1x3x1xf32>) -> tensor<3xf32> {
  %r = fxgraph.squeeze %x dims [0, 2] : (tensor<1x3x1xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func @squeeze_all(
// CHECK: fxgraph.squeeze %{{.+}} : (tensor<1x3x1xf32>) -> tensor<3xf32>
func.func @squeeze_all(%x: tensor<1x3x1xf32>) -> tensor<3xf32> {
  %r = fxgraph.squeeze %x : (tensor<1x3x1xf32>) -> tensor<3xf32>
  return %r : tensor<3xf32>
}

// CHECK-LABEL: func @squeeze_no_dims(
// CHECK: fxgraph.squeeze %{{.+}} dims [] : (tensor<1x3xf32>) -> tensor<1x3xf32>
func.func @squeeze_no_dims(%x: tensor<1x3xf32>) -> tensor<1x3xf32> {
  %r = fxgraph.squeeze %x dims [] : (tensor<1x3xf32>) -> tensor<1x3xf32>
  return %r : tensor<1x3xf32>
}

// CHECK-LABEL: func @unsqueeze(
// CHECK: fxgraph.unsqueeze %{{.+}} dim -1 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
func.func @unsqueeze(%x: tensor<2x3xf32>) -> tensor<2x3x1xf32> {
  %r = fxgraph.unsqueeze %x dim -1 : (tensor<2x3xf32>) -> tensor<2x3x1xf32>
  return %r : tensor<2x3x1xf32>
}

// CHECK-LABEL: func @expand(
// CHECK: fxgraph.expand %{{.+}} shape [4, -1, 3] : tensor<2x1xf32> -> tensor<4x2x3xf32>
func.func @expand(%x: tensor<2x1xf32>) -> tensor<4x2x3xf32> {
  %r = fxgraph.expand %x shape [4, -1, 3] : tensor<2x1xf32> -> tensor<4x2x3xf32>
  return %r : tensor<4x2x3xf32>
}

// CHECK-LABEL: func @expand_dynamic(
// CHECK: fxgraph.expand %{{.+}} shape [%{{.+}}, 3] : tensor<1x3xf32> -> tensor<?x3xf32>
func.func @expand_dynamic(%x: tensor<1x3xf32>, %n: index) -> tensor<?x3xf32> {
  %r = fxgraph.expand %x shape [%n, 3] : tensor<1x3xf32> -> tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: func @repeat(
// CHECK: fxgraph.repeat %{{.+}} by [2, 1, 3] : (tensor<2x3xf32>) -> tensor<2x2x9xf32>
func.func @repeat(%x: tensor<2x3xf32>) -> tensor<2x2x9xf32> {
  %r = fxgraph.repeat %x by [2, 1, 3] : (tensor<2x3xf32>) -> tensor<2x2x9xf32>
  return %r : tensor<2x2x9xf32>
}

// CHECK-LABEL: func @slice(
// CHECK: fxgraph.slice %{{.+}} dim 1 from 1 to 5 step 2 : (tensor<2x6xf32>) -> tensor<2x2xf32>
func.func @slice(%x: tensor<2x6xf32>) -> tensor<2x2xf32> {
  %r = fxgraph.slice %x dim 1 from 1 to 5 step 2 : (tensor<2x6xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// CHECK-LABEL: func @slice_open(
// CHECK: fxgraph.slice %{{.+}} dim -1 from -2 to 9223372036854775807 : (tensor<2x6xf32>) -> tensor<2x2xf32>
func.func @slice_open(%x: tensor<2x6xf32>) -> tensor<2x2xf32> {
  %r = fxgraph.slice %x dim -1 from -2 to 9223372036854775807 : (tensor<2x6xf32>) -> tensor<2x2xf32>
  return %r : tensor<2x2xf32>
}

// CHECK-LABEL: func @slice_empty(
// CHECK: fxgraph.slice %{{.+}} dim 0 from 2 to 1 : (tensor<2x6xf32>) -> tensor<0x6xf32>
func.func @slice_empty(%x: tensor<2x6xf32>) -> tensor<0x6xf32> {
  %r = fxgraph.slice %x dim 0 from 2 to 1 : (tensor<2x6xf32>) -> tensor<0x6xf32>
  return %r : tensor<0x6xf32>
}

// CHECK-LABEL: func @narrow(
// CHECK: fxgraph.narrow %{{.+}} dim -1 from %{{.+}} length %{{.+}} : tensor<2x6xf32> -> tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
func.func @narrow(%x: tensor<2x6xf32>, %a: index, %n: index) -> tensor<2x?xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.narrow %x dim -1 from %a length %n : tensor<2x6xf32> -> tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @narrow_known_length(
// CHECK: fxgraph.narrow %{{.+}} dim 0 from %{{.+}} length %{{.+}} : tensor<?x6xf32> -> tensor<1x6xf32>
func.func @narrow_known_length(%x: tensor<?x6xf32>, %a: index, %n: index) -> tensor<1x6xf32> {
  %r = fxgraph.narrow %x dim 0 from %a length %n : tensor<?x6xf32> -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}

// CHECK-LABEL: func @select(
// CHECK: fxgraph.select %{{.+}} dim 1 at -1 : (tensor<2x6xf32>) -> tensor<2xf32>
func.func @select(%x: tensor<2x6xf32>) -> tensor<2xf32> {
  %r = fxgraph.select %x dim 1 at -1 : (tensor<2x6xf32>) -> tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @flip(
// CHECK: fxgraph.flip %{{.+}} dims [0, -1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
func.func @flip(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.flip %x dims [0, -1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func @roll(
// CHECK: fxgraph.roll %{{.+}} by [1, -2] dims [0, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
func.func @roll(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.roll %x by [1, -2] dims [0, 1] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func @roll_flat(
// CHECK: fxgraph.roll %{{.+}} by [1] dims [] : (tensor<2x6xf32>) -> tensor<2x6xf32>
func.func @roll_flat(%x: tensor<2x6xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.roll %x by [1] dims [] : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func @constant_pad_nd(
// CHECK: fxgraph.constant_pad_nd %{{.+}} by [1, 2, 0, -1] value 5.000000e-01 : (tensor<2x3xf32>) -> tensor<1x6xf32>
func.func @constant_pad_nd(%x: tensor<2x3xf32>) -> tensor<1x6xf32> {
  %r = fxgraph.constant_pad_nd %x by [1, 2, 0, -1] value 5.000000e-01 : (tensor<2x3xf32>) -> tensor<1x6xf32>
  return %r : tensor<1x6xf32>
}

// CHECK-LABEL: func @triu(
// CHECK: fxgraph.triu %{{.+}} diagonal 1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
func.func @triu(%x: tensor<3x3xf32>) -> tensor<3x3xf32> {
  %r = fxgraph.triu %x diagonal 1 : (tensor<3x3xf32>) -> tensor<3x3xf32>
  return %r : tensor<3x3xf32>
}

// CHECK-LABEL: func @tril(
// CHECK: fxgraph.tril %{{.+}} : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
func.func @tril(%x: tensor<2x3x3xf32>) -> tensor<2x3x3xf32> {
  %r = fxgraph.tril %x : (tensor<2x3x3xf32>) -> tensor<2x3x3xf32>
  return %r : tensor<2x3x3xf32>
}

// CHECK-LABEL: func @slice_scatter(
// CHECK: fxgraph.slice_scatter %{{.+}}, %{{.+}} dim 1 from 0 to 2 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
func.func @slice_scatter(%x: tensor<2x6xf32>, %y: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.slice_scatter %x, %y dim 1 from 0 to 2 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func @slice_scatter_step(
// CHECK: fxgraph.slice_scatter %{{.+}}, %{{.+}} dim 1 from 1 to 6 step 3 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
func.func @slice_scatter_step(%x: tensor<2x6xf32>, %y: tensor<2x2xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.slice_scatter %x, %y dim 1 from 1 to 6 step 3 : (tensor<2x6xf32>, tensor<2x2xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func @select_scatter(
// CHECK: fxgraph.select_scatter %{{.+}}, %{{.+}} dim 0 at 1 : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
func.func @select_scatter(%x: tensor<2x6xf32>, %y: tensor<6xf32>) -> tensor<2x6xf32> {
  %r = fxgraph.select_scatter %x, %y dim 0 at 1 : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return %r : tensor<2x6xf32>
}

// CHECK-LABEL: func.func @view_dtype
// CHECK: fxgraph.view_dtype %{{.*}} : tensor<2x4xi32> to tensor<2x8xf16>
func.func @view_dtype(%x: tensor<2x4xi32>) -> tensor<2x8xf16> {
  %0 = fxgraph.view_dtype %x : tensor<2x4xi32> to tensor<2x8xf16>
  return %0 : tensor<2x8xf16>
}
