// The parts of a split input have one report, whichever way it is asked for.
// RUN: fx-opt %s --split-input-file --fxgraph-pre-grad --fxgraph-report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json
// RUN: FileCheck %s --check-prefix=PAGE < %t.json.html
// RUN: fx-opt %s --split-input-file "--fxgraph-pre-grad=report=%t.option.json" -o %t.mlir
// RUN: FileCheck %s < %t.option.json
// A second run begins anew.
// RUN: fx-opt %s --split-input-file --fxgraph-pre-grad --fxgraph-report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.json

// CHECK: "normalization_pass": 2
// CHECK: "pattern": "split-to-sizes"
// CHECK-NEXT: "applied": true
// CHECK-NEXT: "location": "{{.*}}report-split.mlir\":[[#@LINE+6]]:
// CHECK: "pattern": "split-to-sizes"
// CHECK-NEXT: "applied": true
// CHECK-NEXT: "location": "{{.*}}report-split.mlir\":[[#@LINE+11]]:
// PAGE: <td>normalization_pass</td><td>2</td>
func.func @first(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.split %x size 8 dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  %y = fxgraph.relu %s : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

// -----

func.func @second(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %s = fxgraph.split %x size 8 dim 1 : (tensor<4x8xf32>) -> (tensor<4x8xf32>)
  %y = fxgraph.tanh %s : tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
