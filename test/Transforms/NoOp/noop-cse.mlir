// Two results stay two tensors; what draws, writes or is unknown stays.

// RUN: fx-opt %s --fxgraph-noop-cse | FileCheck %s
// RUN: fx-opt %s --fxgraph-noop-cse -o %t.once
// RUN: fx-opt %t.once --fxgraph-noop-cse | diff - %t.once

// CHECK-LABEL: func @results
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[R]]
// CHECK-NEXT: return {{%.*}}, {{%.*}}
func.func @results(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.relu %x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two draws are two numbers.
// CHECK-LABEL: func @draws
// CHECK-COUNT-2: fxgraph.rand
func.func @draws() -> tensor<4xf32> {
  %0 = fxgraph.rand : tensor<4xf32>
  %1 = fxgraph.rand : tensor<4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// CHECK-LABEL: func @unknown
// CHECK-COUNT-2: fxgraph.opaque
func.func @unknown(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.opaque "aten.foo.default"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Other attributes, other ops.
// CHECK-LABEL: func @attributes
// CHECK-COUNT-2: fxgraph.sum
func.func @attributes(%x: tensor<4x4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.sum %x dims [0] : (tensor<4x4xf32>) -> tensor<4xf32>
  %1 = fxgraph.sum %x dims [1] : (tensor<4x4xf32>) -> tensor<4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// Clones keep results apart and are not equal; a second run leaves them.
// CHECK-LABEL: func @three
// CHECK-NEXT: fxgraph.tanh
// CHECK-COUNT-2: fxgraph.clone
// CHECK-NOT: fxgraph.number
func.func @three(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.tanh %x : tensor<4xf32>
  %1 = fxgraph.tanh %x : tensor<4xf32>
  %2 = fxgraph.tanh %x : tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Ops that commute, in either order; also behind operands that have become one.
// CHECK-LABEL: func @commute
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %arg0
// CHECK-NEXT: %[[A:.*]] = fxgraph.add %[[R]], %arg1
// CHECK-NEXT: %[[M:.*]] = fxgraph.mul %arg1, %[[A]]
// CHECK-NEXT: %[[E:.*]] = fxgraph.eq %[[M]], %arg1
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[E]]
// CHECK-NEXT: return %[[E]], %[[C]]
func.func @commute(%x: tensor<4xf32>, %y: tensor<1xf32>) -> (tensor<4xi1>, tensor<4xi1>) {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.add %0, %y : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %2 = fxgraph.relu %x : tensor<4xf32>
  %3 = fxgraph.add %y, %2 : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = fxgraph.mul %y, %1 : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = fxgraph.mul %3, %y : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xf32>
  %6 = fxgraph.eq %4, %y : (tensor<4xf32>, tensor<1xf32>) -> tensor<4xi1>
  %7 = fxgraph.eq %y, %5 : (tensor<1xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %6, %7 : tensor<4xi1>, tensor<4xi1>
}

// Not a sum with a factor, a difference, an order, nor a maximum, which of -0 and 0 gives the first; not other operands.
// CHECK-LABEL: func @in_order
// CHECK-COUNT-2: fxgraph.add
// CHECK-COUNT-2: fxgraph.sub
// CHECK-COUNT-2: fxgraph.lt
// CHECK-COUNT-2: fxgraph.maximum
// CHECK-COUNT-2: fxgraph.mul
// CHECK: return
func.func @in_order(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>,
                                                              tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = fxgraph.add %x, %y alpha 2.0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.add %y, %x alpha 2.0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.sub %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = fxgraph.sub %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = fxgraph.lt %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %5 = fxgraph.lt %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  %6 = fxgraph.maximum %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %7 = fxgraph.maximum %y, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %8 = fxgraph.mul %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %9 = fxgraph.mul %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xi1>, tensor<4xi1>,
                                                  tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What is asserted once need not be again; another assertion is, and of another value.
// CHECK-LABEL: func @asserts
// CHECK-NEXT: fxgraph.assert_tensor_metadata %arg0 is tensor<4xf64>
// CHECK-NEXT: fxgraph.assert_tensor_metadata %arg0 is tensor<4xf32>
// CHECK-NEXT: fxgraph.assert_tensor_metadata %arg1 is tensor<4xf64>
// CHECK-NEXT: return
func.func @asserts(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  fxgraph.assert_tensor_metadata %x is tensor<4xf64> : tensor<4xf32>
  fxgraph.assert_tensor_metadata %x is tensor<4xf64> : tensor<4xf32>
  fxgraph.assert_tensor_metadata %x is tensor<4xf32> : tensor<4xf32>
  fxgraph.assert_tensor_metadata %y is tensor<4xf64> : tensor<4xf32>
  fxgraph.assert_tensor_metadata %x is tensor<4xf64> : tensor<4xf32>
  return %x : tensor<4xf32>
}
