// REQUIRES: ptxas
// The kernels of attention assemble without spills, and without a word on matrix instructions that wait for each other.
// RUN: fx-translate %s --entry=width_64 --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_64_masked --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_64_single_mask --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_72_odd --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_128 --to=cubin -o %t 2>&1 | count 0
// But for 15 registers that a mask for each score is short of beside two accumulators of 128 columns.
// RUN: fx-translate %s --entry=width_128_masked --to=cubin -o %t 2>&1 | FileCheck %s --check-prefix=MASKED
// MASKED: ptxas: {{[0-9]?[0-9]}} bytes stack frame, {{[0-9]?[0-9]}} bytes spill stores
// MASKED-NOT: ptxas:
// RUN: fx-translate %s --entry=width_256 --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_256_masked --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=decode --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=single_64 --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=single_64_masked --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=single_128 --to=cubin -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=single_128_masked --to=cubin -o %t 2>&1 | count 0
// On chips without those of warp groups:
// RUN: fx-translate %s --entry=width_64 --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_64_masked --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_64_single_mask --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_72_odd --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_128 --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_128_masked --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_256 --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=width_256_masked --to=cubin --chip=sm_80 -o %t 2>&1 | count 0
// RUN: fx-translate %s --entry=decode --to=cubin --chip=sm_80 -o %t 2>&1 | count 0

func.func @width_64(%q: tensor<4x40x512x64xbf16>, %k: tensor<4x40x512x64xbf16>, %v: tensor<4x40x512x64xbf16>) -> tensor<4x40x512x64xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<4x40x512x64xbf16>, tensor<4x40x512x64xbf16>, tensor<4x40x512x64xbf16>) -> tensor<4x40x512x64xbf16>
  return %0 : tensor<4x40x512x64xbf16>
}

func.func @width_64_masked(%q: tensor<4x40x512x64xf16>, %k: tensor<4x40x512x64xf16>, %v: tensor<4x40x512x64xf16>, %m: tensor<4x40x512x512xf16>) -> tensor<4x40x512x64xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x40x512x64xf16>, tensor<4x40x512x64xf16>, tensor<4x40x512x64xf16>, tensor<4x40x512x512xf16>) -> tensor<4x40x512x64xf16>
  return %0 : tensor<4x40x512x64xf16>
}

func.func @width_64_single_mask(%q: tensor<4x40x512x64xf16>, %k: tensor<4x40x512x64xf16>, %v: tensor<4x40x512x64xf16>, %m: tensor<512x512xf32>) -> tensor<4x40x512x64xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x40x512x64xf16>, tensor<4x40x512x64xf16>, tensor<4x40x512x64xf16>, tensor<512x512xf32>) -> tensor<4x40x512x64xf16>
  return %0 : tensor<4x40x512x64xf16>
}

func.func @width_72_odd(%q: tensor<4x40x513x72xbf16>, %k: tensor<4x40x517x72xbf16>, %v: tensor<4x40x517x72xbf16>, %m: tensor<513x517xbf16>) -> tensor<4x40x513x72xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x40x513x72xbf16>, tensor<4x40x517x72xbf16>, tensor<4x40x517x72xbf16>, tensor<513x517xbf16>) -> tensor<4x40x513x72xbf16>
  return %0 : tensor<4x40x513x72xbf16>
}

func.func @width_128(%q: tensor<4x40x512x128xbf16>, %k: tensor<4x40x512x128xbf16>, %v: tensor<4x40x512x128xbf16>) -> tensor<4x40x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<4x40x512x128xbf16>, tensor<4x40x512x128xbf16>, tensor<4x40x512x128xbf16>) -> tensor<4x40x512x128xbf16>
  return %0 : tensor<4x40x512x128xbf16>
}

