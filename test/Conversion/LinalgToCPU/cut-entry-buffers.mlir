// Memory whose description is more than a slot holds is not carried from one part to
// another: an entry with such a value stays whole.
// RUN: fx-opt %s --fxgraph-cpu-cut-entry=max-calls=1 | FileCheck %s

func.func private @kernel(memref<?xf32>, i64)

// CHECK-NOT: _part_
// CHECK-LABEL: func.func @main(
// CHECK: %[[M:.*]] = memref.alloc
// CHECK: call @kernel(%[[M]]
// CHECK: %[[V:.*]] = memref.subview %[[M]]
// CHECK: memref.cast %[[V]]
// CHECK: call @kernel(
// CHECK-NOT: _part_
func.func @main(%in: !llvm.ptr, %out: !llvm.ptr, %extents: !llvm.ptr, %workspace: !llvm.ptr, %context: !llvm.ptr) -> i32
    attributes {fxgraph.cpu_entry = array<i64: 0, 0, 0>, fxgraph.cpu_names = [], fxgraph.cpu_workspace = 128 : i64} {
  %n = llvm.load %extents : !llvm.ptr -> i64
  %size = arith.index_cast %n : i64 to index
  %m = memref.alloc(%size) : memref<?xf32>
  call @kernel(%m, %n) : (memref<?xf32>, i64) -> ()
  %view = memref.subview %m[0] [%size] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  %plain = memref.cast %view : memref<?xf32, strided<[1]>> to memref<?xf32>
  call @kernel(%plain, %n) : (memref<?xf32>, i64) -> ()
  %fine = arith.constant 0 : i32
  return %fine : i32
}
