// Floats of 8 bits: bytes in memory, f32 in kernels, rounded as PyTorch rounds them. What is beyond E4M3FN is its largest number, of
// E5M2 infinity.
// The order of the sums of a product may differ; all else is equal.
// RUN: fx-run %s --entry=* --inputs=seed:3 --target=gpu-emulator --compare-target=ref --rtol=1e-6 --atol=1e-6
// RUN: fx-run %s --entry=special --target=gpu-emulator --print | FileCheck %s
// CHECK: out0: tensor<8xf32> [0, -0, 448, -448, nan, 0.001953125, 0, 1.125]
// CHECK: out1: tensor<8xf32> [0, -0, inf, -inf, nan, 0.001953125, 0, 1]
// RUN: fx-translate %s --to=cubin --entry=vectors -o %t.cubin 2>&1 | count 0
// REQUIRES: ptxas

func.func @special() -> (tensor<8xf32>, tensor<8xf32>) {
  %x = fxgraph.constant dense<[0.0, -0.0, 1.0e6, -1.0e6, 0x7FC00000, 0.001953125, 1.0e-9, 1.0625001]> : tensor<8xf32>
  %0 = fxgraph.convert_element_type %x : (tensor<8xf32>) -> tensor<8xf8E4M3FN>
  %1 = fxgraph.convert_element_type %0 : (tensor<8xf8E4M3FN>) -> tensor<8xf32>
  %2 = fxgraph.convert_element_type %x : (tensor<8xf32>) -> tensor<8xf8E5M2>
  %3 = fxgraph.convert_element_type %2 : (tensor<8xf8E5M2>) -> tensor<8xf32>
  return %1, %3 : tensor<8xf32>, tensor<8xf32>
}

// Sixteen bytes at a time, and one at a time.
func.func @vectors(%x: tensor<16x64xf32>, %y: tensor<16x64xf8E5M2>, %z: tensor<37xf8E4M3FN>)
    -> (tensor<16x64xf8E4M3FN>, tensor<16x64xf32>, tensor<37xf16>, tensor<37xf8E5M2>, tensor<16x64xf8E5M2>) {
  %0 = fxgraph.convert_element_type %x : (tensor<16x64xf32>) -> tensor<16x64xf8E4M3FN>
  %1 = fxgraph.convert_element_type %y : (tensor<16x64xf8E5M2>) -> tensor<16x64xf32>
  %2 = fxgraph.mul %1, %x : (tensor<16x64xf32>, tensor<16x64xf32>) -> tensor<16x64xf32>
  %3 = fxgraph.convert_element_type %z : (tensor<37xf8E4M3FN>) -> tensor<37xf16>
  %4 = fxgraph.convert_element_type %3 : (tensor<37xf16>) -> tensor<37xf8E5M2>
  %5 = fxgraph.clone %y : tensor<16x64xf8E5M2>
  return %0, %2, %3, %4, %5 : tensor<16x64xf8E4M3FN>, tensor<16x64xf32>, tensor<37xf16>, tensor<37xf8E5M2>, tensor<16x64xf8E5M2>
}

// Views and gathers move bytes; a kernel by its lowering takes them too.
func.func @moves(%x: tensor<6x10xf8E4M3FN>, %i: tensor<3xi64>) -> (tensor<10x6xf8E4M3FN>, tensor<12x10xf8E4M3FN>, tensor<3x10xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<6x10xf8E4M3FN>) -> tensor<10x6xf8E4M3FN>
  %1 = fxgraph.contiguous %0 : tensor<10x6xf8E4M3FN>
  %2 = fxgraph.cat %x, %x dim 0 : (tensor<6x10xf8E4M3FN>, tensor<6x10xf8E4M3FN>) -> tensor<12x10xf8E4M3FN>
  %c = fxgraph.constant dense<[5, 0, 2]> : tensor<3xi64>
  %3 = fxgraph.index_select %x, %c dim 0 : (tensor<6x10xf8E4M3FN>, tensor<3xi64>) -> tensor<3x10xf8E4M3FN>
  %4 = fxgraph.convert_element_type %3 : (tensor<3x10xf8E4M3FN>) -> tensor<3x10xf32>
  return %1, %2, %4 : tensor<10x6xf8E4M3FN>, tensor<12x10xf8E4M3FN>, tensor<3x10xf32>
}

// A product with scales of its operands.
func.func @scaled(%x: tensor<16x32xf8E4M3FN>, %w: tensor<32x48xf8E4M3FN>, %s: tensor<f32>, %t: tensor<f32>) -> tensor<16x48xf32> {
  %0 = fxgraph.scaled_mm %x, %w scales %s, %t : (tensor<16x32xf8E4M3FN>, tensor<32x48xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<16x48xf32>
  return %0 : tensor<16x48xf32>
}

// In a kernel that is made of its lowering.
func.func @sorted(%x: tensor<9xf8E5M2>) -> (tensor<9xf8E5M2>, tensor<9xi64>) {
  %0, %1 = fxgraph.sort %x dim 0 : (tensor<9xf8E5M2>) -> (tensor<9xf8E5M2>, tensor<9xi64>)
  return %0, %1 : tensor<9xf8E5M2>, tensor<9xi64>
}
