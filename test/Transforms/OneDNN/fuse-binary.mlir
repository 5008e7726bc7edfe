// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-binary,fxgraph-onednn-fuse-unary))' | FileCheck %s --check-prefix=UNARY

!x = tensor<4x4xf32>
!b = tensor<4xf32>

// CHECK-LABEL: func.func @all
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 bias %arg2 binary "add" with %arg3
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 binary "add" with %arg3
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 binary "sub" with %arg3
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 binary "mul" with %arg3
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 binary "mul" with %arg3
// CHECK-NEXT: return
func.func @all(%x: !x, %w: !x, %b: !b, %y: !x) -> (!x, !x, !x, !x, !x) {
  %p0 = fxgraph.linear_pointwise %x, %w bias %b : (!x, !x, !b) -> !x
  %0 = fxgraph.add %p0, %y : (!x, !x) -> !x
  %p1 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.add %y, %p1 : (!x, !x) -> !x
  %p2 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %2 = fxgraph.sub %p2, %y : (!x, !x) -> !x
  %p3 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %3 = fxgraph.mul %p3, %y : (!x, !x) -> !x
  %p4 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %4 = fxgraph.mul %y, %p4 : (!x, !x) -> !x
  return %0, %1, %2, %3, %4 : !x, !x, !x, !x, !x
}

// Of two products one takes the other; then the activation.
// CHECK-LABEL: func.func @two
// CHECK-NEXT: %[[Q:.+]] = fxgraph.linear_pointwise %arg1, %arg0 :
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 binary "add" with %[[Q]]
// CHECK-NEXT: fxgraph.relu %[[R]]
// UNARY-LABEL: func.func @two
// UNARY: fxgraph.linear_pointwise %arg0, %arg1 binary "add" with %{{.*}} activation "relu"
// UNARY-NEXT: return
func.func @two(%x: !x, %w: !x) -> !x {
  %0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %1 = fxgraph.linear_pointwise %w, %x : (!x, !x) -> !x
  %2 = fxgraph.add %0, %1 : (!x, !x) -> !x
  %3 = fxgraph.relu %2 : !x
  return %3 : !x
}

// The other tensor is the product's own input; symbols; no rows; 16 bits.
// CHECK-LABEL: func.func @kinds
// CHECK-COUNT-4: binary "add"
// CHECK-NEXT: return
func.func @kinds(%x: !x, %w: !x, %s: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %e: tensor<0x4xf32>, %h: tensor<4x4xbf16>)
    -> (!x, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>, tensor<4x4xbf16>) {
  %p0 = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %0 = fxgraph.add %p0, %x : (!x, !x) -> !x
  %p1 = fxgraph.linear_pointwise %s, %w : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, !x) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.add %p1, %s : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %p2 = fxgraph.linear_pointwise %e, %w : (tensor<0x4xf32>, !x) -> tensor<0x4xf32>
  %2 = fxgraph.add %p2, %e : (tensor<0x4xf32>, tensor<0x4xf32>) -> tensor<0x4xf32>
  %p3 = fxgraph.linear_pointwise %h, %h : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %3 = fxgraph.add %p3, %h : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  return %0, %1, %2, %3 : !x, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>, tensor<4x4xbf16>
}

// CHECK-LABEL: func.func @convolution
// CHECK-NEXT: fxgraph.convolution_pointwise %arg0, %arg1 binary "add" with %arg2 stride [1, 1]
// CHECK-NEXT: return
func.func @convolution(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %y: tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32> {
  %0 = fxgraph.convolution_pointwise %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = fxgraph.add %y, %0 : (tensor<1x4x8x8xf32>, tensor<1x4x8x8xf32>) -> tensor<1x4x8x8xf32>
  return %1 : tensor<1x4x8x8xf32>
}
