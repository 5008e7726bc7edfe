// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm{cpu-max-other-dimension-decomposition=-2}))' 2>&1 | FileCheck %s --check-prefix=BOUND

// BOUND: error: fxgraph-matmul-decompose-mm: expected cpu-max-other-dimension-decomposition of 0 or more but got -2

// CHECK-NOT: fxgraph.sum

// Inductor does not look at the factors.
// REMARK-DAG: remark: [Missed] decompose_addmm | Category:fxgraph-matmul-decompose-mm | Remark="alpha and beta are not 1"
func.func @factors(%x: tensor<3xf32>, %a: tensor<1x4xf32>, %b: tensor<4x3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %0 = fxgraph.addmm %x, %a, %b beta 0.0 : (tensor<3xf32>, tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  %1 = fxgraph.addmm %x, %a, %b alpha 2.0 : (tensor<3xf32>, tensor<1x4xf32>, tensor<4x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<1x3xf32>, tensor<1x3xf32>
}

// Two rows, two matrices, long rows: Inductor's test on the CPU. On the GPU: few rows, wide
// matrices, a small batch.
// REMARK-DAG: remark: [Missed] decompose_mm | {{.*}} | Remark="the extents are not known to be those of a product that memory bounds"
// REMARK-DAG: remark: [Missed] decompose_bmm | {{.*}} | Remark="the extents are not known to be those of a product that memory bounds"
!gpu = tensor<2048x2xf32, #fxgraph.meta<device = "cuda">>
!wide = tensor<20480x32xf32, #fxgraph.meta<device = "cuda">>
func.func @extents(%a: tensor<2x4xf32>, %b: tensor<4x3xf32>, %c: tensor<2x4x4xf32>, %d: tensor<1x2049xf32>, %e: tensor<2049x3xf32>, %f: !gpu, %g: tensor<2x2xf32, #fxgraph.meta<device = "cuda">>, %h: !wide,
    %i: tensor<32x2xf32, #fxgraph.meta<device = "cuda">>, %j: tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>)
    -> (tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<1x3xf32>, !gpu, tensor<20480x2xf32, #fxgraph.meta<device = "cuda">>, tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>) {
  %0 = fxgraph.mm %a, %b : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %1 = fxgraph.bmm %c, %c : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %2 = fxgraph.mm %d, %e : (tensor<1x2049xf32>, tensor<2049x3xf32>) -> tensor<1x3xf32>
  %3 = fxgraph.mm %f, %g : (!gpu, tensor<2x2xf32, #fxgraph.meta<device = "cuda">>) -> !gpu
  %4 = fxgraph.mm %h, %i : (!wide, tensor<32x2xf32, #fxgraph.meta<device = "cuda">>) -> tensor<20480x2xf32, #fxgraph.meta<device = "cuda">>
  %5 = fxgraph.bmm %j, %j : (tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>, tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>) -> tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>
  return %0, %1, %2, %3, %4, %5 : tensor<2x3xf32>, tensor<2x4x4xf32>, tensor<1x3xf32>, !gpu, tensor<20480x2xf32, #fxgraph.meta<device = "cuda">>, tensor<2000x2x2xf32, #fxgraph.meta<device = "cuda">>
}

// REMARK-DAG: Remark="the product is neither on a GPU nor on the CPU"
func.func @other_device(%a: tensor<1x4xf32, #fxgraph.meta<device = "hpu">>, %b: tensor<4x3xf32, #fxgraph.meta<device = "hpu">>) -> tensor<1x3xf32, #fxgraph.meta<device = "hpu">> {
  %0 = fxgraph.mm %a, %b : (tensor<1x4xf32, #fxgraph.meta<device = "hpu">>, tensor<4x3xf32, #fxgraph.meta<device = "hpu">>) -> tensor<1x3xf32, #fxgraph.meta<device = "hpu">>
  return %0 : tensor<1x3xf32, #fxgraph.meta<device = "hpu">>
}
