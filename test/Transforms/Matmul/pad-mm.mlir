// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true}))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda force-shape-pad=true numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: constant_pad_nd

// To multiples of 4 in f32 and 8 in 16 bits; a batch stays; what is aligned and what has extent 1 too.
// CHECK-LABEL: func.func @kinds
// CHECK-DAG: fxgraph.bmm {{.*}} (tensor<3x8x4xf32>, tensor<3x4x8xf32>) -> tensor<3x8x8xf32>
// CHECK-DAG: fxgraph.mm {{.*}} (tensor<8x8xf16>, tensor<8x16xf16>) -> tensor<8x16xf16>
// CHECK-DAG: fxgraph.mm {{.*}} (tensor<1x8xf32>, tensor<8x1xf32>) -> tensor<1x1xf32>
// CHECK-DAG: fxgraph.mm %arg6, %{{.+}} : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @kinds(%a: tensor<3x5x4xf32>, %b: tensor<3x4x6xf32>, %c: tensor<4x5xf16>, %d: tensor<5x9xf16>, %e: tensor<1x5xf32>, %f: tensor<5x1xf32>, %g: tensor<4x4xf32>, %h: tensor<4x7xf32>)
    -> (tensor<3x5x6xf32>, tensor<4x9xf16>, tensor<1x1xf32>, tensor<4x7xf32>) {
  %0 = fxgraph.bmm %a, %b : (tensor<3x5x4xf32>, tensor<3x4x6xf32>) -> tensor<3x5x6xf32>
  %1 = fxgraph.mm %c, %d : (tensor<4x5xf16>, tensor<5x9xf16>) -> tensor<4x9xf16>
  %2 = fxgraph.mm %e, %f : (tensor<1x5xf32>, tensor<5x1xf32>) -> tensor<1x1xf32>
  %3 = fxgraph.mm %g, %h : (tensor<4x4xf32>, tensor<4x7xf32>) -> tensor<4x7xf32>
  return %0, %1, %2, %3 : tensor<3x5x6xf32>, tensor<4x9xf16>, tensor<1x1xf32>, tensor<4x7xf32>
}

// The input of an addmm is padded where it does not broadcast; the factors stay.
// CHECK-LABEL: func.func @inputs
// CHECK: fxgraph.addmm {{.*}} beta 2.000000e+00 alpha 3.000000e+00 : (tensor<8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: fxgraph.addmm {{.*}} : (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: fxgraph.addmm {{.*}} : (tensor<1x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: fxgraph.addmm {{.*}} : (tensor<8x1xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
// CHECK: fxgraph.addmm %arg4, {{.*}} : (tensor<1xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
func.func @inputs(%v: tensor<7xf32>, %w: tensor<5x7xf32>, %x: tensor<1x7xf32>, %y: tensor<5x1xf32>, %z: tensor<1xf32>, %a: tensor<5x6xf32>, %b: tensor<6x7xf32>)
    -> (tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>) {
  %0 = fxgraph.addmm %v, %a, %b beta 2.0 alpha 3.0 : (tensor<7xf32>, tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %1 = fxgraph.addmm %w, %a, %b : (tensor<5x7xf32>, tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %2 = fxgraph.addmm %x, %a, %b : (tensor<1x7xf32>, tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %3 = fxgraph.addmm %y, %a, %b : (tensor<5x1xf32>, tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  %4 = fxgraph.addmm %z, %a, %b : (tensor<1xf32>, tensor<5x6xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  return %0, %1, %2, %3, %4 : tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>, tensor<5x7xf32>
}

// Extents that are not known stay; a summed one may be known on one side alone.
// CHECK-LABEL: func.func @symbols
// CHECK: fxgraph.mm {{.*}} (tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>, tensor<8x8xf32>) -> tensor<?x8xf32, #fxgraph.meta<dims = [s0]>>
// CHECK: fxgraph.slice {{.*}} -> tensor<?x7xf32, #fxgraph.meta<dims = [s0]>>
func.func @symbols(%a: tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>, %b: tensor<6x7xf32>) -> tensor<?x7xf32, #fxgraph.meta<dims = [s0]>> {
  %0 = fxgraph.mm %a, %b : (tensor<?x6xf32, #fxgraph.meta<dims = [s0]>>, tensor<6x7xf32>) -> tensor<?x7xf32, #fxgraph.meta<dims = [s0]>>
  return %0 : tensor<?x7xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func.func @sum_known_on_one_side
// CHECK: fxgraph.mm {{.*}} -> tensor<8x8xf32>
func.func @sum_known_on_one_side(%a: tensor<5x?xf32>, %b: tensor<6x7xf32>) -> tensor<5x7xf32> {
  %0 = fxgraph.mm %a, %b : (tensor<5x?xf32>, tensor<6x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
