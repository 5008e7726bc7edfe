// One flag brings dialect, passes and pipelines into a stock mlir-opt.

// RUN: %mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s
// RUN: %mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s | FileCheck %s
// RUN: not %mlir-opt --load-dialect-plugin=%lib_dir/nowhere.so %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNLOADED

// CHECK-LABEL: func @f
// CHECK: fxgraph.relu
// MISSING: nowhere.so
// UNLOADED: Dialect `fxgraph' not found
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
