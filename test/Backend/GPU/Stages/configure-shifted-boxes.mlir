// RUN: fx-opt %s --fxgraph-to-gpu="entry=large" | FileCheck %s --check-prefix=LARGE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=large_ragged" | FileCheck %s --check-prefix=LARGE-RAGGED
// RUN: fx-opt %s --fxgraph-to-gpu="entry=large_short" | FileCheck %s --check-prefix=LARGE-SHORT
// RUN: fx-opt %s --fxgraph-to-gpu="entry=large_words" | FileCheck %s --check-prefix=NONE
// NONE: kind = "boxes"
// NONE-NOT: shifted_results

// Chosen for kernels of many elements, with longer boxes where operands are read in vectors; not for words, which are no faster so.
// LARGE: box = array<i64: 64, 256>, kind = "boxes", lanes = 4 : i64, read_lanes = 2 : i64, shifted_results
func.func @large(%x: tensor<11003x3008xbf16>) -> tensor<3008x11003xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<11003x3008xbf16>) -> tensor<3008x11003xbf16>
  %1 = fxgraph.contiguous %0 : tensor<3008x11003xbf16>
  return %1 : tensor<3008x11003xbf16>
}
// LARGE-RAGGED: box = array<i64: 32, 248>, kind = "boxes", lanes = 4 : i64, ragged, read_lanes = 4 : i64, shifted_results
func.func @large_ragged(%x: tensor<3399x5953xbf16>) -> tensor<5953x3399xbf16> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<3399x5953xbf16>) -> tensor<5953x3399xbf16>
  %1 = fxgraph.contiguous %0 : tensor<5953x3399xbf16>
  return %1 : tensor<5953x3399xbf16>
}
// Short runs of operands are read whole.
// LARGE-SHORT: box = array<i64: 21, 256>, kind = "boxes", lanes = 4 : i64, read_lanes = 1 : i64, shifted_results
func.func @large_short(%x: tensor<63x1451x21xf16>) -> tensor<21x63x1451xf16> {
  %0 = fxgraph.permute %x dims [2, 0, 1] : (tensor<63x1451x21xf16>) -> tensor<21x63x1451xf16>
  %1 = fxgraph.contiguous %0 : tensor<21x63x1451xf16>
  return %1 : tensor<21x63x1451xf16>
}
func.func @large_words(%x: tensor<11003x3008xf32>) -> tensor<3008x11003xf32> {
  %0 = fxgraph.transpose %x dims 0, 1 : (tensor<11003x3008xf32>) -> tensor<3008x11003xf32>
  %1 = fxgraph.contiguous %0 : tensor<3008x11003xf32>
  return %1 : tensor<3008x11003xf32>
}
