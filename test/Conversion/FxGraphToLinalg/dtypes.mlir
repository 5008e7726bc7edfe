// What the artefact tells its caller of each dtype (FxDtype), and how it is stored.
// RUN: fx-opt %s --fxgraph-to-linalg --fxgraph-cpu-entry | FileCheck %s
// RUN: fx-opt %s --fxgraph-to-linalg | FileCheck %s --check-prefix=STORED

// Inputs, results, written; then of each tensor: dtype, rank, extent, written argument.
// CHECK: fxgraph.cpu_entry = array<i64: 15, 1, 0, 1, 1, 4, -1, 2, 1, 4, -1, 3, 1, 4, -1, 4, 1, 4, -1, 5, 1, 4, -1, 6, 1, 4, -1, 7, 1, 4, -1, 8, 1, 4, -1, 9, 1, 4, -1, 10, 1, 4, -1, 11, 1, 4, -1, 12, 1, 4, -1, 13, 1, 4, -1, 14, 1, 4, -1, 15, 1, 4, -1, 12, 1, 4, -1>
// STORED: tensor<4xi8>, %{{.*}}: tensor<4xi16>, %{{.*}}: tensor<4xi32>, %{{.*}}: tensor<4xi64>, %{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi16>, %{{.*}}: tensor<4xi32>, %{{.*}}: tensor<4xi64>, %{{.*}}: tensor<4xi8>, %{{.*}}: tensor<4xi8>) -> tensor<4xi32>
// STORED: arith.divui
func.func @main(%0: tensor<4xf32>, %1: tensor<4xf64>, %2: tensor<4xf16>, %3: tensor<4xbf16>, %4: tensor<4xi8>, %5: tensor<4xi16>, %6: tensor<4xi32>,
                %7: tensor<4xi64>, %8: tensor<4xui8>, %9: tensor<4xi1>, %10: tensor<4xui16>, %11: tensor<4xui32>, %12: tensor<4xui64>,
                %13: tensor<4xf8E4M3FN>, %14: tensor<4xf8E5M2>) -> tensor<4xui32> {
  %15 = fxgraph.div %11, %11 rounding_mode "trunc" : (tensor<4xui32>, tensor<4xui32>) -> tensor<4xui32>
  return %15 : tensor<4xui32>
}
