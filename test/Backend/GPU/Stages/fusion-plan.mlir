// How the planner groups ops; each case has a twin that must not fuse.
// RUN: fx-opt %s --fxgraph-print-fusion-plan=libraries=always -o /dev/null | FileCheck %s

// Pointwise ops and a broadcast: one kernel.
// CHECK-LABEL: plan of @pointwise
// CHECK-NEXT: kernel [64, 32] {mul, add, relu} -> %{{.*}} reads %arg2 %arg0 %arg1
// CHECK-NOT: kernel
func.func @pointwise(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>, %b: tensor<32xf32>) -> tensor<64x32xf32> {
  %0 = fxgraph.mul %x, %y : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = fxgraph.add %0, %b : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %2 = fxgraph.relu %1 : tensor<64x32xf32>
  return %2 : tensor<64x32xf32>
}

// A residual that is needed twice is stored by the kernel that computes it first.
// CHECK-LABEL: plan of @residual
// CHECK-NEXT: kernel [1024, 64r] {add, layer_norm} -> [[N:%[0-9]+]] [[S:%[0-9]+]] reads
// CHECK-NEXT: library fxgraph.mm -> [[M:%[0-9]+]]
// CHECK-NEXT: kernel [1024, 64] {add} -> %{{[0-9]+}} reads [[S]] [[M]]
// CHECK-NOT: kernel
func.func @residual(%x: tensor<1024x64xf32>, %y: tensor<1024x64xf32>, %w: tensor<64x64xf32>) -> tensor<1024x64xf32> {
  %0 = fxgraph.add %x, %y : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %1 = fxgraph.layer_norm %0 over [64] eps 1.0e-05 : (tensor<1024x64xf32>) -> tensor<1024x64xf32>
  %2 = fxgraph.mm %1, %w : (tensor<1024x64xf32>, tensor<64x64xf32>) -> tensor<1024x64xf32>
  %3 = fxgraph.add %0, %2 : (tensor<1024x64xf32>, tensor<1024x64xf32>) -> tensor<1024x64xf32>
  return %3 : tensor<1024x64xf32>
}

// What kernels need that run over the same elements is computed by each of them, and once where they become one.
// CHECK-LABEL: plan of @siblings
// CHECK-NEXT: kernel [64, 32r] {add, layer_norm} -> %{{[0-9]+}} reads %arg0 %arg1
// CHECK-NEXT: kernel [64, 32] {add, {{(constant, )?}}mul} -> %{{[0-9]+}} reads
// CHECK-NOT: kernel
func.func @siblings(%x: tensor<64x32xbf16>, %y: tensor<64x32xbf16>) -> (tensor<64x32xbf16>, tensor<64x32xbf16>) {
  %0 = fxgraph.add %x, %y : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xbf16>
  %1 = fxgraph.layer_norm %0 over [32] eps 1.0e-05 : (tensor<64x32xbf16>) -> tensor<64x32xbf16>
  %2 = fxgraph.mul %0, %y : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xbf16>
  return %1, %2 : tensor<64x32xbf16>, tensor<64x32xbf16>
}

// One that runs over other elements reads it from memory.
// CHECK-LABEL: plan of @no_siblings
// CHECK-NEXT: kernel [64, 32] {tanh} -> [[T:%[0-9]+]]
// CHECK-COUNT-2: reads [[T]]
// CHECK-NOT: kernel
func.func @no_siblings(%x: tensor<64x32xbf16>) -> (tensor<64xbf16>, tensor<128x32xbf16>) {
  %0 = fxgraph.tanh %x : tensor<64x32xbf16>
  %1 = fxgraph.sum %0 dims [1] : (tensor<64x32xbf16>) -> tensor<64xbf16>
  %2 = fxgraph.repeat %0 by [2, 1] : (tensor<64x32xbf16>) -> tensor<128x32xbf16>
  %3 = fxgraph.exp %2 : tensor<128x32xbf16>
  return %1, %3 : tensor<64xbf16>, tensor<128x32xbf16>
}

