// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm{numerics=relaxed}))' | FileCheck %s --check-prefixes=CHECK,RELAXED
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm{numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// RUN: not fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm{default-device=gpu}))' 2>&1 | FileCheck %s --check-prefix=DEVICE

// DEVICE: error: fxgraph-matmul-addmm: expected a device type among cpu, cuda, {{.*}} but got 'gpu'
// EXACT-NOT: fxgraph.addmm

// What broadcasts: rows, columns, single values, a tensor of rank 0.
// CHECK-LABEL: func.func @broadcasts
// CHECK-COUNT-5: fxgraph.addmm
// CHECK-NOT: fxgraph.add{{ }}
func.func @broadcasts(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %row: tensor<1x3xf32>, %column: tensor<4x1xf32>, %one: tensor<1xf32>, %scalar: tensor<f32>, %full: tensor<4x3xf32>)
    -> (tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %p0 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.add %p0, %row : (tensor<4x3xf32>, tensor<1x3xf32>) -> tensor<4x3xf32>
  %p1 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %1 = fxgraph.add %column, %p1 : (tensor<4x1xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %p2 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %2 = fxgraph.add %p2, %one : (tensor<4x3xf32>, tensor<1xf32>) -> tensor<4x3xf32>
  %p3 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %3 = fxgraph.add %scalar, %p3 : (tensor<f32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  %p4 = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %4 = fxgraph.add %p4, %full : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return %0, %1, %2, %3, %4 : tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

// Of two products the second is taken, as in Inductor.
// CHECK-LABEL: func.func @two_products
// CHECK: %[[P:.+]] = fxgraph.mm %arg0, %arg1
// CHECK: fxgraph.addmm %[[P]], %arg1, %arg0
func.func @two_products(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %p = fxgraph.mm %a, %b : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %q = fxgraph.mm %b, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %r = fxgraph.add %p, %q : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %r : tensor<4x4xf32>
}

// Empty products; symbols that are the same; integers, which are exact.
// CHECK-LABEL: func.func @empty_and_symbols
// CHECK-COUNT-3: fxgraph.addmm
func.func @empty_and_symbols(%a: tensor<4x0xf32>, %b: tensor<0x3xf32>, %x: tensor<3xf32>, %c: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %d: tensor<4x3xf32>, %y: tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>,
    %e: tensor<2x3xi32>, %f: tensor<3x5xi32>, %z: tensor<5xi32>) -> (tensor<4x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<2x5xi32>) {
  %p = fxgraph.mm %a, %b : (tensor<4x0xf32>, tensor<0x3xf32>) -> tensor<4x3xf32>
  %0 = fxgraph.add %p, %x : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %q = fxgraph.mm %c, %d : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<4x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %1 = fxgraph.add %y, %q : (tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %r = fxgraph.mm %e, %f : (tensor<2x3xi32>, tensor<3x5xi32>) -> tensor<2x5xi32>
  %2 = fxgraph.add %r, %z : (tensor<2x5xi32>, tensor<5xi32>) -> tensor<2x5xi32>
  return %0, %1, %2 : tensor<4x3xf32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>, tensor<2x5xi32>
}

// In 16 bits the product no longer rounds before the sum.
// CHECK-LABEL: func.func @sixteen_bits
// RELAXED: fxgraph.addmm
func.func @sixteen_bits(%a: tensor<4x8xbf16>, %b: tensor<8x3xbf16>, %x: tensor<3xbf16>) -> tensor<4x3xbf16> {
  %p = fxgraph.mm %a, %b : (tensor<4x8xbf16>, tensor<8x3xbf16>) -> tensor<4x3xbf16>
  %r = fxgraph.add %p, %x : (tensor<4x3xbf16>, tensor<3xbf16>) -> tensor<4x3xbf16>
  return %r : tensor<4x3xbf16>
}

// A dead user of the product does not count; elementwise users do not matter on the CPU.
// CHECK-LABEL: func.func @dead_user
// CHECK: fxgraph.addmm
// CHECK-NEXT: fxgraph.relu
func.func @dead_user(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<3xf32>) -> tensor<4x3xf32> {
  %p = fxgraph.mm %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
  %dead = fxgraph.relu %p : tensor<4x3xf32>
  %s = fxgraph.add %p, %x : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %r = fxgraph.relu %s : tensor<4x3xf32>
  return %r : tensor<4x3xf32>
}
