// A rewrite that the reference interpreter cannot check is told, once for each rule and what it makes; the report tells it of each.
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --split-input-file --verify-diagnostics --fxgraph-apply-patterns=%S/Inputs/unrunnable.pdll --fxgraph-verify-rewrites --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --input-file=%t.json --check-prefix=REPORT
// RUN: sed "s/expected-//" %s | env FXGRAPH_VERIFY_REWRITES=0 fx-opt --split-input-file --fxgraph-apply-patterns=%S/Inputs/unrunnable.pdll 2>&1 >%t.out | FileCheck %s --check-prefix=SILENT --allow-empty

!x = tensor<4xf32>

// REPORT: "pattern": "OwnSilu",
// REPORT: "detail": "not verified: 'mylib.silu.default' cannot be run",
// REPORT: "pattern": "OwnSilu",
// REPORT: "detail": "not verified: 'mylib.silu.default' cannot be run",
// SILENT-NOT: warning

// CHECK-LABEL: func.func @unrunnable
// CHECK: fxgraph.opaque "mylib.silu.default"
// CHECK: fxgraph.opaque "mylib.silu.default"
func.func @unrunnable(%x: !x, %y: !x) -> (!x, !x) {
  %0 = fxgraph.sigmoid %x : !x
  %1 = fxgraph.mul %x, %0 : (!x, !x) -> !x
  %2 = fxgraph.sigmoid %y : !x
  // expected-warning@below {{fxgraph-apply-patterns: rewrite 'OwnSilu' of 'fxgraph.mul' is not verified: expected ops that the reference interpreter can run in its place but got 'mylib.silu.default'}}
  %3 = fxgraph.mul %y, %2 : (!x, !x) -> !x
  return %1, %3 : !x, !x
}

// -----

!x = tensor<4xf32>

// What runs is compared, and nothing is said.
// REPORT: "pattern": "OwnRelu",
// REPORT: "detail": "",
// REPORT: "verified": 1
// CHECK-LABEL: func.func @runnable
// CHECK-NEXT: %[[R:.+]] = fxgraph.clone %arg0
// CHECK-NEXT: return %[[R]]
func.func @runnable(%x: !x) -> !x {
  %0 = fxgraph.neg %x : !x
  %1 = fxgraph.neg %0 : !x
  return %1 : !x
}

// -----

!x = tensor<4xf32>

// An unknown op that was in the graph before is not the rule's doing: the report tells it.
// REPORT: "pattern": "OwnRelu",
// REPORT: "detail": "not verified: 'other.op.default' cannot be run",
// CHECK-LABEL: func.func @unknown_before
func.func @unknown_before(%x: !x) -> !x {
  %0 = fxgraph.opaque "other.op.default"(%x) {effects = "none"} : (!x) -> !x
  %1 = fxgraph.neg %0 : !x
  %2 = fxgraph.neg %1 : !x
  return %2 : !x
}
