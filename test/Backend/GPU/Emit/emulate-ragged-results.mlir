// Results whose rows begin anywhere are written in vectors that lie where vectors may; what is left of a run, in front and behind, is
// one vector's work, too.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=37x33,block=96 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-run %s --entry=* --inputs=seed:4 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=24x50 --compare-target=ref --rtol=2e-3 --atol=2e-3
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1" | FileCheck %s --check-prefix=SMALL
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd processors=1 nest-config=kind=boxes,box=11x73" | FileCheck %s --check-prefixes=RAGGED,OPERAND
// RUN: fx-opt %s --fxgraph-to-gpu="entry=displaced processors=1 nest-config=kind=boxes,box=61x73" | FileCheck %s --check-prefixes=RAGGED,APART
// RUN: fx-opt %s --fxgraph-to-gpu="entry=bytes processors=1" | FileCheck %s --check-prefix=BYTES
// RUN: fx-opt %s --fxgraph-to-gpu="entry=two_widths processors=1" | FileCheck %s --check-prefix=RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=wide processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=short processors=1" | FileCheck %s --check-prefix=NONE
// RAGGED: lanes = 2 : i64, {{(ragged, )?}}ragged_results
// BYTES: lanes = 4 : i64, {{(ragged, )?}}ragged_results
// NONE: kind = "boxes"
// NONE-NOT: ragged_results

// An operand that lies as the results do is read so.
// SMALL: box = array<i64: 37, 32>, kind = "boxes", lanes = 1 : i64, ragged, read_lanes = 4
// OPERAND: vector.load {{.*}} {alignment = 4 : i64} : memref<40953xf16{{.*}}>, vector<2xf16>
// OPERAND: gpu.barrier
// OPERAND: scf.if
// OPERAND: vector.store {{.*}} {alignment = 4 : i64}
// OPERAND: } else {
// OPERAND: memref.store
func.func @odd(%x: tensor<3x73x17x11xf16>, %y: tensor<3x11x17x73xf16>, %z: tensor<73xf16>) -> tensor<3x11x17x73xf16> {
  %0 = fxgraph.transpose %x dims 1, 3 : (tensor<3x73x17x11xf16>) -> tensor<3x11x17x73xf16>
  %1 = fxgraph.add %0, %y : (tensor<3x11x17x73xf16>, tensor<3x11x17x73xf16>) -> tensor<3x11x17x73xf16>
  %2 = fxgraph.mul %1, %z : (tensor<3x11x17x73xf16>, tensor<73xf16>) -> tensor<3x11x17x73xf16>
  return %2 : tensor<3x11x17x73xf16>
}

// Others are read element by element.
// APART-NOT: vector<2xbf16>
// APART: gpu.barrier
// APART: vector.store
func.func @displaced(%x: tensor<73x91xbf16>, %y: tensor<91x75xbf16>) -> tensor<91x73xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<73x91xbf16>) -> tensor<91x73xbf16>
  %1 = fxgraph.slice %y dim 1 from 1 to 74 step 1 : (tensor<91x75xbf16>) -> tensor<91x73xbf16>
  %2 = fxgraph.sub %0, %1 : (tensor<91x73xbf16>, tensor<91x73xbf16>) -> tensor<91x73xbf16>
  %3 = fxgraph.contiguous %2 : tensor<91x73xbf16>
  return %3 : tensor<91x73xbf16>
}

// Rows that are as far from each other as those of the results, but begin elsewhere.
func.func @one_further(%x: tensor<73x91xbf16>, %y: tensor<6644xbf16>) -> tensor<91x73xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<73x91xbf16>) -> tensor<91x73xbf16>
  %1 = fxgraph.slice %y dim 0 from 1 to 6644 step 1 : (tensor<6644xbf16>) -> tensor<6643xbf16>
  %2 = fxgraph.view %1 shape [91, 73] : tensor<6643xbf16> -> tensor<91x73xbf16>
  %3 = fxgraph.sub %0, %2 : (tensor<91x73xbf16>, tensor<91x73xbf16>) -> tensor<91x73xbf16>
  %4 = fxgraph.contiguous %3 : tensor<91x73xbf16>
  return %4 : tensor<91x73xbf16>
}

func.func @bytes(%x: tensor<99x67xui8>) -> tensor<67x99xui8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<99x67xui8>) -> tensor<67x99xui8>
  %1 = fxgraph.contiguous %0 : tensor<67x99xui8>
  return %1 : tensor<67x99xui8>
}

func.func @bools(%x: tensor<5x99x67xf16>, %y: tensor<5x67x99xi1>) -> tensor<5x67x99xi1> {
  %0 = fxgraph.transpose %x dims 1, 2 : (tensor<5x99x67xf16>) -> tensor<5x67x99xf16>
  %1 = fxgraph.gt %0, %0 : (tensor<5x67x99xf16>, tensor<5x67x99xf16>) -> tensor<5x67x99xi1>
  %2 = fxgraph.logical_or %1, %y : (tensor<5x67x99xi1>, tensor<5x67x99xi1>) -> tensor<5x67x99xi1>
  return %2 : tensor<5x67x99xi1>
}

func.func @two_widths(%x: tensor<131x67xf16>) -> (tensor<67x131xf16>, tensor<67x131xf32>) {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<131x67xf16>) -> tensor<67x131xf16>
  %1 = fxgraph.exp %0 : tensor<67x131xf16>
  %2 = fxgraph.relu %0 : tensor<67x131xf16>
  %3 = fxgraph.convert_element_type %2 : (tensor<67x131xf16>) -> tensor<67x131xf32>
  %4 = fxgraph.contiguous %1 : tensor<67x131xf16>
  %5 = fxgraph.contiguous %3 : tensor<67x131xf32>
  return %4, %5 : tensor<67x131xf16>, tensor<67x131xf32>
}

// A run of two dimensions, each of which is odd, and an operand that does not change along it.
func.func @joined(%x: tensor<9x13x77xbf16>, %y: tensor<77xbf16>) -> tensor<77x9x13xbf16> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<9x13x77xbf16>) -> tensor<77x9x13xbf16>
  %1 = fxgraph.view %y shape [77, 1, 1] : tensor<77xbf16> -> tensor<77x1x1xbf16>
  %2 = fxgraph.maximum %0, %1 : (tensor<77x9x13xbf16>, tensor<77x1x1xbf16>) -> tensor<77x9x13xbf16>
  %3 = fxgraph.contiguous %2 : tensor<77x9x13xbf16>
  return %3 : tensor<77x9x13xbf16>
}

func.func @even(%x: tensor<74x91xf16>) -> tensor<91x74xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<74x91xf16>) -> tensor<91x74xf16>
  %1 = fxgraph.contiguous %0 : tensor<91x74xf16>
  return %1 : tensor<91x74xf16>
}

func.func @wide(%x: tensor<73x91xf32>) -> tensor<91x73xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<73x91xf32>) -> tensor<91x73xf32>
  %1 = fxgraph.contiguous %0 : tensor<91x73xf32>
  return %1 : tensor<91x73xf32>
}

func.func @short(%x: tensor<7x1091xf16>) -> tensor<1091x7xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<7x1091xf16>) -> tensor<1091x7xf16>
  %1 = fxgraph.contiguous %0 : tensor<1091x7xf16>
  return %1 : tensor<1091x7xf16>
}
