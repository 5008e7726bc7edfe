// Many small products of one shape are kernels that share a launch, whatever their shape; few, large ones and those of tensor cores are not.
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --compare-target=ref --rtol=2e-2 --atol=1e-2
// RUN: fx-opt %s --fxgraph-to-gpu=entry=odd | FileCheck %s --check-prefix=ODD
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1" | FileCheck %s --check-prefix=BUSY
// RUN: fx-opt %s --fxgraph-to-gpu=entry=single_precision | FileCheck %s --check-prefix=SINGLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=few libraries=always" | FileCheck %s --check-prefix=FEW
// RUN: fx-opt %s --fxgraph-to-gpu=entry=long | FileCheck %s --check-prefix=LONG
// RUN: fx-opt %s --fxgraph-to-gpu=entry=suited | FileCheck %s --check-prefix=SUITED

// Several threads add up one result's terms where there are few results; where there are many, as many as have ten each, so that
// narrow accesses of neighbours share a line.
// ODD: gpu.func {{.*}}_x4(
// ODD-SAME: kind = "rows", lanes = 1 : i64, threads = 16 : i64
// ODD-NOT: library_call
// BUSY: kind = "rows", lanes = 1 : i64, threads = 2 : i64
func.func @odd(%x: tensor<9x29xbf16>, %w0: tensor<23x29xbf16>, %w1: tensor<23x29xbf16>, %w2: tensor<23x29xbf16>, %w3: tensor<23x29xbf16>, %b0: tensor<23xbf16>, %b1: tensor<23xbf16>, %b2: tensor<23xbf16>, %b3: tensor<23xbf16>) -> (tensor<9x23xbf16>, tensor<9x23xbf16>, tensor<9x23xbf16>, tensor<9x23xbf16>) {
  %l0 = fxgraph.linear %x, %w0, %b0 : (tensor<9x29xbf16>, tensor<23x29xbf16>, tensor<23xbf16>) -> tensor<9x23xbf16>
  %r0 = fxgraph.tanh %l0 : tensor<9x23xbf16>
  %l1 = fxgraph.linear %x, %w1, %b1 : (tensor<9x29xbf16>, tensor<23x29xbf16>, tensor<23xbf16>) -> tensor<9x23xbf16>
  %r1 = fxgraph.tanh %l1 : tensor<9x23xbf16>
  %l2 = fxgraph.linear %x, %w2, %b2 : (tensor<9x29xbf16>, tensor<23x29xbf16>, tensor<23xbf16>) -> tensor<9x23xbf16>
  %r2 = fxgraph.tanh %l2 : tensor<9x23xbf16>
  %l3 = fxgraph.linear %x, %w3, %b3 : (tensor<9x29xbf16>, tensor<23x29xbf16>, tensor<23xbf16>) -> tensor<9x23xbf16>
  %r3 = fxgraph.tanh %l3 : tensor<9x23xbf16>
  return %r0, %r1, %r2, %r3 : tensor<9x23xbf16>, tensor<9x23xbf16>, tensor<9x23xbf16>, tensor<9x23xbf16>
}

// SINGLE: gpu.func {{.*}}_x5(
// SINGLE-SAME: lanes = 4 : i64
// SINGLE-NOT: library_call
func.func @single_precision(%x: tensor<7x32xf32>, %w0: tensor<11x32xf32>, %w1: tensor<11x32xf32>, %w2: tensor<11x32xf32>, %w3: tensor<11x32xf32>, %w4: tensor<11x32xf32>, %b0: tensor<11xf32>, %b1: tensor<11xf32>, %b2: tensor<11xf32>, %b3: tensor<11xf32>, %b4: tensor<11xf32>) -> (tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>) {
  %l0 = fxgraph.linear %x, %w0, %b0 : (tensor<7x32xf32>, tensor<11x32xf32>, tensor<11xf32>) -> tensor<7x11xf32>
  %r0 = fxgraph.tanh %l0 : tensor<7x11xf32>
  %l1 = fxgraph.linear %x, %w1, %b1 : (tensor<7x32xf32>, tensor<11x32xf32>, tensor<11xf32>) -> tensor<7x11xf32>
  %r1 = fxgraph.tanh %l1 : tensor<7x11xf32>
  %l2 = fxgraph.linear %x, %w2, %b2 : (tensor<7x32xf32>, tensor<11x32xf32>, tensor<11xf32>) -> tensor<7x11xf32>
  %r2 = fxgraph.tanh %l2 : tensor<7x11xf32>
  %l3 = fxgraph.linear %x, %w3, %b3 : (tensor<7x32xf32>, tensor<11x32xf32>, tensor<11xf32>) -> tensor<7x11xf32>
  %r3 = fxgraph.tanh %l3 : tensor<7x11xf32>
  %l4 = fxgraph.linear %x, %w4, %b4 : (tensor<7x32xf32>, tensor<11x32xf32>, tensor<11xf32>) -> tensor<7x11xf32>
  %r4 = fxgraph.tanh %l4 : tensor<7x11xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>, tensor<7x11xf32>
}

