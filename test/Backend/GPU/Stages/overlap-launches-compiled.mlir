// Kernels that are no gpu.func any more are launched as they were.
// RUN: fx-opt %s --fxgraph-overlap-launches | FileCheck %s
// CHECK-NOT: griddepcontrol
// CHECK-COUNT-2: gpu.launch_func
// CHECK-NOT: fxgraph.programmatic
module attributes {gpu.container_module} {
  gpu.module @kernels {
    llvm.func @k(%p: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @main(%x: memref<4xf32>, %w: memref<0xi8> {fxgraph.workspace}) attributes {fxgraph.chip = "sm_90a"} {
    %one = arith.constant 1 : index
    %p = fxgraph.buffer %x offset 0 : memref<4xf32> to !llvm.ptr
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%p : !llvm.ptr)
    gpu.launch_func @kernels::@k blocks in (%one, %one, %one) threads in (%one, %one, %one) args(%p : !llvm.ptr)
    return
  }
}
