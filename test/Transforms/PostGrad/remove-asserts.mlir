// RUN: fx-opt %s --fxgraph-postgrad-remove-asserts > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-remove-asserts | diff %t.once -

// What is not asked for may be anything.
// CHECK-LABEL: func.func @some_extents
// CHECK-NOT: assert
// CHECK: return
func.func @some_extents(%x: tensor<?x3xf16>, %s: tensor<i64>) {
  fxgraph.assert_tensor_metadata %x is tensor<?x3xf16> : tensor<?x3xf16>
  fxgraph.assert_tensor_metadata %x is tensor<?x?xf16> : tensor<?x3xf16>
  fxgraph.assert_tensor_metadata %s is tensor<i64> : tensor<i64>
  return
}
