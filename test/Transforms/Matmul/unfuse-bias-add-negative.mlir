// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-unfuse-bias-add{numerics=relaxed default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: fxgraph.mm{{ }}

// REMARK-DAG: remark: [Missed] unfuse-bias-add | Category:fxgraph-matmul-unfuse-bias-add | Remark="the addmm is not on a GPU"
func.func @cpu(%x: tensor<4xf32, #fxgraph.meta<device = "cpu">>, %a: tensor<4x4xf32, #fxgraph.meta<device = "cpu">>) -> tensor<4x4xf32, #fxgraph.meta<device = "cpu">> {
  %0 = fxgraph.addmm %x, %a, %a : (tensor<4xf32, #fxgraph.meta<device = "cpu">>, tensor<4x4xf32, #fxgraph.meta<device = "cpu">>, tensor<4x4xf32, #fxgraph.meta<device = "cpu">>) -> tensor<4x4xf32, #fxgraph.meta<device = "cpu">>
  %1 = fxgraph.relu %0 : tensor<4x4xf32, #fxgraph.meta<device = "cpu">>
  return %1 : tensor<4x4xf32, #fxgraph.meta<device = "cpu">>
}

// A result of the graph, a product, a reduction, a copy: also beside elementwise users and behind views.
// REMARK-DAG: Remark="not all users are elementwise"
func.func @users(%x: tensor<4xf32>, %a: tensor<4x4xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<8x4xf32>) {
  %0 = fxgraph.addmm %x, %a, %a : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.relu %0 : tensor<4x4xf32>
  %2 = fxgraph.addmm %x, %a, %a : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %v = fxgraph.permute %2 dims [1, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = fxgraph.matmul %v, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %4 = fxgraph.addmm %x, %a, %a : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %5 = fxgraph.sum %4 dims [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %6 = fxgraph.addmm %x, %a, %a : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %7 = fxgraph.cat %6, %a dim 0 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
  return %0, %1, %3, %5, %7 : tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>, tensor<8x4xf32>
}

// What is not read does not matter: 0 times NaN would.
// REMARK-DAG: Remark="beta is 0: the input is not read and nothing is added"
func.func @no_beta(%x: tensor<4xf32>, %a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = fxgraph.addmm %x, %a, %a beta 0.0 : (tensor<4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = fxgraph.relu %0 : tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

// REMARK-DAG: Remark="16-bit products are kept: without the addmm they round once more"
func.func @half(%x: tensor<4xf16>, %a: tensor<4x4xf16>) -> tensor<4x4xf16> {
  %0 = fxgraph.addmm %x, %a, %a : (tensor<4xf16>, tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<4x4xf16>
  %1 = fxgraph.relu %0 : tensor<4x4xf16>
  return %1 : tensor<4x4xf16>
}
