// Kernels that differ in their memory alone become one launch: addresses a fixed
// distance apart are arithmetic, others come from a table of pointers.
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=1e-5 --atol=2e-6
// RUN: fx-opt %s --fxgraph-to-gpu="entry=split_cat libraries=always" | FileCheck %s --check-prefix=SPLIT
// RUN: fx-opt %s --fxgraph-to-gpu="entry=norms libraries=always" | FileCheck %s --check-prefix=NORMS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=reversed libraries=always" | FileCheck %s --check-prefix=REVERSED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=shuffled libraries=always" | FileCheck %s --check-prefix=SHUFFLED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=chained libraries=always" | FileCheck %s --check-prefix=CHAINED

// Both functions share a launch.
// SPLIT: gpu.func @k0_{{relu|tanh}}_x3_and(%arg0: memref<f32>
// SPLIT-DAG: math.tanh
// SPLIT-DAG: arith.maximumf
// SPLIT-NOT: gpu.func
func.func @split_cat(%x: tensor<9x48xf32>) -> tensor<9x48xf32> {
  %p:6 = fxgraph.split %x size 8 dim 1 : (tensor<9x48xf32>) -> (tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>)
  %0 = fxgraph.relu %p#0 : tensor<9x8xf32>
  %1 = fxgraph.tanh %p#1 : tensor<9x8xf32>
  %2 = fxgraph.relu %p#2 : tensor<9x8xf32>
  %3 = fxgraph.tanh %p#3 : tensor<9x8xf32>
  %4 = fxgraph.relu %p#4 : tensor<9x8xf32>
  %5 = fxgraph.tanh %p#5 : tensor<9x8xf32>
  %r = fxgraph.cat %1, %3, %5, %0, %2, %4 dim 1 : (tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>, tensor<9x8xf32>) -> tensor<9x48xf32>
  return %r : tensor<9x48xf32>
}

// Weights are arguments: tables.
// NORMS: gpu.func @k0_layer_norm_tanh_x3(
// NORMS-SAME: llvm.byval = !llvm.array<3 x i64>
// NORMS-NOT: gpu.func
func.func @norms(%x: tensor<5x48xf32>, %w2: tensor<16xf32>, %b2: tensor<16xf32>, %w0: tensor<16xf32>, %b0: tensor<16xf32>, %w1: tensor<16xf32>, %b1: tensor<16xf32>) -> tensor<5x48xf32> {
  %p:3 = fxgraph.split %x size 16 dim 1 : (tensor<5x48xf32>) -> (tensor<5x16xf32>, tensor<5x16xf32>, tensor<5x16xf32>)
  %n0 = fxgraph.layer_norm %p#0 weight %w0 bias %b0 over [16] eps 1.0e-05 : (tensor<5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<5x16xf32>
  %t0 = fxgraph.tanh %n0 : tensor<5x16xf32>
  %n1 = fxgraph.layer_norm %p#1 weight %w1 bias %b1 over [16] eps 1.0e-05 : (tensor<5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<5x16xf32>
  %t1 = fxgraph.tanh %n1 : tensor<5x16xf32>
  %n2 = fxgraph.layer_norm %p#2 weight %w2 bias %b2 over [16] eps 1.0e-05 : (tensor<5x16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<5x16xf32>
  %t2 = fxgraph.tanh %n2 : tensor<5x16xf32>
  %r = fxgraph.cat %t0, %t1, %t2 dim 1 : (tensor<5x16xf32>, tensor<5x16xf32>, tensor<5x16xf32>) -> tensor<5x48xf32>
  return %r : tensor<5x48xf32>
}

// The twin: equal kernels that depend on each other stay apart.
// CHAINED-COUNT-3: gpu.func
func.func @chained(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = fxgraph.exp %x : tensor<64x64xf32>
  %1 = fxgraph.mm %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = fxgraph.tanh %1 : tensor<64x64xf32>
  %3 = fxgraph.mm %2, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %4 = fxgraph.tanh %3 : tensor<64x64xf32>
  return %4 : tensor<64x64xf32>
}

func.func @separate_outputs(%x: tensor<7x5xf32>, %y: tensor<7x5xf32>, %z: tensor<7x5xf32>) -> (tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>) {
  %0 = fxgraph.tanh %x : tensor<7x5xf32>
  %1 = fxgraph.tanh %y : tensor<7x5xf32>
  %2 = fxgraph.tanh %z : tensor<7x5xf32>
  return %0, %1, %2 : tensor<7x5xf32>, tensor<7x5xf32>, tensor<7x5xf32>
}

func.func @columns(%x: tensor<300x20xf32>, %y: tensor<300x20xf32>) -> (tensor<20xf32>, tensor<20xf32>) {
  %0 = fxgraph.sum %x dims [0] : (tensor<300x20xf32>) -> tensor<20xf32>
  %1 = fxgraph.sum %y dims [0] : (tensor<300x20xf32>) -> tensor<20xf32>
  return %0, %1 : tensor<20xf32>, tensor<20xf32>
}

func.func @embeddings(%a: tensor<9x8xf32>, %b: tensor<9x8xf32>, %i: tensor<4xi1>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %j = fxgraph.convert_element_type %i : (tensor<4xi1>) -> tensor<4xi64>
  %0 = fxgraph.embedding %a, %j : (tensor<9x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  %1 = fxgraph.embedding %b, %j : (tensor<9x8xf32>, tensor<4xi64>) -> tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Read backwards: addresses are arithmetic, from the lowest memory on.
// REVERSED: gpu.func @k0_tanh_x3(%arg0: memref<f32>
// REVERSED-NOT: byval
func.func @reversed(%x: tensor<40x51xf32>) -> tensor<40x51xf32> {
  %p:3 = fxgraph.split %x size 17 dim 1 : (tensor<40x51xf32>) -> (tensor<40x17xf32>, tensor<40x17xf32>, tensor<40x17xf32>)
  %0 = fxgraph.tanh %p#2 : tensor<40x17xf32>
  %1 = fxgraph.tanh %p#1 : tensor<40x17xf32>
  %2 = fxgraph.tanh %p#0 : tensor<40x17xf32>
  %r = fxgraph.cat %0, %1, %2 dim 1 : (tensor<40x17xf32>, tensor<40x17xf32>, tensor<40x17xf32>) -> tensor<40x51xf32>
  return %r : tensor<40x51xf32>
}

// In no order: a table, read by threads whose results are neighbours.
// SHUFFLED: llvm.byval = !llvm.array<3 x i64>
// SHUFFLED: %[[COLUMN:.*]] = arith.remui
// SHUFFLED: %[[INSTANCE:.*]] = arith.remui %{{.*}}, %c3
// SHUFFLED: arith.index_cast %[[INSTANCE]] : index to i64
func.func @shuffled(%x: tensor<40x51xf32>) -> tensor<40x51xf32> {
  %p:3 = fxgraph.split %x size 17 dim 1 : (tensor<40x51xf32>) -> (tensor<40x17xf32>, tensor<40x17xf32>, tensor<40x17xf32>)
  %0 = fxgraph.tanh %p#1 : tensor<40x17xf32>
  %1 = fxgraph.tanh %p#2 : tensor<40x17xf32>
  %2 = fxgraph.tanh %p#0 : tensor<40x17xf32>
  %r = fxgraph.cat %0, %1, %2 dim 1 : (tensor<40x17xf32>, tensor<40x17xf32>, tensor<40x17xf32>) -> tensor<40x51xf32>
  return %r : tensor<40x51xf32>
}
