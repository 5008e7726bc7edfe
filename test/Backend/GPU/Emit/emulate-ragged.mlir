// Operands whose rows begin anywhere are read in vectors that lie where vectors may: single elements at the end of memory, none behind a run.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=* --inputs=seed:2 --target=gpu-emulator --target-option=processors=1 --compare-target=ref
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --target-option=nest-config=kind=boxes,box=37x24,block=96 --compare-target=ref
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_memory processors=1" | FileCheck %s --check-prefix=RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even_memory processors=1" | FileCheck %s --check-prefix=RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=even_memory processors=1" | FileCheck %s --check-prefix=WHOLE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd_memory processors=1" | FileCheck %s --check-prefix=PARTS
// RUN: fx-opt %s --fxgraph-to-gpu="entry=aligned processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=displaced processors=1" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=wide processors=1" | FileCheck %s --check-prefix=NONE
// RAGGED: ragged, {{(ragged_results, )?}}read_lanes = {{[24]}} : i64
// NONE: kind = "boxes"
// NONE-NOT: {{ragged[^_]}}
// Memory of a multiple of four elements has no vector that is not all there.
// WHOLE: vector.load
// PARTS: vector.from_elements {{.*}} : vector<4xf16>
// WHOLE-NOT: vector.from_elements {{.*}} : vector<4xf16>

func.func @odd_memory(%x: tensor<77x91xf16>) -> tensor<91x77xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<77x91xf16>) -> tensor<91x77xf16>
  %1 = fxgraph.contiguous %0 : tensor<91x77xf16>
  return %1 : tensor<91x77xf16>
}

func.func @even_memory(%x: tensor<76x91xf16>) -> tensor<91x76xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<76x91xf16>) -> tensor<91x76xf16>
  %1 = fxgraph.contiguous %0 : tensor<91x76xf16>
  return %1 : tensor<91x76xf16>
}

func.func @floats(%x: tensor<3x53x37xf32>, %y: tensor<37x53x3xf32>) -> tensor<37x53x3xf32> {
  %0 = fxgraph.permute %x dims [2, 1, 0] : (tensor<3x53x37xf32>) -> tensor<37x53x3xf32>
  %1 = fxgraph.add %0, %y : (tensor<37x53x3xf32>, tensor<37x53x3xf32>) -> tensor<37x53x3xf32>
  return %1 : tensor<37x53x3xf32>
}

// Two operands whose rows begin elsewhere, a part of a larger one.
func.func @two(%x: tensor<77x91xbf16>, %y: tensor<77x101xbf16>) -> tensor<91x77xbf16> {
  %0 = fxgraph.slice %y dim 1 from 8 to 99 : (tensor<77x101xbf16>) -> tensor<77x91xbf16>
  %1 = fxgraph.mul %x, %0 : (tensor<77x91xbf16>, tensor<77x91xbf16>) -> tensor<77x91xbf16>
  %2 = fxgraph.transpose %1 dims 0, 1 : (tensor<77x91xbf16>) -> tensor<91x77xbf16>
  %3 = fxgraph.contiguous %2 : tensor<91x77xbf16>
  return %3 : tensor<91x77xbf16>
}

// Runs of several dimensions, several of them in a box.
func.func @runs(%x: tensor<13x5x31x9xf16>) -> tensor<31x9x13x5xf16> {
  %0 = fxgraph.permute %x dims [2, 3, 0, 1] : (tensor<13x5x31x9xf16>) -> tensor<31x9x13x5xf16>
  %1 = fxgraph.contiguous %0 : tensor<31x9x13x5xf16>
  return %1 : tensor<31x9x13x5xf16>
}

func.func @bytes(%x: tensor<79x93xi8>) -> tensor<93x79xi8> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<79x93xi8>) -> tensor<93x79xi8>
  %1 = fxgraph.contiguous %0 : tensor<93x79xi8>
  return %1 : tensor<93x79xi8>
}

func.func @aligned(%x: tensor<77x96xf16>) -> tensor<96x77xf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<77x96xf16>) -> tensor<96x77xf16>
  %1 = fxgraph.contiguous %0 : tensor<96x77xf16>
  return %1 : tensor<96x77xf16>
}

// Memory that begins where no vector may.
func.func @displaced(%x: tensor<7008xf16>) -> tensor<91x77xf16> {
  %0 = fxgraph.slice %x dim 0 from 1 to 7008 : (tensor<7008xf16>) -> tensor<7007xf16>
  %1 = fxgraph.reshape %0 shape [77, 91] : tensor<7007xf16> -> tensor<77x91xf16>
  %2 = fxgraph.transpose %1 dims 0, 1 : (tensor<77x91xf16>) -> tensor<91x77xf16>
  %3 = fxgraph.contiguous %2 : tensor<91x77xf16>
  return %3 : tensor<91x77xf16>
}

func.func @wide(%x: tensor<77x91xf64>) -> tensor<91x77xf64> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<77x91xf64>) -> tensor<91x77xf64>
  %1 = fxgraph.contiguous %0 : tensor<91x77xf64>
  return %1 : tensor<91x77xf64>
}
