// Nests that read what another one writes at the same element are part of it, those that read what it reads are, too, and what is passed
// between them in memory that nobody else reads is not written.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=chain --mlir-print-ir-after=fxgraph-batch-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHAIN
// RUN: fx-opt %s --fxgraph-to-gpu=entry=also_read --mlir-print-ir-after=fxgraph-batch-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=READ
// RUN: fx-opt %s --fxgraph-to-gpu=entry=also_result --mlir-print-ir-after=fxgraph-batch-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=RESULT
// RUN: fx-opt %s --fxgraph-to-gpu=entry=chain | FileCheck %s --check-prefix=WORKSPACE
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=1e-4 --atol=1e-4
// WORKSPACE: memref<0xi8> {fxgraph.workspace}

// One nest for the norm of few rows, what follows it and what else is computed of its operand.
// CHAIN-NOT: memref.alloc
// CHAIN: fxgraph.loop_nest ["layer_norm", "tanh", "mul"]
// CHAIN-COUNT-2: fxgraph.nest.store
// CHAIN-NOT: fxgraph.nest.store
// CHAIN-NOT: fxgraph.loop_nest
func.func @chain(%x: tensor<2x24072xf32>, %w: tensor<24072xf32>) -> (tensor<2x24072xf32>, tensor<2x24072xf32>) {
  %0 = fxgraph.layer_norm %x weight %w over [24072] eps 1.000000e-05 : (tensor<2x24072xf32>, tensor<24072xf32>) -> tensor<2x24072xf32>
  %1 = fxgraph.tanh %0 : tensor<2x24072xf32>
  %2 = fxgraph.mul %x, %x : (tensor<2x24072xf32>, tensor<2x24072xf32>) -> tensor<2x24072xf32>
  return %1, %2 : tensor<2x24072xf32>, tensor<2x24072xf32>
}

// Not so where another nest reads it at other elements; nor where it is a result.
// READ: fxgraph.loop_nest ["layer_norm", "tanh"]
// READ-COUNT-2: fxgraph.nest.store
// READ: fxgraph.loop_nest
func.func @also_read(%x: tensor<2x24072xf32>, %w: tensor<24072xf32>) -> (tensor<2x24072xf32>, tensor<2xf32>) {
  %0 = fxgraph.layer_norm %x weight %w over [24072] eps 1.000000e-05 : (tensor<2x24072xf32>, tensor<24072xf32>) -> tensor<2x24072xf32>
  %1 = fxgraph.tanh %0 : tensor<2x24072xf32>
  %2 = fxgraph.amax %0 dims [1] : (tensor<2x24072xf32>) -> tensor<2xf32>
  return %1, %2 : tensor<2x24072xf32>, tensor<2xf32>
}
// RESULT: fxgraph.loop_nest ["layer_norm", "tanh"]
// RESULT-COUNT-2: fxgraph.nest.store
func.func @also_result(%x: tensor<2x24072xf32>, %w: tensor<24072xf32>) -> (tensor<2x24072xf32>, tensor<2x24072xf32>) {
  %0 = fxgraph.layer_norm %x weight %w over [24072] eps 1.000000e-05 : (tensor<2x24072xf32>, tensor<24072xf32>) -> tensor<2x24072xf32>
  %1 = fxgraph.tanh %0 : tensor<2x24072xf32>
  return %0, %1 : tensor<2x24072xf32>, tensor<2x24072xf32>
}