// Views of library results cost nothing, in either direction: the transposed
// weight is a flag of the call, slices are offsets.
// CHECK-LABEL: plan of @free_views
// CHECK-NEXT: library fxgraph.addmm -> [[M:%[0-9]+]]
// CHECK-NEXT: library fxgraph.mm -> %
// CHECK-NEXT: part
// CHECK-NEXT: part
// CHECK-NOT: kernel
func.func @free_views(%x: tensor<2x4x16xf32>, %w: tensor<32x16xf32>, %b: tensor<32xf32>, %v: tensor<16x8xf32>) -> tensor<8x8xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<2x4x16xf32>, tensor<32x16xf32>, tensor<32xf32>) -> tensor<2x4x32xf32>
  %1 = fxgraph.slice %0 dim 2 from 16 to 32 : (tensor<2x4x32xf32>) -> tensor<2x4x16xf32>
  %2 = fxgraph.reshape %1 shape [8, 16] : tensor<2x4x16xf32> -> tensor<8x16xf32>
  %3 = fxgraph.mm %2, %v : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// The pieces of a cat are computed in place: no copy.
// CHECK-LABEL: plan of @cat_in_place
// CHECK-NEXT: library fxgraph.mm -> [[A:%[0-9]+]]
// CHECK-NEXT: library fxgraph.mm -> [[B:%[0-9]+]]
// CHECK-NEXT: kernel [8, 16] {tanh} -> [[C:%[0-9]+]] reads [[B]]
// CHECK-NEXT: part [[C]] of [[CAT:%[0-9]+]] offset 16 strides [32, 1]
// CHECK-NEXT: part [[A]] of [[CAT]] offset 0 strides [32, 1]
func.func @cat_in_place(%x: tensor<8x16xf32>, %v: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x32xf32> {
  %0 = fxgraph.mm %x, %v : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %1 = fxgraph.mm %x, %w : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = fxgraph.tanh %1 : tensor<8x16xf32>
  %3 = fxgraph.cat %0, %2 dim 1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %3 : tensor<8x32xf32>
}

// Pieces that are less than what memory is written in at once: one kernel chooses. The twins: a small result, longer pieces, single
// elements of one function (not of two), and pieces that have a kernel of their own.
// CHECK-LABEL: plan of @cat_thin
// CHECK-NEXT: kernel {{.*}} {exp, cat} -> %{{[0-9]+}}
// CHECK-NOT: kernel
func.func @cat_thin(%x: tensor<90000x8xf32>, %y: tensor<90000x3xf32>, %z: tensor<90000x4xf32>) -> tensor<90000x15xf32> {
  %0 = fxgraph.exp %y : tensor<90000x3xf32>
  %1 = fxgraph.cat %x, %0, %z dim 1 : (tensor<90000x8xf32>, tensor<90000x3xf32>, tensor<90000x4xf32>) -> tensor<90000x15xf32>
  return %1 : tensor<90000x15xf32>
}
// Blocks put rows of several pieces of 16 bits together (JoinedRows.h), but for pieces that lie across.
// CHECK-LABEL: plan of @cat_joined
// CHECK-COUNT-3: kernel
func.func @cat_joined(%x: tensor<90000x8xbf16>, %y: tensor<90000x3xbf16>, %z: tensor<90000x4xbf16>) -> tensor<90000x15xbf16> {
  %0 = fxgraph.exp %y : tensor<90000x3xbf16>
  %1 = fxgraph.cat %x, %0, %z dim 1 : (tensor<90000x8xbf16>, tensor<90000x3xbf16>, tensor<90000x4xbf16>) -> tensor<90000x15xbf16>
  return %1 : tensor<90000x15xbf16>
}
// CHECK-LABEL: plan of @cat_across
// CHECK-NEXT: kernel {{.*}} {transpose, cat} -> %{{[0-9]+}}
// CHECK-NOT: kernel
func.func @cat_across(%x: tensor<90000x8xbf16>, %y: tensor<3x90000xbf16>, %z: tensor<90000x4xbf16>) -> tensor<90000x15xbf16> {
  %0 = fxgraph.transpose %y dims 0, 1 : (tensor<3x90000xbf16>) -> tensor<90000x3xbf16>
  %1 = fxgraph.cat %x, %0, %z dim 1 : (tensor<90000x8xbf16>, tensor<90000x3xbf16>, tensor<90000x4xbf16>) -> tensor<90000x15xbf16>
  return %1 : tensor<90000x15xbf16>
}
// CHECK-LABEL: plan of @cat_small
// CHECK-COUNT-3: kernel
func.func @cat_small(%x: tensor<900x8xbf16>, %y: tensor<900x3xbf16>, %z: tensor<900x4xbf16>) -> tensor<900x15xbf16> {
  %0 = fxgraph.exp %y : tensor<900x3xbf16>
  %1 = fxgraph.cat %x, %0, %z dim 1 : (tensor<900x8xbf16>, tensor<900x3xbf16>, tensor<900x4xbf16>) -> tensor<900x15xbf16>
  return %1 : tensor<900x15xbf16>
}
// CHECK-LABEL: plan of @cat_long
// CHECK-COUNT-2: kernel
func.func @cat_long(%x: tensor<90000x31xbf16>, %y: tensor<90000x29xbf16>) -> tensor<90000x60xbf16> {
  %0 = fxgraph.exp %y : tensor<90000x29xbf16>
  %1 = fxgraph.cat %x, %0 dim 1 : (tensor<90000x31xbf16>, tensor<90000x29xbf16>) -> tensor<90000x60xbf16>
  return %1 : tensor<90000x60xbf16>
}
// CHECK-LABEL: plan of @cat_elements
// CHECK-COUNT-2: kernel
func.func @cat_elements(%x: tensor<900000xbf16>, %y: tensor<900000xbf16>) -> tensor<900000x2xbf16> {
  %0 = fxgraph.exp %x : tensor<900000xbf16>
  %1 = fxgraph.exp %y : tensor<900000xbf16>
  %2 = fxgraph.stack %0, %1 dim 1 : (tensor<900000xbf16>, tensor<900000xbf16>) -> tensor<900000x2xbf16>
  return %2 : tensor<900000x2xbf16>
}
// CHECK-LABEL: plan of @cat_functions
// CHECK-NEXT: kernel {{.*}} {exp, neg, stack} -> %{{[0-9]+}}
// CHECK-NOT: kernel
func.func @cat_functions(%x: tensor<900000xbf16>, %y: tensor<900000xbf16>) -> tensor<900000x2xbf16> {
  %0 = fxgraph.exp %x : tensor<900000xbf16>
  %1 = fxgraph.neg %y : tensor<900000xbf16>
  %2 = fxgraph.stack %0, %1 dim 1 : (tensor<900000xbf16>, tensor<900000xbf16>) -> tensor<900000x2xbf16>
  return %2 : tensor<900000x2xbf16>
}
// CHECK-LABEL: plan of @cat_of_product
// CHECK: library fxgraph.mm
func.func @cat_of_product(%x: tensor<90000x64xbf16>, %w: tensor<64x8xbf16>, %y: tensor<90000x8xbf16>) -> tensor<90000x16xbf16> {
  %0 = fxgraph.mm %x, %w : (tensor<90000x64xbf16>, tensor<64x8xbf16>) -> tensor<90000x8xbf16>
  %1 = fxgraph.cat %0, %y dim 1 : (tensor<90000x8xbf16>, tensor<90000x8xbf16>) -> tensor<90000x16xbf16>
  return %1 : tensor<90000x16xbf16>
}

// The twin: an argument cannot be computed in place, and a piece that is
// returned has memory of its own (one kernel stores it to both places).
// CHECK-LABEL: plan of @cat_copies
// CHECK-NEXT: kernel [8, 16] {} -> [[CAT:%[0-9]+]] reads %arg0
// CHECK-NEXT: kernel [8, 16] {tanh} -> [[CAT]] %{{[0-9]+}} reads %arg1
// CHECK-NOT: part
func.func @cat_copies(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8x32xf32>, tensor<8x16xf32>) {
  %0 = fxgraph.tanh %y : tensor<8x16xf32>
  %1 = fxgraph.cat %x, %0 dim 1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  return %1, %0 : tensor<8x32xf32>, tensor<8x16xf32>
}

// A reduction joins the kernel whose rows are its rows …
// CHECK-LABEL: plan of @center
// CHECK-NEXT: kernel [128, 64r] {mean, sub} -> %{{[0-9]+}} reads %arg0
// CHECK-NOT: kernel
func.func @center(%x: tensor<128x64xf32>) -> tensor<128x64xf32> {
  %0 = fxgraph.mean %x dims [1] keepdim true : (tensor<128x64xf32>) -> tensor<128x1xf32>
  %1 = fxgraph.sub %x, %0 : (tensor<128x64xf32>, tensor<128x1xf32>) -> tensor<128x64xf32>
  return %1 : tensor<128x64xf32>
}

// … but not one whose rows differ from it.
// CHECK-LABEL: plan of @center_other_rows
// CHECK-NEXT: kernel [128, 1, 64r] {mean} -> [[M:%[0-9]+]] reads %arg0
// CHECK-NEXT: kernel [128, 128] {sub} -> %{{[0-9]+}} reads %arg1 [[M]]
func.func @center_other_rows(%x: tensor<128x64xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %0 = fxgraph.mean %x dims [1] keepdim true : (tensor<128x64xf32>) -> tensor<128x1xf32>
  %1 = fxgraph.sub %y, %0 : (tensor<128x128xf32>, tensor<128x1xf32>) -> tensor<128x128xf32>
  return %1 : tensor<128x128xf32>
}

// No cycle: b depends on a through the product, so that a and b cannot be one
// kernel although both read x.
// CHECK-LABEL: plan of @no_cycle
// CHECK-NEXT: kernel [16, 16] {exp} -> [[A:%[0-9]+]] reads %arg0
// CHECK-NEXT: library fxgraph.mm -> [[M:%[0-9]+]]
// CHECK-NEXT: kernel [16, 16] {add} -> %{{[0-9]+}} reads [[A]] [[M]]
func.func @no_cycle(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %0 = fxgraph.exp %x : tensor<16x16xf32>
  %1 = fxgraph.mm %0, %x : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = fxgraph.add %0, %1 : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

// The kernel that reads all rows stores them; one that reads the first rows alone does not.
// CHECK-LABEL: plan of @all_rows
// CHECK-NEXT: kernel [9, 4r] {tanh, sum} -> %{{[0-9]+}} %{{[0-9]+}} reads %arg0
// CHECK-NOT: kernel
func.func @all_rows(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<9xf32>) {
  %0 = fxgraph.tanh %x : tensor<9x4xf32>
  %1 = fxgraph.sum %0 dims [1] : (tensor<9x4xf32>) -> tensor<9xf32>
  return %0, %1 : tensor<9x4xf32>, tensor<9xf32>
}

// CHECK-LABEL: plan of @first_rows
// CHECK-NEXT: kernel [9, 4] {tanh} -> [[A:%[0-9]+]] reads %arg0
// CHECK-NEXT: kernel [5, 4r] {slice, sum} -> %{{[0-9]+}} reads [[A]]
func.func @first_rows(%x: tensor<9x4xf32>) -> (tensor<9x4xf32>, tensor<5xf32>) {
  %0 = fxgraph.tanh %x : tensor<9x4xf32>
  %1 = fxgraph.slice %0 dim 0 from 0 to 5 : (tensor<9x4xf32>) -> tensor<5x4xf32>
  %2 = fxgraph.sum %1 dims [1] : (tensor<5x4xf32>) -> tensor<5xf32>
  return %0, %2 : tensor<9x4xf32>, tensor<5xf32>
}

// A dimension that is taken apart in three and put together again is the same: its values are stored by the kernel that reads them so.
// CHECK-LABEL: plan of @taken_apart
// CHECK-NEXT: kernel [576] {exp, reshape, neg, reshape, tanh} -> %{{[0-9]+}} %{{[0-9]+}} reads %arg0
// CHECK-NOT: kernel
func.func @taken_apart(%x: tensor<576xf32>) -> (tensor<576xf32>, tensor<576xf32>) {
  %0 = fxgraph.exp %x : tensor<576xf32>
  %1 = fxgraph.reshape %0 shape [3, 12, 16] : tensor<576xf32> -> tensor<3x12x16xf32>
  %2 = fxgraph.neg %1 : tensor<3x12x16xf32>
  %3 = fxgraph.reshape %2 shape [576] : tensor<3x12x16xf32> -> tensor<576xf32>
  %4 = fxgraph.tanh %3 : tensor<576xf32>
  return %0, %4 : tensor<576xf32>, tensor<576xf32>
}

// CHECK-LABEL: plan of @taken_apart_otherwise
// CHECK-NEXT: kernel [576] {exp} -> [[A:%[0-9]+]] reads %arg0
// CHECK-NEXT: kernel [576] {reshape, permute, reshape, tanh} -> %{{[0-9]+}} reads [[A]]
func.func @taken_apart_otherwise(%x: tensor<576xf32>) -> (tensor<576xf32>, tensor<576xf32>) {
  %0 = fxgraph.exp %x : tensor<576xf32>
  %1 = fxgraph.reshape %0 shape [3, 12, 16] : tensor<576xf32> -> tensor<3x12x16xf32>
  %2 = fxgraph.permute %1 dims [2, 1, 0] : (tensor<3x12x16xf32>) -> tensor<16x12x3xf32>
  %3 = fxgraph.reshape %2 shape [576] : tensor<16x12x3xf32> -> tensor<576xf32>
  %4 = fxgraph.tanh %3 : tensor<576xf32>
  return %0, %4 : tensor<576xf32>, tensor<576xf32>
}
