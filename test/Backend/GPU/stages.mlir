// The road to the GPU is passes over IR: each prints, and they run one by one.
// RUN: fx-opt %s --fxgraph-to-gpu --mlir-print-ir-after-all -o %t.once 2>&1 | FileCheck %s
// CHECK: IR Dump After {{.*}}(fxgraph-gpu-prepare)
// CHECK: fxgraph.addmm
// CHECK: fxgraph.sort
// CHECK: IR Dump After {{.*}}(fxgraph-form-kernels)
// CHECK: fxgraph.addmm
// CHECK: fxgraph.kernel
// CHECK: linalg.generic
// CHECK: IR Dump After {{.*}}(fxgraph-gpu-emit)
// CHECK: gpu.launch_func
// CHECK: IR Dump After {{.*}}(fxgraph-to-gpu)
// RUN: fx-opt %s --fxgraph-gpu-prepare -o %t.prepared.mlir
// RUN: fx-opt %t.prepared.mlir --fxgraph-form-kernels -o %t.formed.mlir
// RUN: fx-opt %t.formed.mlir --fxgraph-gpu-emit -o %t.stages
// RUN: diff %t.once %t.stages

// Errors name the stage.
// RUN: not fx-opt %t.formed.mlir --fxgraph-gpu-emit=libraries=some 2>&1 | FileCheck %s --check-prefix=LIBRARIES
// LIBRARIES: fxgraph-gpu-emit: expected libraries to be none, cublaslt or all but got 'some'
// RUN: not fx-opt %t.prepared.mlir --fxgraph-gpu-emit 2>&1 | FileCheck %s --check-prefix=UNFORMED
// UNFORMED: error: not supported on gpu: 1 op
// UNFORMED: note: fxgraph.sort

func.func @main(%x: tensor<8x16xf32>, %w: tensor<24x16xf32>, %b: tensor<24xf32>) -> tensor<8x24xf32> {
  %0 = fxgraph.linear %x, %w, %b : (tensor<8x16xf32>, tensor<24x16xf32>, tensor<24xf32>) -> tensor<8x24xf32>
  %1, %indices = fxgraph.sort %0 dim -1 : (tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x24xi64>)
  %2 = fxgraph.relu %1 : tensor<8x24xf32>
  return %2 : tensor<8x24xf32>
}
