// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert))' -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert{emulate-precision-casts=true}))' | FileCheck %s --check-prefix=STRICT
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-jointgraph-pointless-convert{numerics=exact}))' | FileCheck %s --check-prefix=STRICT

// Up and down again is nothing.
// CHECK-LABEL: func.func @round_trip
// CHECK-NEXT: fxgraph.relu %arg0
// STRICT-LABEL: func.func @round_trip
// STRICT-NEXT: fxgraph.relu %arg0
func.func @round_trip(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xf16>
  %2 = fxgraph.relu %1 : tensor<4xf16>
  return %2 : tensor<4xf16>
}

// One rounding is gone.
// CHECK-LABEL: func.func @rounds_twice
// CHECK-NEXT: %[[C:.+]] = fxgraph.convert_element_type %arg0 : (tensor<4xf64>) -> tensor<4xf16>
// CHECK-NEXT: return %[[C]]
// STRICT-LABEL: func.func @rounds_twice
// STRICT-COUNT-2: fxgraph.convert_element_type
func.func @rounds_twice(%x: tensor<4xf64>) -> tensor<4xf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf64>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// Three casts are one.
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[C:.+]] = fxgraph.convert_element_type %arg0 : (tensor<4xbf16>) -> tensor<4xf16>
// CHECK-NEXT: return %[[C]]
func.func @chain(%x: tensor<4xbf16>) -> tensor<4xf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xbf16>) -> tensor<4xf64>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf64>) -> tensor<4xf32>
  %2 = fxgraph.convert_element_type %1 : (tensor<4xf32>) -> tensor<4xf16>
  return %2 : tensor<4xf16>
}

// The result is apart from the argument.
// CHECK-LABEL: func.func @returned
// CHECK-NEXT: %[[C:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: return %[[C]]
func.func @returned(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<4xf16>) -> tensor<4xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<4xf32>) -> tensor<4xf16>
  return %1 : tensor<4xf16>
}

// CHECK-LABEL: func.func @unknown_extent
// CHECK-NEXT: fxgraph.convert_element_type %arg0 : (tensor<?xf16>) -> tensor<?xbf16>
func.func @unknown_extent(%x: tensor<?xf16>) -> tensor<?xbf16> {
  %0 = fxgraph.convert_element_type %x : (tensor<?xf16>) -> tensor<?xf32>
  %1 = fxgraph.convert_element_type %0 : (tensor<?xf32>) -> tensor<?xbf16>
  return %1 : tensor<?xbf16>
}
