// RUN: fx-opt %s --fxgraph-predispatch-stack-to-unsqueeze -o %t.once
// RUN: FileCheck %s < %t.once
// A second run changes nothing.
// RUN: fx-opt %t.once --fxgraph-predispatch-stack-to-unsqueeze -o %t.twice
// RUN: diff %t.once %t.twice

// -1 is the last dimension of the result.
// CHECK-LABEL: func @negative
// CHECK: fxgraph.unsqueeze %{{.+}} dim 2 : (tensor<4x5xf32>) -> tensor<4x5x1xf32>
// CHECK: fxgraph.cat %{{.+}}, %{{.+}} dim 2
func.func @negative(%a: tensor<4x5xf32>, %b: tensor<4x5xf32>) -> tensor<4x5x2xf32> {
  %0 = fxgraph.stack %a, %b dim -1 : (tensor<4x5xf32>, tensor<4x5xf32>) -> tensor<4x5x2xf32>
  return %0 : tensor<4x5x2xf32>
}

// CHECK-LABEL: func @repeated
// CHECK-NEXT: %[[U:.+]] = fxgraph.unsqueeze
// CHECK-NEXT: fxgraph.cat %[[U]], %[[U]], %[[U]] dim 0
func.func @repeated(%a: tensor<f32>) -> tensor<3xf32> {
  %0 = fxgraph.stack %a, %a, %a dim 0 : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// One operand: no cat. The stack was fresh storage.
// CHECK-LABEL: func @single
// CHECK-NEXT: %[[U:.+]] = fxgraph.unsqueeze
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[U]]
// CHECK-NEXT: return %[[C]]
func.func @single(%a: tensor<?xf32>) -> tensor<1x?xf32> {
  %0 = fxgraph.stack %a dim 0 : (tensor<?xf32>) -> tensor<1x?xf32>
  return %0 : tensor<1x?xf32>
}

// CHECK-LABEL: func @empty
// CHECK: fxgraph.cat %{{.+}}, %{{.+}} dim 1 : (tensor<0x1xi8>, tensor<0x1xi8>) -> tensor<0x2xi8>
func.func @empty(%a: tensor<0xi8>, %b: tensor<0xi8>) -> tensor<0x2xi8> {
  %0 = fxgraph.stack %a, %b dim 1 : (tensor<0xi8>, tensor<0xi8>) -> tensor<0x2xi8>
  return %0 : tensor<0x2xi8>
}
