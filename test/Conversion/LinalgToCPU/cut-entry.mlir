// A long entry is cut into parts: what a call gives crosses over in the workspace, and
// addresses are computed where they are used.
// RUN: fx-opt %s --fxgraph-cpu-cut-entry=max-calls=2 | FileCheck %s
// RUN: fx-opt %s --fxgraph-cpu-cut-entry=max-calls=4 | FileCheck %s --check-prefix=WHOLE
// RUN: not fx-opt %s --fxgraph-cpu-cut-entry=max-calls=0 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: fxgraph-cpu-cut-entry: expected max-calls to be at least 1 but got 0
// WHOLE-NOT: _part_

func.func private @kernel(!llvm.ptr, i64)
func.func private @make(!llvm.ptr) -> i64
func.func private @take(!llvm.ptr)

// CHECK-LABEL: func.func private @main_part_0(
// CHECK-SAME: %[[IN:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SPACE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// CHECK: %[[A:.*]] = llvm.load %[[IN]]
// CHECK: %[[N:.*]] = call @make(%[[A]])
// CHECK: %[[SLOT:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: %[[P:.*]] = llvm.getelementptr %[[SPACE]][%[[SLOT]]]
// CHECK: llvm.store %[[N]], %[[P]] : i64, !llvm.ptr
// CHECK: call @kernel(%[[A]], %[[N]])
// CHECK: return

// CHECK-LABEL: func.func private @main_part_1(
// CHECK-SAME: %[[IN:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr, %{{.*}}: !llvm.ptr, %[[SPACE:.*]]: !llvm.ptr, %{{.*}}: !llvm.ptr) -> i32
// The stack's memory goes with the call that reads it.
// CHECK: %[[STACK:.*]] = llvm.alloca
// CHECK: %[[SLOT:.*]] = llvm.mlir.constant(128 : i64)
// CHECK: %[[P:.*]] = llvm.getelementptr %[[SPACE]][%[[SLOT]]]
// CHECK: %[[N:.*]] = llvm.load %[[P]] : !llvm.ptr -> i64
// CHECK: cf.assert %{{.*}}, "small"
// CHECK: %[[A:.*]] = llvm.load %[[IN]]
// CHECK: call @kernel(%[[A]], %[[N]])
// CHECK: llvm.store %[[A]], %[[STACK]]
// CHECK: call @take(%[[STACK]])
// CHECK: return

// CHECK-LABEL: func.func @main(
// CHECK-SAME: fxgraph.cpu_workspace = 136
// CHECK: call @main_part_0
// CHECK: cf.assert %{{.*}}, ""
// CHECK: call @main_part_1
// CHECK: cf.assert %{{.*}}, ""
// CHECK-NOT: call
// CHECK: return
func.func @main(%in: !llvm.ptr, %out: !llvm.ptr, %extents: !llvm.ptr, %workspace: !llvm.ptr, %context: !llvm.ptr) -> i32
    attributes {fxgraph.cpu_entry = array<i64: 0, 0, 0>, fxgraph.cpu_names = [], fxgraph.cpu_workspace = 128 : i64} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %stack = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  %a = llvm.load %in : !llvm.ptr -> !llvm.ptr
  %n = call @make(%a) : (!llvm.ptr) -> i64
  call @kernel(%a, %n) : (!llvm.ptr, i64) -> ()
  %small = arith.cmpi slt, %n, %one : i64
  cf.assert %small, "small"
  call @kernel(%a, %n) : (!llvm.ptr, i64) -> ()
  llvm.store %a, %stack : !llvm.ptr, !llvm.ptr
  call @take(%stack) : (!llvm.ptr) -> ()
  %fine = arith.constant 0 : i32
  return %fine : i32
}
