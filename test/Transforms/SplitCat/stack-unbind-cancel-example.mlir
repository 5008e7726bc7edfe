// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel | FileCheck %s

// What the batch fusions of tanh and relu leave between them and behind.
func.func @tower(%x: tensor<5x16x4xf32>) -> tensor<16x20xf32> {
  %t = fxgraph.tanh %x : tensor<5x16x4xf32>
  %u:5 = fxgraph.unbind %t dim 0 : (tensor<5x16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
  %s = fxgraph.stack %u#0, %u#1, %u#2, %u#3, %u#4 dim 0
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<5x16x4xf32>
  %r = fxgraph.relu %s : tensor<5x16x4xf32>
  %v:5 = fxgraph.unbind %r dim 0 : (tensor<5x16x4xf32>) -> (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>)
  %c = fxgraph.cat %v#0, %v#1, %v#2, %v#3, %v#4 dim 1
      : (tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>, tensor<16x4xf32>) -> tensor<16x20xf32>
  return %c : tensor<16x20xf32>
}

// CHECK-LABEL: func @tower
// CHECK-NEXT: %[[T:.*]] = fxgraph.tanh
// CHECK-NEXT: %[[R:.*]] = fxgraph.relu %[[T]]
// CHECK-NEXT: %[[M:.*]] = fxgraph.permute %[[R]] dims [1, 0, 2]
// CHECK-NEXT: %[[F:.*]] = fxgraph.reshape %[[M]] shape [16, 20]
// CHECK-NEXT: return %[[F]]
