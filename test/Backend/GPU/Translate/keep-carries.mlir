// A 64-bit difference of a quotient, of which ptxas loses a carry where nothing is subtracted, is written as others.
// RUN: fx-translate %s --to=ptx --option=libraries=none --option=nest-config=kind=tiles,box=1x1x1x8x1x1x1,window=1,threads=8 -o - | FileCheck %s

// CHECK: mul.hi.u32 [[QUOTIENT:%r[0-9]+]],
// CHECK: cvt.u64.u32 [[WIDE:%rd[0-9]+]], [[QUOTIENT]];
// CHECK-NOT: sub.s64 {{.*}}, [[WIDE]],
// CHECK: {.reg .b64 %minuend;
// CHECK-NEXT: not.b64 %minuend, [[WIDE]];
// CHECK-NEXT: add.s64 %minuend, %minuend, [[OTHER:%rd[0-9]+]];
// CHECK-NEXT: not.b64 {{%rd[0-9]+}}, %minuend;}
// CHECK-NOT: sub.s64 {{.*}}, [[WIDE]],
// Other differences stay.
// CHECK: sub.s64
func.func @main(%x: tensor<2x96x55x66xf32>, %w: tensor<64x96x5x5xf32>) -> tensor<2x64x55x66xf32> {
  %0 = fxgraph.convolution %x, %w stride [1, 1] padding [2, 2] dilation [1, 1] output_padding [0, 0] : (tensor<2x96x55x66xf32>, tensor<64x96x5x5xf32>) -> tensor<2x64x55x66xf32>
  return %0 : tensor<2x64x55x66xf32>
}
