// A wrong rule is caught while it runs: the error names pass, pattern and place.
// With verification off the same rule goes through, so it is the verifier that objects.

// RUN: not env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --fxgraph-test-wrong-rule --fxgraph-verify-rewrites 2>&1 | FileCheck %s
// RUN: not fx-opt %s --fxgraph-test-wrong-rule 2>&1 | FileCheck %s
// RUN: env FXGRAPH_VERIFY_REWRITES=0 fx-opt %s --fxgraph-test-wrong-rule | FileCheck %s --check-prefix=OFF

// CHECK: verify-rewrites.mlir:[[#@LINE+5]]:{{[0-9]+}}: error: {{.*}}swap-sub
// OFF-LABEL: func @f
// OFF-SAME: %[[X:[a-z0-9]+]]: tensor<3x5xf32>, %[[Y:[a-z0-9]+]]: tensor<3x5xf32>
// OFF: fxgraph.sub %[[Y]], %[[X]]
func.func @f(%x: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = fxgraph.sub %x, %y : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}