// FEW-COUNT-3: library_call
func.func @few(%x: tensor<9x29xf32>, %w0: tensor<23x29xf32>, %w1: tensor<23x29xf32>, %w2: tensor<23x29xf32>, %b0: tensor<23xf32>, %b1: tensor<23xf32>, %b2: tensor<23xf32>) -> (tensor<9x23xf32>, tensor<9x23xf32>, tensor<9x23xf32>) {
  %l0 = fxgraph.linear %x, %w0, %b0 : (tensor<9x29xf32>, tensor<23x29xf32>, tensor<23xf32>) -> tensor<9x23xf32>
  %r0 = fxgraph.tanh %l0 : tensor<9x23xf32>
  %l1 = fxgraph.linear %x, %w1, %b1 : (tensor<9x29xf32>, tensor<23x29xf32>, tensor<23xf32>) -> tensor<9x23xf32>
  %r1 = fxgraph.tanh %l1 : tensor<9x23xf32>
  %l2 = fxgraph.linear %x, %w2, %b2 : (tensor<9x29xf32>, tensor<23x29xf32>, tensor<23xf32>) -> tensor<9x23xf32>
  %r2 = fxgraph.tanh %l2 : tensor<9x23xf32>
  return %r0, %r1, %r2 : tensor<9x23xf32>, tensor<9x23xf32>, tensor<9x23xf32>
}

// LONG-COUNT-4: library_call
func.func @long(%x: tensor<2x1025xf32>, %w0: tensor<3x1025xf32>, %w1: tensor<3x1025xf32>, %w2: tensor<3x1025xf32>, %w3: tensor<3x1025xf32>, %b0: tensor<3xf32>, %b1: tensor<3xf32>, %b2: tensor<3xf32>, %b3: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %l0 = fxgraph.linear %x, %w0, %b0 : (tensor<2x1025xf32>, tensor<3x1025xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r0 = fxgraph.tanh %l0 : tensor<2x3xf32>
  %l1 = fxgraph.linear %x, %w1, %b1 : (tensor<2x1025xf32>, tensor<3x1025xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r1 = fxgraph.tanh %l1 : tensor<2x3xf32>
  %l2 = fxgraph.linear %x, %w2, %b2 : (tensor<2x1025xf32>, tensor<3x1025xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r2 = fxgraph.tanh %l2 : tensor<2x3xf32>
  %l3 = fxgraph.linear %x, %w3, %b3 : (tensor<2x1025xf32>, tensor<3x1025xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %r3 = fxgraph.tanh %l3 : tensor<2x3xf32>
  return %r0, %r1, %r2, %r3 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// SUITED: nvvm.mma.sync
// SUITED-NOT: library_call
func.func @suited(%x: tensor<9x32xbf16>, %w0: tensor<24x32xbf16>, %w1: tensor<24x32xbf16>, %w2: tensor<24x32xbf16>, %w3: tensor<24x32xbf16>, %b0: tensor<24xbf16>, %b1: tensor<24xbf16>, %b2: tensor<24xbf16>, %b3: tensor<24xbf16>) -> (tensor<9x24xbf16>, tensor<9x24xbf16>, tensor<9x24xbf16>, tensor<9x24xbf16>) {
  %l0 = fxgraph.linear %x, %w0, %b0 : (tensor<9x32xbf16>, tensor<24x32xbf16>, tensor<24xbf16>) -> tensor<9x24xbf16>
  %r0 = fxgraph.tanh %l0 : tensor<9x24xbf16>
  %l1 = fxgraph.linear %x, %w1, %b1 : (tensor<9x32xbf16>, tensor<24x32xbf16>, tensor<24xbf16>) -> tensor<9x24xbf16>
  %r1 = fxgraph.tanh %l1 : tensor<9x24xbf16>
  %l2 = fxgraph.linear %x, %w2, %b2 : (tensor<9x32xbf16>, tensor<24x32xbf16>, tensor<24xbf16>) -> tensor<9x24xbf16>
  %r2 = fxgraph.tanh %l2 : tensor<9x24xbf16>
  %l3 = fxgraph.linear %x, %w3, %b3 : (tensor<9x32xbf16>, tensor<24x32xbf16>, tensor<24xbf16>) -> tensor<9x24xbf16>
  %r3 = fxgraph.tanh %l3 : tensor<9x24xbf16>
  return %r0, %r1, %r2, %r3 : tensor<9x24xbf16>, tensor<9x24xbf16>, tensor<9x24xbf16>, tensor<9x24xbf16>
}

// Each is a part of one tensor and has a function behind it: the function does not take its place.
func.func @parts(%x0: tensor<32x64xbf16>, %x1: tensor<32x64xbf16>, %x2: tensor<32x64xbf16>, %x3: tensor<32x64xbf16>, %w: tensor<64x32xbf16>) -> (tensor<128x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>) {
  %m0 = fxgraph.mm %x0, %w : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> tensor<32x32xbf16>
  %r0 = fxgraph.relu %m0 : tensor<32x32xbf16>
  %m1 = fxgraph.mm %x1, %w : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> tensor<32x32xbf16>
  %r1 = fxgraph.relu %m1 : tensor<32x32xbf16>
  %m2 = fxgraph.mm %x2, %w : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> tensor<32x32xbf16>
  %r2 = fxgraph.relu %m2 : tensor<32x32xbf16>
  %m3 = fxgraph.mm %x3, %w : (tensor<32x64xbf16>, tensor<64x32xbf16>) -> tensor<32x32xbf16>
  %r3 = fxgraph.relu %m3 : tensor<32x32xbf16>
  %all = fxgraph.cat %m0, %m1, %m2, %m3 dim 0 : (tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>) -> tensor<128x32xbf16>
  return %all, %r0, %r1, %r2, %r3 : tensor<128x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>, tensor<32x32xbf16>
}
