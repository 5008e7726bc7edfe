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
