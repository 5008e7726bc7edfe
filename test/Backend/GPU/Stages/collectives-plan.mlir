// The steps of a launch plan, from a host function.
// RUN: fx-translate %s --to=plan | FileCheck %s

// CHECK: "steps": [
// CHECK: "group": "tp"
// CHECK-NEXT: "group_size": 2
// CHECK-NEXT: "kind": "reduce_scatter"
// CHECK: "op": "collective"
// CHECK-NEXT: "reduce_op": "avg"
// CHECK-NEXT: "tensors": [
// CHECK-NEXT: {
// CHECK-NEXT: "dtype": "bf16"
// CHECK-NEXT: "elements": 4
// CHECK-NEXT: "input": {
// CHECK-NEXT: "index": 0
// CHECK-NEXT: "kind": "input"
// CHECK: "output": {
// CHECK-NEXT: "index": 0
// CHECK-NEXT: "kind": "output"
// CHECK: "op": "wait"
// CHECK-NEXT: "steps": [
// CHECK-NEXT: 0
func.func @main(%x: memref<8xbf16>, %y: memref<4xbf16> {fxgraph.result}, %w: memref<0xi8>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %x offset 0 : memref<8xbf16> to memref<bf16>
  %1 = fxgraph.buffer %y offset 0 : memref<4xbf16> to memref<bf16>
  %t = fxgraph.start_collective "reduce_scatter" group "tp" of 2 op "avg" (%0) to (%1) elements [4] : (memref<bf16>) to (memref<bf16>) -> !gpu.async.token
  gpu.wait [%t]
  return
}

// RUN: fx-opt %S/../op-samples-collectives.mlir --fxgraph-to-gpu=entry=all_to_all_single | fx-translate --to=plan --entry=all_to_all_single | FileCheck %s --check-prefix=EXCHANGE
// EXCHANGE: "given": [
// EXCHANGE-NEXT: 6,
// EXCHANGE-NEXT: 6
// EXCHANGE: "kind": "all_to_all"
// EXCHANGE: "taken": [
// EXCHANGE-NEXT: 6,
// EXCHANGE-NEXT: 6
// EXCHANGE: "elements": 12
// RUN: fx-opt %S/../op-samples-collectives.mlir --fxgraph-to-gpu=entry=broadcast | fx-translate --to=plan --entry=broadcast | FileCheck %s --check-prefix=SOURCE
// SOURCE: "kind": "broadcast"
// SOURCE: "src": 1
