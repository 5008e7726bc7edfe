// Collectives that no launch plan starts, and groups that no grid has.
// RUN: split-file %s %t
// RUN: not fx-opt %t/types.mlir --fxgraph-to-gpu 2>&1 | FileCheck %t/types.mlir
// RUN: not fx-opt %t/unwaited.mlir --fxgraph-fuse-kernels 2>&1 | FileCheck %t/unwaited.mlir
// RUN: not fx-run %t/size.mlir --ranks=3 --inputs=seed:0 --target=gpu-emulator 2>&1 | FileCheck %t/size.mlir
// RUN: not fx-run %t/size.mlir --ranks=4 --group='0:0,1' --inputs=seed:0 --target=gpu-emulator 2>&1 | FileCheck %t/size.mlir --check-prefix=MEMBER
// RUN: not fx-run %t/size.mlir --inputs=seed:0 --target=gpu-emulator 2>&1 | FileCheck %t/size.mlir --check-prefix=NONE
// RUN: not fx-run %t/size.mlir --inputs=seed:0 --target=gpu-emulator --target-option=group=0:0,1 2>&1 | FileCheck %t/size.mlir --check-prefix=ALONE
// RUN: not fx-translate %t/kind.mlir --to=plan 2>&1 | FileCheck %t/kind.mlir
// RUN: not fx-translate %t/reduction.mlir --to=plan 2>&1 | FileCheck %t/reduction.mlir
// RUN: not fx-translate %t/gather.mlir --to=plan 2>&1 | FileCheck %t/gather.mlir
// RUN: not fx-translate %t/group.mlir --to=plan 2>&1 | FileCheck %t/group.mlir
// RUN: not fx-translate %t/counts.mlir --to=plan 2>&1 | FileCheck %t/counts.mlir
// RUN: not fx-translate %t/element.mlir --to=plan 2>&1 | FileCheck %t/element.mlir
// RUN: not fx-translate %t/source.mlir --to=plan 2>&1 | FileCheck %t/source.mlir
// RUN: not fx-translate %t/exchange.mlir --to=plan 2>&1 | FileCheck %t/exchange.mlir
// RUN: not fx-translate %t/token.mlir --to=plan 2>&1 | FileCheck %t/token.mlir

//--- types.mlir
// CHECK: error: not supported on gpu: 3 ops
// CHECK: note: fxgraph.all_reduce is a mean of i32, which NCCL has of floats alone
// CHECK: note: fxgraph.reduce_scatter_tensor reduces i16, which NCCL does not
// CHECK: note: fxgraph.all_reduce_coalesced reduces bools and numbers at once, which NCCL does not
func.func @main(%x: tensor<4xi32>, %y: tensor<4xi16>, %z: tensor<4xi1>) -> (tensor<4xi32>, tensor<2xi16>, tensor<4xi32>, tensor<4xi1>) {
  %0 = fxgraph.all_reduce %x op "avg" group "0" : (tensor<4xi32>) -> tensor<4xi32>
  %1 = fxgraph.reduce_scatter_tensor %y op "sum" group "0" of 2 : (tensor<4xi16>) -> tensor<2xi16>
  %2:2 = fxgraph.all_reduce_coalesced (%x, %z) op "sum" group "0" : (tensor<4xi32>, tensor<4xi1>) -> (tensor<4xi32>, tensor<4xi1>)
  return %0, %1, %2#0, %2#1 : tensor<4xi32>, tensor<2xi16>, tensor<4xi32>, tensor<4xi1>
}

//--- unwaited.mlir
// CHECK: note: fxgraph.all_reduce has a result without one wait_tensor (--fxgraph-gpu-prepare places it)
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.all_reduce %x op "sum" group "0" : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- size.mlir
// CHECK: size.mlir:{{.*}}: error: rank 0: {{.*}}expected a communicator of 2 processes for group '0' but got one of 3
// MEMBER: error: expected a rank of group '0' but rank 2 is in no set of it
// NONE: graph 'main': expected a communicator for group '0' but none was set
// ALONE: error: expected the setting ranks beside group but got 'group=0:0,1' alone
func.func @main(%x: tensor<4xf32>) -> tensor<8xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "0" of 2 : (tensor<4xf32>) -> tensor<8xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

//--- kind.mlir
// CHECK: expected kind to be all_reduce, all_gather, reduce_scatter, broadcast or all_to_all but got 'gather'
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "gather" group "0" op "sum" (%0) to (%0) elements [4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- reduction.mlir
// CHECK: expected all_reduce with a reduction
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "all_reduce" group "0" (%0) to (%0) elements [4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- gather.mlir
// CHECK: expected all_gather without a reduction
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "all_gather" group "0" of 2 op "sum" (%0) to (%0) elements [4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- group.mlir
// CHECK: expected reduce_scatter with a group size
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "reduce_scatter" group "0" op "sum" (%0) to (%0) elements [4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- counts.mlir
// CHECK: expected as many outputs and counts as inputs, at least one, but got 1 inputs, 1 outputs and 2 counts
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "all_reduce" group "0" op "sum" (%0) to (%0) elements [4, 4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- element.mlir
// CHECK: expected an output of 'f32', as the input, but got 'f16'
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %1 = fxgraph.buffer %w offset 8 : memref<4xf32> to memref<f16>
  %t = fxgraph.start_collective "all_reduce" group "0" op "sum" (%0) to (%1) elements [4] : (memref<f32>) to (memref<f16>) -> !gpu.async.token
  return
}

//--- token.mlir
// CHECK: error: 'gpu.wait' op expected the tokens of fxgraph.start_collective as operands and no result
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %t = gpu.wait async
  gpu.wait [%t]
  return
}

//--- source.mlir
// CHECK: expected broadcast with a source
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "broadcast" group "0" (%0) to (%0) elements [4] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}

//--- exchange.mlir
// CHECK: expected counts for 2 processes but got 1 and 2
func.func @main(%w: memref<4xf32>) attributes {fxgraph.chip = "sm_90a"} {
  %0 = fxgraph.buffer %w offset 0 : memref<4xf32> to memref<f32>
  %t = fxgraph.start_collective "all_to_all" group "0" of 2 (%0) to (%0) elements [4] give [4] take [2, 2] : (memref<f32>) to (memref<f32>) -> !gpu.async.token
  return
}
