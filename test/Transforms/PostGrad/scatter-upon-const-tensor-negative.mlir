// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-scatter-upon-const-tensor --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.where

// Any index; one of a longer dimension; one that counts from the end.
func.func @out_of_range(%i: tensor<3x1xi64>, %x: tensor<3x6xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>) {
  %a = fxgraph.full 0.0 : tensor<3x5xf32>
  %v = fxgraph.full 1.0 : tensor<3x1xf32>
  // expected-remark@below {{an index may be out of range, which is an error of scatter alone}}
  %0 = fxgraph.scatter %a, %i, %v dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %j = fxgraph.argmax %x dim 1 keepdim true : (tensor<3x6xf32>) -> tensor<3x1xi64>
  // expected-remark@below {{an index may be out of range}}
  %1 = fxgraph.scatter %a, %j, %v dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %k = fxgraph.constant dense<[[0], [-1], [2]]> : tensor<3x1xi64>
  // expected-remark@below {{an index may be out of range}}
  %2 = fxgraph.scatter %a, %k, %v dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %0, %1, %2 : tensor<3x5xf32>, tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Two places of a row; not every row.
func.func @places(%x: tensor<3x5xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %a = fxgraph.full 0.0 : tensor<3x5xf32>
  %v = fxgraph.full 1.0 : tensor<3x2xf32>
  %values, %indices = fxgraph.topk %x k 2 dim 1 : (tensor<3x5xf32>) -> (tensor<3x2xf32>, tensor<3x2xi64>)
  // expected-remark@below {{more than one place of a row may be written}}
  %0 = fxgraph.scatter %a, %indices, %v dim 1 : (tensor<3x5xf32>, tensor<3x2xi64>, tensor<3x2xf32>) -> tensor<3x5xf32>
  %i = fxgraph.constant dense<0> : tensor<2x1xi64>
  // expected-remark@below {{not every row is known to be written}}
  %1 = fxgraph.scatter %a, %i, %v dim 1 : (tensor<3x5xf32>, tensor<2x1xi64>, tensor<3x2xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

// Something else is scattered, or into something else.
func.func @not_numbers(%x: tensor<3x5xf32>, %y: tensor<3x1xf32>) -> (tensor<3x5xf32>, tensor<3x5xf32>) {
  %a = fxgraph.full 0.0 : tensor<3x5xf32>
  %v = fxgraph.full 1.0 : tensor<3x1xf32>
  %i = fxgraph.argmax %x dim 1 keepdim true : (tensor<3x5xf32>) -> tensor<3x1xi64>
  %0 = fxgraph.scatter %a, %i, %y dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  %1 = fxgraph.scatter %x, %i, %v dim 1 : (tensor<3x5xf32>, tensor<3x1xi64>, tensor<3x1xf32>) -> tensor<3x5xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<3x5xf32>
}

// -----

func.func @not_known(%i: tensor<?x1xi64>, %n: index) -> tensor<?x5xf32> {
  %a = fxgraph.full 0.0 sizes %n : tensor<?x5xf32>
  %v = fxgraph.full 1.0 sizes %n : tensor<?x1xf32>
  // expected-remark@below {{not every row is known to be written}}
  %0 = fxgraph.scatter %a, %i, %v dim 1 : (tensor<?x5xf32>, tensor<?x1xi64>, tensor<?x1xf32>) -> tensor<?x5xf32>
  return %0 : tensor<?x5xf32>
}
