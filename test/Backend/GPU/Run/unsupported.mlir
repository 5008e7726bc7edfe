// Everything that has no GPU form is reported at once.
// RUN: not fx-opt %s --fxgraph-to-gpu 2>&1 | FileCheck %s
// RUN: not fx-opt %s --fxgraph-to-gpu=chip=sm_42 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not fx-opt %s --fxgraph-to-gpu=libraries=some 2>&1 | FileCheck %s --check-prefix=LIBRARIES
// RUN: not fx-opt %s --fxgraph-to-gpu=processors=0 2>&1 | FileCheck %s --check-prefix=PROCESSORS

// CHECK: error: not supported on gpu: 3 ops
// CHECK: unsupported.mlir:[[#@LINE+9]]:8: note: fxgraph.opaque is the unknown PyTorch op 'aten.frob.default'
// CHECK: unsupported.mlir:[[#@LINE+9]]:8: note: fxgraph.dropout has no GPU form
// CHECK: unsupported.mlir:[[#@LINE+9]]:8: note: fxgraph.opaque is the unknown PyTorch op 'aten.pure.default'
// CHIP: error: expected a chip of sm_80, {{.*}}sm_90a{{.*}} but got 'sm_42'
// LIBRARIES: error: fxgraph-gpu-check: expected libraries to be none, cublaslt, all or always but got 'some'
// PROCESSORS: error: fxgraph-gpu-check: expected processors to be a positive number but got '0'


func.func @main(%x: tensor<4xi32>) -> tensor<4xi32> {
  %0 = fxgraph.opaque "aten.frob.default" (%x) : (tensor<4xi32>) -> tensor<4xi32>
  %1 = fxgraph.dropout %0 p 5.0e-01 training true : tensor<4xi32>
  %2 = "fxgraph.opaque"(%1) {target = "aten.pure.default", effects = "none"} : (tensor<4xi32>) -> tensor<4xi32>
  return %2 : tensor<4xi32>
}
