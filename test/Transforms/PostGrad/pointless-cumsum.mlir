// RUN: fx-opt %s --fxgraph-postgrad-pointless-cumsum > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-pointless-cumsum | diff %t.once -
// RUN: fx-opt %s --fxgraph-postgrad-pointless-cumsum="numerics=exact" | FileCheck %s --check-prefix=EXACT

// Dimension from the end; bools and conversions count as numbers; the operand has another
// user; what is returned is no expanded tensor.
// CHECK-LABEL: func.func @integers
// CHECK-NOT: fxgraph.cumsum
// CHECK: return
// EXACT-LABEL: func.func @integers
// EXACT-NOT: fxgraph.cumsum
// EXACT: return
func.func @integers() -> (tensor<3x4xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<2x2xi8>) {
  %b = fxgraph.full 1.0 : tensor<3x4xi1>
  %0 = fxgraph.cumsum %b dim -2 : (tensor<3x4xi1>) -> tensor<3x4xi64>
  %f = fxgraph.full -2.0 : tensor<5xf32>
  %g = fxgraph.convert_element_type %f : (tensor<5xf32>) -> tensor<5xi32>
  %1 = fxgraph.cumsum %g dim 0 : (tensor<5xi32>) -> tensor<5xi64>
  %c = fxgraph.constant dense<7> : tensor<2x2xi8>
  %2 = fxgraph.cumsum %c dim 1 : (tensor<2x2xi8>) -> tensor<2x2xi64>
  return %0, %1, %2, %c : tensor<3x4xi64>, tensor<5xi64>, tensor<2x2xi64>, tensor<2x2xi8>
}

// A clone, as elements of an expanded tensor share storage; none where there is nothing to
// expand, and none inside the graph.
// CHECK-LABEL: func.func @clones
// CHECK: %[[E:.+]] = fxgraph.expand
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %[[E]]
// CHECK-NEXT: %[[A:.+]] = fxgraph.arange
// CHECK-NEXT: %[[V:.+]] = fxgraph.reshape %[[A]] shape [3, 1]
// CHECK-NEXT: return %[[C]], %[[V]]
func.func @clones() -> (tensor<3x2xf32>, tensor<3x1xf32>) {
  %a = fxgraph.full 1.0 : tensor<3x2xf32>
  %0 = fxgraph.cumsum %a dim 0 : (tensor<3x2xf32>) -> tensor<3x2xf32>
  %b = fxgraph.full 2.0 : tensor<3x1xf32>
  %1 = fxgraph.cumsum %b dim 0 : (tensor<3x1xf32>) -> tensor<3x1xf32>
  return %0, %1 : tensor<3x2xf32>, tensor<3x1xf32>
}

// Halves are exact, tenths are not: each sum rounds. In 16 bits sums are kept in 32.
// CHECK-LABEL: func.func @floats
// CHECK-NOT: fxgraph.cumsum
// CHECK: return
// EXACT-LABEL: func.func @floats
// EXACT: fxgraph.arange from 5.000000e-01 {{.*}}: tensor<100xf32>
// EXACT: fxgraph.cumsum {{.*}}tensor<100xf32>
// EXACT: fxgraph.arange {{.*}}: tensor<300xbf16>
// EXACT: fxgraph.cumsum {{.*}}tensor<100xf64>
// EXACT-NOT: fxgraph.cumsum
func.func @floats() -> (tensor<100xf32>, tensor<100xf32>, tensor<300xbf16>, tensor<100xf64>) {
  %a = fxgraph.full 0.5 : tensor<100xf32>
  %0 = fxgraph.cumsum %a dim 0 : (tensor<100xf32>) -> tensor<100xf32>
  %b = fxgraph.full 0.1 : tensor<100xf32>
  %1 = fxgraph.cumsum %b dim 0 : (tensor<100xf32>) -> tensor<100xf32>
  %c = fxgraph.full 0.1 : tensor<300xbf16>
  %2 = fxgraph.cumsum %c dim 0 : (tensor<300xbf16>) -> tensor<300xbf16>
  %d = fxgraph.full 0.1 : tensor<100xf64>
  %3 = fxgraph.cumsum %d dim 0 : (tensor<100xf64>) -> tensor<100xf64>
  return %0, %1, %2, %3 : tensor<100xf32>, tensor<100xf32>, tensor<300xbf16>, tensor<100xf64>
}

// A sum begins with 0: those of -0 are 0. Infinities and NaN stay what they are.
// CHECK-LABEL: func.func @special_values
// CHECK-NEXT: %[[Z:.+]] = fxgraph.full 0.000000e+00 : tensor<3xf32>
// CHECK-NEXT: %[[I:.+]] = fxgraph.full 0x7FF0000000000000 : tensor<3xf32>
// CHECK-NEXT: %[[N:.+]] = fxgraph.full 0x7FF8000000000000 : tensor<3xf32>
// CHECK-NEXT: return %[[Z]], %[[I]], %[[N]]
func.func @special_values() -> (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %a = fxgraph.full -0.0 : tensor<3xf32>
  %0 = fxgraph.cumsum %a dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %b = fxgraph.full 0x7FF0000000000000 : tensor<3xf32>
  %1 = fxgraph.cumsum %b dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  %c = fxgraph.full 0x7FF8000000000000 : tensor<3xf32>
  %2 = fxgraph.cumsum %c dim 0 : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Rank 0, no elements, one element.
// CHECK-LABEL: func.func @little
// CHECK-NEXT: fxgraph.full 3.000000e+00 : tensor<f32>
// CHECK-NOT: fxgraph.cumsum
func.func @little() -> (tensor<f32>, tensor<0xi64>, tensor<2x0xf32>, tensor<1xf32>) {
  %a = fxgraph.full 3.0 : tensor<f32>
  %0 = fxgraph.cumsum %a dim -1 : (tensor<f32>) -> tensor<f32>
  %b = fxgraph.full 3.0 : tensor<0xi64>
  %1 = fxgraph.cumsum %b dim 0 : (tensor<0xi64>) -> tensor<0xi64>
  %c = fxgraph.full 3.0 : tensor<2x0xf32>
  %2 = fxgraph.cumsum %c dim 0 : (tensor<2x0xf32>) -> tensor<2x0xf32>
  %d = fxgraph.full 3.0 : tensor<1xf32>
  %3 = fxgraph.cumsum %d dim 0 : (tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<0xi64>, tensor<2x0xf32>, tensor<1xf32>
}
