// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-bmm-to-mm{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t

// CHECK-NOT: fxgraph.mm{{ }}

// More matrices, none, an unknown number, a number that one side alone knows.
// REMARK-DAG: remark: [Missed] bmm-to-mm | Category:fxgraph-matmul-bmm-to-mm | Remark="the batch is not known to hold one matrix"
func.func @batches(%a: tensor<2x4x4xf32>, %e: tensor<0x4x4xf32>, %u: tensor<?x4x4xf32>, %s: tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>, %o: tensor<1x4x4xf32>)
    -> (tensor<2x4x4xf32>, tensor<0x4x4xf32>, tensor<?x4x4xf32>, tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x4x4xf32>) {
  %0 = fxgraph.bmm %a, %a : (tensor<2x4x4xf32>, tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  %1 = fxgraph.bmm %e, %e : (tensor<0x4x4xf32>, tensor<0x4x4xf32>) -> tensor<0x4x4xf32>
  %2 = fxgraph.bmm %u, %u : (tensor<?x4x4xf32>, tensor<?x4x4xf32>) -> tensor<?x4x4xf32>
  %3 = fxgraph.bmm %s, %s : (tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>) -> tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>
  %4 = fxgraph.bmm %o, %u : (tensor<1x4x4xf32>, tensor<?x4x4xf32>) -> tensor<1x4x4xf32>
  return %0, %1, %2, %3, %4 : tensor<2x4x4xf32>, tensor<0x4x4xf32>, tensor<?x4x4xf32>, tensor<?x4x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<1x4x4xf32>
}

// REMARK-DAG: Remark="the product is not on a GPU"
func.func @cpu(%a: tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">>) -> tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">> {
  %0 = fxgraph.bmm %a, %a : (tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">>, tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">>) -> tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">>
  return %0 : tensor<1x4x4xf32, #fxgraph.meta<device = "cpu">>
}