func.func @width_128_masked(%q: tensor<4x40x512x128xbf16>, %k: tensor<4x40x512x128xbf16>, %v: tensor<4x40x512x128xbf16>, %m: tensor<4x1x512x512xi1>) -> tensor<4x40x512x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x40x512x128xbf16>, tensor<4x40x512x128xbf16>, tensor<4x40x512x128xbf16>, tensor<4x1x512x512xi1>) -> tensor<4x40x512x128xbf16>
  return %0 : tensor<4x40x512x128xbf16>
}

func.func @width_256(%q: tensor<4x40x512x256xf16>, %k: tensor<4x40x512x256xf16>, %v: tensor<4x40x512x256xf16>) -> tensor<4x40x512x256xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v : (tensor<4x40x512x256xf16>, tensor<4x40x512x256xf16>, tensor<4x40x512x256xf16>) -> tensor<4x40x512x256xf16>
  return %0 : tensor<4x40x512x256xf16>
}

func.func @width_256_masked(%q: tensor<4x40x512x256xf16>, %k: tensor<4x40x512x256xf16>, %v: tensor<4x40x512x256xf16>, %m: tensor<512x512xf16>) -> tensor<4x40x512x256xf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<4x40x512x256xf16>, tensor<4x40x512x256xf16>, tensor<4x40x512x256xf16>, tensor<512x512xf16>) -> tensor<4x40x512x256xf16>
  return %0 : tensor<4x40x512x256xf16>
}

func.func @decode(%q: tensor<1x8x4x1x128xbf16>, %k: tensor<1x8x1x4096x128xbf16>, %v: tensor<1x8x1x4096x128xbf16>, %m: tensor<1x1x1x1x4096xi1>) -> tensor<1x8x4x1x128xbf16> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<1x8x4x1x128xbf16>, tensor<1x8x1x4096x128xbf16>, tensor<1x8x1x4096x128xbf16>, tensor<1x1x1x1x4096xi1>) -> tensor<1x8x4x1x128xbf16>
  return %0 : tensor<1x8x4x1x128xbf16>
}

func.func @single_64(%q: tensor<16x8x512x64xf32>, %k: tensor<16x8x512x64xf32>, %v: tensor<16x8x512x64xf32>) -> tensor<16x8x512x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<16x8x512x64xf32>, tensor<16x8x512x64xf32>, tensor<16x8x512x64xf32>) -> tensor<16x8x512x64xf32>
  return %0 : tensor<16x8x512x64xf32>
}

func.func @single_64_masked(%q: tensor<16x8x512x64xf32>, %k: tensor<16x8x512x64xf32>, %v: tensor<16x8x512x64xf32>, %m: tensor<512x512xf32>) -> tensor<16x8x512x64xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<16x8x512x64xf32>, tensor<16x8x512x64xf32>, tensor<16x8x512x64xf32>, tensor<512x512xf32>) -> tensor<16x8x512x64xf32>
  return %0 : tensor<16x8x512x64xf32>
}

func.func @single_128(%q: tensor<16x8x512x128xf32>, %k: tensor<16x8x512x128xf32>, %v: tensor<16x8x512x128xf32>) -> tensor<16x8x512x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v causal true : (tensor<16x8x512x128xf32>, tensor<16x8x512x128xf32>, tensor<16x8x512x128xf32>) -> tensor<16x8x512x128xf32>
  return %0 : tensor<16x8x512x128xf32>
}

func.func @single_128_masked(%q: tensor<16x8x512x128xf32>, %k: tensor<16x8x512x128xf32>, %v: tensor<16x8x512x128xf32>, %m: tensor<512x512xf32>) -> tensor<16x8x512x128xf32> {
  %0 = fxgraph.scaled_dot_product_attention %q, %k, %v mask %m : (tensor<16x8x512x128xf32>, tensor<16x8x512x128xf32>, tensor<16x8x512x128xf32>, tensor<512x512xf32>) -> tensor<16x8x512x128xf32>
  return %0 : tensor<16x8x512x128xf32>
}
