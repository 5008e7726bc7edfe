// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=cuda}))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=cuda}))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=cuda numerics=relaxed keep-addmm-fused-for-half-dtypes=false}))' | FileCheck %s --check-prefix=HALF
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=xpu numerics=relaxed}))' | FileCheck %s --check-prefix=XPU
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{default-device=cuda numerics=exact}))' | FileCheck %s --check-prefix=EXACT
// The addmm is not made again: both passes ask the same question.
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-matmul-addmm{default-device=cuda}))' | FileCheck %s

// EXACT-COUNT-7: fxgraph.addmm

// Inductor's test_addmm_alpha_beta_with_pointwise, and one factor alone.
// CHECK-LABEL: func.func @scaled
// CHECK-DAG: %[[BETA:.+]] = fxgraph.constant dense<2.000000e-01> : tensor<f64>
// CHECK-DAG: %[[X:.+]] = fxgraph.mul %arg0, %[[BETA]]
// CHECK-DAG: %[[P:.+]] = fxgraph.mm %arg1, %arg2
// CHECK: fxgraph.add %[[X]], %[[P]] alpha 8.000000e-01
// CHECK: fxgraph.add %arg0, %{{.+}} alpha 3.000000e+00
// CHECK-NOT: fxgraph.addmm
func.func @scaled(%x: tensor<4x4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>) {
  %0 = fxgraph.addmm %x, %a, %b beta 0.2 alpha 0.8 : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.relu %0 : tensor<4x4xf32>
  %2 = fxgraph.addmm %x, %a, %b alpha 3.0 : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = fxgraph.relu %2 : tensor<4x4xf32>
  return %1, %3 : tensor<4x4xf32>, tensor<4x4xf32>
}

// Users behind views and pieces; several users.
// CHECK-LABEL: func.func @views
// CHECK-NOT: fxgraph.addmm
// CHECK: return
func.func @views(%x: tensor<4xf32>, %a: tensor<4x4xf32>, %b: tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>) {
  %0 = fxgraph.addmm %x, %a, %b : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %p = fxgraph.permute %0 dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %s:2 = fxgraph.split %p size 2 dim 0 : (tensor<4x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %1 = fxgraph.relu %s#0 : tensor<2x4xf32>
  %2 = fxgraph.tanh %s#1 : tensor<2x4xf32>
  %3 = fxgraph.mul %0, %0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %1, %2, %3 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x4xf32>
}

// Integers keep their dtype; nothing is summed; a symbol.
// CHECK-LABEL: func.func @integers_empty_symbol
// CHECK: fxgraph.constant dense<2> : tensor<i64>
// CHECK-NOT: fxgraph.addmm
// CHECK: return
func.func @integers_empty_symbol(%x: tensor<3xi32>, %a: tensor<2x4xi32>, %b: tensor<4x3xi32>, %y: tensor<3xf32>, %c: tensor<?x0xf32, #fxgraph.meta<dims = [s0]>>, %d: tensor<0x3xf32>)
    -> (tensor<2x3xi32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>) {
  %0 = fxgraph.addmm %x, %a, %b beta 2.0 alpha 3.0 : (tensor<3xi32>, tensor<2x4xi32>, tensor<4x3xi32>) -> tensor<2x3xi32>
  %1 = fxgraph.neg %0 : tensor<2x3xi32>
  %2 = fxgraph.addmm %y, %c, %d : (tensor<3xf32>, tensor<?x0xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x3xf32>) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  %3 = fxgraph.relu %2 : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %1, %3 : tensor<2x3xi32>, tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// 16 bits: kept, unless the option says otherwise, or the bias was narrowed on an Intel GPU.
// CHECK-LABEL: func.func @half
// CHECK-COUNT-2: fxgraph.addmm
// HALF-LABEL: func.func @half
// HALF-NOT: fxgraph.addmm
// XPU-LABEL: func.func @half
// XPU: fxgraph.addmm
// XPU-NOT: fxgraph.addmm
// XPU: fxgraph.add{{ }}
func.func @half(%x: tensor<4xbf16>, %wide: tensor<4xf32>, %a: tensor<4x4xbf16>, %b: tensor<4x4xbf16>) -> (tensor<4x4xbf16>, tensor<4x4xbf16>) {
  %0 = fxgraph.addmm %x, %a, %b : (tensor<4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %1 = fxgraph.relu %0 : tensor<4x4xbf16>
  %y = fxgraph.convert_element_type %wide : (tensor<4xf32>) -> tensor<4xbf16>
  %2 = fxgraph.addmm %y, %a, %b : (tensor<4xbf16>, tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %3 = fxgraph.relu %2 : tensor<4x4xbf16>
  return %1, %3 : tensor<4x4xbf16>, tensor<4x4xbf16>
}
