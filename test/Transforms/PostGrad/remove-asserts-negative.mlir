// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-remove-asserts --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-COUNT-4: assert_tensor_metadata

// Each fails, or may fail, when it is run. (Inductor erases them.)
func.func @wrong(%x: tensor<2x?xf32>) {
  // expected-remark@below {{the tensor has not the dtype that is asserted}}
  fxgraph.assert_tensor_metadata %x is f64 : tensor<2x?xf32>
  // expected-remark@below {{the tensor has not the rank that is asserted}}
  fxgraph.assert_tensor_metadata %x is tensor<2xf32> : tensor<2x?xf32>
  // expected-remark@below {{an extent that is asserted is another or not known}}
  fxgraph.assert_tensor_metadata %x is tensor<3x?xf32> : tensor<2x?xf32>
  // expected-remark@below {{an extent that is asserted is another or not known}}
  fxgraph.assert_tensor_metadata %x is tensor<2x4xf32> : tensor<2x?xf32>
  return
}
