// One flag brings dialect, passes and pipelines into a stock mlir-opt.

// RUN: %mlir-opt --load-dialect-plugin=%plugin %s | FileCheck %s
// RUN: %mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin %s | FileCheck %s
// RUN: not %mlir-opt --load-dialect-plugin=%lib_dir/nowhere.so %s 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not %mlir-opt %s 2>&1 | FileCheck %s --check-prefix=UNLOADED

// Of fx-opt it is an error, with the reason.
// RUN: not fx-opt --load-dialect-plugin=%lib_dir/nowhere.so %s 2>&1 | FileCheck %s --check-prefix=REASON
// REASON: {{^}}fx-opt: error: --load-dialect-plugin: {{.*}}nowhere.so: cannot open shared object file
// RUN: not fx-opt --load-pass-plugin %lib_dir/libFxGraphRuntime.so %s 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: {{^}}fx-opt: error: --load-pass-plugin: Plugin entry point not found in

// CHECK-LABEL: func @f
// CHECK: fxgraph.relu
// MISSING: nowhere.so
// UNLOADED: Dialect `fxgraph' not found
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
