// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce))' | FileCheck %s
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce{bucket-cap-mb=0.00001}))' | FileCheck %s --check-prefix=CAP
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce))' -o %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-distributed-bucket-all-reduce))' -o %t.twice
// RUN: diff %t.once %t.twice

// RUN: fx-run %s --entry='*' --ranks=4 --group='g:0,1;3,2' --inputs=seed:1 -o %t.npz
// RUN: fx-run %t.once --entry='*' --ranks=4 --group='g:0,1;3,2' --inputs=seed:1 --compare=%t.npz

// A write of the first sum keeps its place before the write of the same argument behind it.
// CAP-NOT: fxgraph.cat
// CHECK-LABEL: func.func @writes
// CHECK: fxgraph.all_reduce
// CHECK-NOT: fxgraph.all_reduce
// CHECK: fxgraph.copy_ %{{.+}}#0 into %arg2
// CHECK: fxgraph.copy_ %arg1 into %arg2
func.func @writes(%a: tensor<6xf32>, %b: tensor<6xf32>, %buffer: tensor<6xf32>) -> tensor<6xf32> {
  %a0s = fxgraph.all_reduce %a op "max" group "g" : (tensor<6xf32>) -> tensor<6xf32>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<6xf32>) -> tensor<6xf32>
  fxgraph.copy_ %a0 into %buffer : tensor<6xf32>, tensor<6xf32>
  fxgraph.copy_ %b into %buffer : tensor<6xf32>, tensor<6xf32>
  %b0s = fxgraph.all_reduce %b op "max" group "g" : (tensor<6xf32>) -> tensor<6xf32>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<6xf32>) -> tensor<6xf32>
  %r = fxgraph.relu %b0 : tensor<6xf32>
  return %r : tensor<6xf32>
}

// Integers and bools.
// CHECK-LABEL: func.func @integers
// CHECK: fxgraph.cat
// CHECK: fxgraph.all_reduce
// CHECK-NOT: fxgraph.all_reduce
func.func @integers(%a: tensor<2x3xi64>, %b: tensor<i64>) -> (tensor<2x3xi64>, tensor<i64>) {
  %a0s = fxgraph.all_reduce %a op "product" group "g" : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %a0 = fxgraph.wait_tensor %a0s : (tensor<2x3xi64>) -> tensor<2x3xi64>
  %b0s = fxgraph.all_reduce %b op "product" group "g" : (tensor<i64>) -> tensor<i64>
  %b0 = fxgraph.wait_tensor %b0s : (tensor<i64>) -> tensor<i64>
  return %a0, %b0 : tensor<2x3xi64>, tensor<i64>
}
