// The pre-dispatch list's normalize_node_kwargs_pass: one name for reshapes and, on request, for permutations.
// RUN: fx-opt %s --fxgraph-normalize="view-to-reshape=true transpose-to-permute=true count-synonyms=true counter=normalize_node_kwargs_pass" -o %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %s --pass-pipeline='builtin.module(fxgraph-write-report{file=%t.json},func.func(fxgraph-normalize{view-to-reshape=true transpose-to-permute=true count-synonyms=true counter=normalize_node_kwargs_pass}))' -o /dev/null
// RUN: FileCheck %s --check-prefix=REPORT < %t.json
// REPORT: "counters": {
// REPORT-NEXT: "normalize_node_kwargs_pass": 6
// REPORT-NEXT: }
// RUN: fx-opt %t.once --fxgraph-normalize="view-to-reshape=true transpose-to-permute=true" | diff %t.once -
// RUN: fx-opt %s --fxgraph-normalize | FileCheck %s --check-prefix=PLAIN
// PLAIN: fxgraph.view
// PLAIN: fxgraph.transpose

// CHECK-LABEL: func @views
// CHECK-NEXT: fxgraph.reshape %{{.+}} shape [24] : tensor<4x6xf32> -> tensor<24xf32>
// CHECK-NEXT: fxgraph.reshape %{{.+}} shape [3, 8] : tensor<24xf32> -> tensor<3x8xf32>
func.func @views(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = fxgraph.view %x shape [-1] : tensor<4x6xf32> -> tensor<24xf32>
  %1 = fxgraph.unflatten %0 dim -1 sizes [3, 8] : (tensor<24xf32>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}

// CHECK-LABEL: func @unknown_extents
// CHECK-NEXT: fxgraph.reshape %{{.+}} shape [%{{.+}}, 6] : tensor<?x3x2xf32> -> tensor<?x6xf32>
func.func @unknown_extents(%x: tensor<?x3x2xf32>, %n: index) -> tensor<?x6xf32> {
  %0 = fxgraph.view %x shape [%n, 6] : tensor<?x3x2xf32> -> tensor<?x6xf32>
  return %0 : tensor<?x6xf32>
}

// CHECK-LABEL: func @transposes
// CHECK-NEXT: fxgraph.permute %{{.+}} dims [0, 2, 1] : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
// CHECK-NEXT: fxgraph.permute %{{.+}} dims [] : (tensor<f32>) -> tensor<f32>
func.func @transposes(%x: tensor<2x3x4xf32>, %s: tensor<f32>) -> (tensor<2x4x3xf32>, tensor<f32>) {
  %0 = fxgraph.transpose %x dims -1, 1 : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = fxgraph.transpose %s dims 0, -1 : (tensor<f32>) -> tensor<f32>
  return %0, %1 : tensor<2x4x3xf32>, tensor<f32>
}

// Attributes with a default are there, whether they were written or not.
// CHECK-LABEL: func @defaults
// CHECK-NEXT: fxgraph.cat %{{.+}}, %{{.+}} dim 0
// CHECK-NEXT: fxgraph.split_with_sizes %{{.+}} sizes [4, 4] dim 0
func.func @defaults(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = "fxgraph.cat"(%x, %x) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  %1:2 = "fxgraph.chunk"(%0) <{chunks = 2 : i64}> : (tensor<8x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  return %1#0, %1#1 : tensor<4x6xf32>, tensor<4x6xf32>
}
