// Floats of 16 bits are rounded between the pointwise ops of a kernel in front of what jumps at them, and for all that reads them
// then: exactly what one op after the other computes. Elsewhere they are not.
// RUN: fx-run %s --entry=* --inputs=seed:1 --target=gpu-emulator --compare-target=ref --rtol=0 --atol=0
// RUN: fx-opt %s --fxgraph-to-gpu=entry=fractions --mlir-print-ir-after=fxgraph-fuse-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=ONCE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=none --mlir-print-ir-after=fxgraph-fuse-kernels -o /dev/null 2>&1 | FileCheck %s --check-prefix=NONE

// What reads it beside that reads the number that was rounded.
// ONCE: %[[PRODUCT:.*]] = fxgraph.nest.element
// ONCE: %[[ROUNDED:.*]] = fxgraph.nest.round %[[PRODUCT]] to bf16
// ONCE: fxgraph.nest.element(%[[ROUNDED]])
// ONCE: fxgraph.nest.element(%[[ROUNDED]],
// ONCE-NOT: fxgraph.nest.round
func.func @fractions(%x: tensor<999x5xbf16>, %y: tensor<5xbf16>) -> tensor<999x5xbf16> {
  %0 = fxgraph.mul %x, %y : (tensor<999x5xbf16>, tensor<5xbf16>) -> tensor<999x5xbf16>
  %1 = fxgraph.permute %0 dims [1, 0] : (tensor<999x5xbf16>) -> tensor<5x999xbf16>
  %2 = fxgraph.floor %1 : tensor<5x999xbf16>
  %3 = fxgraph.permute %2 dims [1, 0] : (tensor<5x999xbf16>) -> tensor<999x5xbf16>
  %4 = fxgraph.sub %0, %3 : (tensor<999x5xbf16>, tensor<999x5xbf16>) -> tensor<999x5xbf16>
  return %4 : tensor<999x5xbf16>
}

func.func @chain(%x: tensor<4000xf16>, %s: tensor<1xf16>, %z: tensor<1xf16>) -> tensor<4000xi8> {
  %0 = fxgraph.mul %x, %s : (tensor<4000xf16>, tensor<1xf16>) -> tensor<4000xf16>
  %1 = fxgraph.add %0, %z : (tensor<4000xf16>, tensor<1xf16>) -> tensor<4000xf16>
  %2 = fxgraph.mul %1, %s : (tensor<4000xf16>, tensor<1xf16>) -> tensor<4000xf16>
  %3 = fxgraph.convert_element_type %2 : (tensor<4000xf16>) -> tensor<4000xi8>
  return %3 : tensor<4000xi8>
}

func.func @comparisons(%x: tensor<3000xbf16>, %y: tensor<3000xbf16>, %z: tensor<3000xbf16>) -> (tensor<3000xi1>, tensor<3000xbf16>) {
  %0 = fxgraph.mul %x, %y : (tensor<3000xbf16>, tensor<3000xbf16>) -> tensor<3000xbf16>
  %1 = fxgraph.ge %0, %z : (tensor<3000xbf16>, tensor<3000xbf16>) -> tensor<3000xi1>
  %2 = fxgraph.div %0, %z rounding_mode "floor" : (tensor<3000xbf16>, tensor<3000xbf16>) -> tensor<3000xbf16>
  return %1, %2 : tensor<3000xi1>, tensor<3000xbf16>
}

// Numbers that are equal in 16 bits: the first of them.
func.func @places(%x: tensor<64x700xbf16>, %y: tensor<700xbf16>) -> tensor<64xi64> {
  %0 = fxgraph.mul %x, %y : (tensor<64x700xbf16>, tensor<700xbf16>) -> tensor<64x700xbf16>
  %1 = fxgraph.argmax %0 dim 1 : (tensor<64x700xbf16>) -> tensor<64xi64>
  return %1 : tensor<64xi64>
}

// NONE-NOT: fxgraph.nest.round
func.func @none(%x: tensor<4000xf16>) -> (tensor<4000xf16>, tensor<4000xi1>) {
  %0 = fxgraph.neg %x : tensor<4000xf16>
  %1 = fxgraph.abs %0 : tensor<4000xf16>
  %2 = fxgraph.isnan %x : (tensor<4000xf16>) -> tensor<4000xi1>
  return %1, %2 : tensor<4000xf16>, tensor<4000xi1>
}

func.func @whole_numbers(%x: tensor<4000xf16>, %s: tensor<1xf16>) -> (tensor<4000xi8>, tensor<4000xi8>) {
  %0 = fxgraph.mul %x, %s : (tensor<4000xf16>, tensor<1xf16>) -> tensor<4000xf16>
  %1 = fxgraph.convert_element_type %0 : (tensor<4000xf16>) -> tensor<4000xi8>
  %2 = fxgraph.round %0 : tensor<4000xf16>
  %3 = fxgraph.convert_element_type %2 : (tensor<4000xf16>) -> tensor<4000xi8>
  return %1, %3 : tensor<4000xi8>, tensor<4000xi8>
}
