// Every way to give a file of rules.
// RUN: fx-opt %s --fxgraph-apply-patterns=%S/Inputs/rules.pdll --fxgraph-report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.mlir && FileCheck %s --check-prefix=COUNT < %t.json
// RUN: FileCheck %s --check-prefix=MISSED < %t.json
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/rules.pdll" | diff - %t.mlir
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-apply-patterns{file=%S/Inputs/rules.pdll}))' | diff - %t.mlir
// RUN: fx-opt %t.mlir --fxgraph-apply-patterns=%S/Inputs/rules.pdll | diff - %t.mlir
// RUN: env FXGRAPH_PDLL=/usr/lib/llvm-22/bin/mlir-pdll fx-opt %s --fxgraph-apply-patterns=%S/Inputs/rules.pdll | diff - %t.mlir

// The counters are the rules' names; or one for all.
// COUNT: "LogOfExp": 1,
// COUNT: "ReluOfRelu": 2
// COUNT: "numerics": "changes precision",
// COUNT-NEXT: "verified": 1
// What did not fire is in the report, too.
// MISSED: "applied": false,
// MISSED-NEXT: "location": "loc({{.*}}apply-patterns.mlir
// MISSED-NEXT: "detail": "the root, operand #0: expected fxgraph.relu but got an argument"
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/rules.pdll counter=mine" --fxgraph-report=%t.json | diff - %t.mlir
// RUN: FileCheck %s --check-prefix=MINE < %t.json
// MINE: "mine": 3

// Rules run as far as numerics allows.
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/rules.pdll numerics=exact" | FileCheck %s --check-prefix=EXACT
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/rules.pdll numerics=exact" --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=FORBIDDEN
// EXACT: fxgraph.log
// FORBIDDEN: LogOfExp {{.*}}the rule changes precision, which numerics=exact forbids

// PDL needs no compiler. A rule without a name has the file's, or what `name` says.
// RUN: env FXGRAPH_PDLL=/nowhere fx-opt %s --fxgraph-apply-patterns=%S/Inputs/rules.mlir --fxgraph-report=%t.json -o %t.pdl.mlir
// RUN: FileCheck %s --check-prefix=PDL < %t.pdl.mlir && FileCheck %s --check-prefix=FILE < %t.json
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/rules.mlir name=abs-of-neg assume=relaxed" --fxgraph-report=%t.json | diff - %t.pdl.mlir
// RUN: FileCheck %s --check-prefix=NAMED < %t.json
// FILE: "ReluOfRelu": 2,
// FILE-NEXT: "rules": 1
// NAMED: "abs-of-neg": 1
// NAMED: "numerics": "changes precision"

// CHECK-LABEL: func @chain
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = fxgraph.relu %arg0
  // CHECK-NEXT: return %[[R]]
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  %2 = fxgraph.relu %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A result of the graph that would become an argument is cloned.
// CHECK-LABEL: func @argument
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[C:.*]] = fxgraph.clone %arg0
  // CHECK-NEXT: return %[[C]]
  %0 = fxgraph.exp %x : tensor<4xf32>
  %1 = fxgraph.log %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// PDL-LABEL: func @negated
func.func @negated(%x: tensor<4xf32>) -> tensor<4xf32> {
  // PDL-NEXT: fxgraph.abs %arg0
  // PDL-NEXT: return
  %0 = fxgraph.neg %x : tensor<4xf32>
  %1 = fxgraph.abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
