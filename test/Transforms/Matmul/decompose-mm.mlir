// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm{skip-dynamic-shape-dim-check=true}))' | FileCheck %s --check-prefix=UNKNOWN
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm{default-device=cuda min-first-dimension-decomposition=3 max-other-dimension-decomposition=5}))' | FileCheck %s --check-prefix=GPU
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm{cpu-max-first-dimension-decomposition=9 cpu-max-other-dimension-decomposition=4}))' | FileCheck %s --check-prefix=BOUNDS
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-decompose-mm{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

// EXACT-NOT: fxgraph.sum

// 16 bits are multiplied and summed in 32.
// CHECK-LABEL: func.func @half
// CHECK: fxgraph.mul {{.*}} -> tensor<1x4x3xf32>
// CHECK: fxgraph.sum {{.*}} -> tensor<1x3xf32>
// CHECK: fxgraph.add {{.*}} -> tensor<1x3xf32>
// CHECK: fxgraph.convert_element_type {{.*}} -> tensor<1x3xf16>
func.func @half(%x: tensor<3xf16>, %a: tensor<1x4xf16>, %b: tensor<4x3xf16>) -> tensor<1x3xf16> {
  %r = fxgraph.addmm %x, %a, %b : (tensor<3xf16>, tensor<1x4xf16>, tensor<4x3xf16>) -> tensor<1x3xf16>
  return %r : tensor<1x3xf16>
}

// Integers wrap as a product does.
// CHECK-LABEL: func.func @integers
// CHECK: fxgraph.sum {{.*}} -> tensor<1x3xi64>
// CHECK: fxgraph.convert_element_type {{.*}} -> tensor<1x3xi32>
// CHECK: fxgraph.add {{.*}} -> tensor<1x3xi32>
func.func @integers(%x: tensor<3xi32>, %a: tensor<1x4xi32>, %b: tensor<4x3xi32>) -> tensor<1x3xi32> {
  %r = fxgraph.addmm %x, %a, %b : (tensor<3xi32>, tensor<1x4xi32>, tensor<4x3xi32>) -> tensor<1x3xi32>
  return %r : tensor<1x3xi32>
}

// No rows; nothing summed.
// CHECK-LABEL: func.func @empty
// CHECK-COUNT-2: fxgraph.sum
func.func @empty(%a: tensor<0x4xf32>, %b: tensor<4x3xf32>, %c: tensor<1x0xf32>, %d: tensor<0x3xf32>) -> (tensor<0x3xf32>, tensor<1x3xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<0x4xf32>, tensor<4x3xf32>) -> tensor<0x3xf32>
  %1 = fxgraph.mm %c, %d : (tensor<1x0xf32>, tensor<0x3xf32>) -> tensor<1x3xf32>
  return %0, %1 : tensor<0x3xf32>, tensor<1x3xf32>
}

// Unknown extents fit only if they are taken to.
// CHECK-LABEL: func.func @unknown
// CHECK-NOT: fxgraph.sum
// UNKNOWN-LABEL: func.func @unknown
// UNKNOWN-COUNT-3: fxgraph.sum
// UNKNOWN: return
func.func @unknown(%a: tensor<?x4xf32>, %b: tensor<4x?xf32>, %s: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %w: tensor<4x3xf32>, %k: tensor<1x?xf32>, %v: tensor<?x3xf32>)
    -> (tensor<?x?xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x3xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<?x4xf32>, tensor<4x?xf32>) -> tensor<?x?xf32>
  %1 = fxgraph.mm %s, %w : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %2 = fxgraph.mm %k, %v : (tensor<1x?xf32>, tensor<?x3xf32>) -> tensor<1x3xf32>
  return %0, %1, %2 : tensor<?x?xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x3xf32>
}

// The bounds: rows at least 3, others below 5; two of three extents for a batch.
// GPU-LABEL: func.func @bounds
// GPU: fxgraph.sum {{.*}}(tensor<3x4x4xf32>)
// GPU: fxgraph.mm %arg0, %arg2
// GPU: fxgraph.mm %arg3, %arg1
// GPU: fxgraph.sum {{.*}}(tensor<3x9x4x4xf32>)
// GPU: fxgraph.bmm
// CHECK-LABEL: func.func @bounds
// CHECK-NOT: fxgraph.sum
// BOUNDS-LABEL: func.func @bounds
// BOUNDS: fxgraph.sum {{.*}}(tensor<3x4x4xf32>)
// BOUNDS: fxgraph.mm %arg0, %arg2
// BOUNDS: fxgraph.sum {{.*}}(tensor<2x4x4xf32>)
// BOUNDS: fxgraph.sum {{.*}}(tensor<3x9x4x4xf32>)
// BOUNDS: fxgraph.sum {{.*}}(tensor<3x9x9x4xf32>)
func.func @bounds(%a: tensor<3x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4x9xf32>, %d: tensor<2x4xf32>, %e: tensor<3x9x4xf32>, %f: tensor<3x4x4xf32>, %g: tensor<3x9x9xf32>)
    -> (tensor<3x4xf32>, tensor<3x9xf32>, tensor<2x4xf32>, tensor<3x9x4xf32>, tensor<3x9x4xf32>) {
  %0 = fxgraph.mm %a, %b : (tensor<3x4xf32>, tensor<4x4xf32>) -> tensor<3x4xf32>
  %1 = fxgraph.mm %a, %c : (tensor<3x4xf32>, tensor<4x9xf32>) -> tensor<3x9xf32>
  %2 = fxgraph.mm %d, %b : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %3 = fxgraph.bmm %e, %f : (tensor<3x9x4xf32>, tensor<3x4x4xf32>) -> tensor<3x9x4xf32>
  %4 = fxgraph.bmm %g, %e : (tensor<3x9x9xf32>, tensor<3x9x4xf32>) -> tensor<3x9x4xf32>
  return %0, %1, %2, %3, %4 : tensor<3x4xf32>, tensor<3x9xf32>, tensor<2x4xf32>, tensor<3x9x4xf32>, tensor<3x9x4xf32>
}
