// The road to the GPU is passes over IR: each prints, and they run one by one.
// RUN: fx-opt %s --fxgraph-to-gpu=libraries=always --mlir-print-ir-after-all -o %t.once 2>&1 | FileCheck %s
// CHECK: IR Dump After {{.*}}(fxgraph-gpu-prepare)
// CHECK: fxgraph.addmm
// CHECK: fxgraph.sort
// CHECK: IR Dump After {{.*}}(fxgraph-form-kernels)
// CHECK: fxgraph.addmm
// CHECK: fxgraph.kernel
// CHECK: linalg.generic
// CHECK: IR Dump After {{.*}}(fxgraph-fuse-kernels)
// CHECK: memref.alloc
// CHECK: fxgraph.matrix_product ["addmm"]
// CHECK: fxgraph.loop_nest ["relu"]
// CHECK: IR Dump After {{.*}}(fxgraph-batch-kernels)
// CHECK: IR Dump After {{.*}}(fxgraph-configure-products)
// CHECK: lowering_config = {emitter = "library"}
// CHECK: IR Dump After {{.*}}(fxgraph-spread-scans)
// CHECK: IR Dump After {{.*}}(fxgraph-plan-memory)
// CHECK: fxgraph.workspace
// CHECK-NOT: memref.alloc
// CHECK: IR Dump After {{.*}}(fxgraph-configure-kernels)
// CHECK: lowering_config = {block = 64 : i64, kind = "flat"
// CHECK: IR Dump After {{.*}}(fxgraph-emit-kernels)
// CHECK: gpu.launch_func
// CHECK: IR Dump After {{.*}}(fxgraph-overlap-launches)
// RUN: fx-opt %s --fxgraph-gpu-prepare -o %t.prepared.mlir
// RUN: fx-opt %t.prepared.mlir --fxgraph-form-kernels=libraries=always -o %t.formed.mlir
// RUN: fx-opt %t.formed.mlir --fxgraph-fuse-kernels=libraries=always -o %t.fused.mlir
// RUN: fx-opt %t.fused.mlir --fxgraph-batch-kernels -o %t.batched.mlir
// RUN: fx-opt %t.batched.mlir --fxgraph-configure-products -o %t.configured.mlir
// RUN: fx-opt %t.configured.mlir --fxgraph-spread-scans -o %t.spread.mlir
// RUN: fx-opt %t.spread.mlir --fxgraph-plan-memory -o %t.planned.mlir
// RUN: fx-opt %t.planned.mlir --fxgraph-configure-kernels -o %t.ready.mlir
// RUN: fx-opt %t.ready.mlir --fxgraph-emit-kernels -o %t.emitted.mlir
// RUN: fx-opt %t.emitted.mlir --fxgraph-overlap-launches -o %t.stages
// RUN: diff %t.once %t.stages

// A stage leaves alone what a later one has made.
// RUN: fx-opt %t.planned.mlir --fxgraph-batch-kernels --fxgraph-configure-products --fxgraph-spread-scans --fxgraph-plan-memory -o %t.again
// RUN: diff %t.planned.mlir %t.again
// RUN: fx-opt %t.ready.mlir --fxgraph-configure-kernels -o %t.again
// RUN: diff %t.ready.mlir %t.again
// RUN: fx-opt %t.stages --fxgraph-plan-memory --fxgraph-configure-kernels --fxgraph-emit-kernels --fxgraph-overlap-launches -o %t.again
// RUN: diff %t.stages %t.again

// Errors name the stage.
// RUN: not fx-opt %t.formed.mlir --fxgraph-fuse-kernels=libraries=some 2>&1 | FileCheck %s --check-prefix=LIBRARIES
// LIBRARIES: fxgraph-fuse-kernels: expected libraries to be none, cublaslt, all or always but got 'some'
// RUN: not fx-opt %t.prepared.mlir --fxgraph-fuse-kernels=libraries=always 2>&1 | FileCheck %s --check-prefix=UNFORMED
// UNFORMED: error: not supported on gpu: 1 op
// UNFORMED: note: fxgraph.sort
// RUN: not fx-opt %t.batched.mlir --fxgraph-emit-kernels 2>&1 | FileCheck %s --check-prefix=UNPLANNED
// UNPLANNED: error: 'func.func' op expected planned memory, a workspace as the last argument
// RUN: not fx-opt %t.planned.mlir --fxgraph-emit-kernels 2>&1 | FileCheck %s --check-prefix=UNCONFIGURED
// UNCONFIGURED: error: 'fxgraph.loop_nest' op expected lowering_config, which --fxgraph-configure-kernels chooses
// RUN: not fx-opt %t.planned.mlir --fxgraph-configure-kernels=processors=0 2>&1 | FileCheck %s --check-prefix=PROCESSORS
// PROCESSORS: fxgraph-configure-kernels: expected processors to be a positive number but got '0'

func.func @main(%x: tensor<8x16xf32>, %w: tensor<24x16xf32>, %b: tensor<24xf32>) -> tensor<8x24xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<8x16xf32>, tensor<24x16xf32>, tensor<24xf32>) -> tensor<8x24xf32>
  %1, %indices = fxgraph.sort %0 dim -1 : (tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x24xi64>)
  %2 = fxgraph.relu %1 : tensor<8x24xf32>
  return %2 : tensor<8x24xf32>
}
