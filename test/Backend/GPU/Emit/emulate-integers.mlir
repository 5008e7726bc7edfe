// Integers where LLVM's division and a power by squaring have their edges.
// RUN: fx-run %s --entry=powers --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=filled --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=lowest --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=means --inputs=seed:3 --target=gpu-emulator --compare-target=ref
// RUN: fx-run %s --entry=by_zero --target=gpu-emulator --print | FileCheck %s
// RUN: fx-run %s --entry=bytes_by_zero --target=gpu-emulator --print | FileCheck %s --check-prefix=BYTES

// The interpreter says it (as PyTorch does on a CPU).
// RUN: not fx-run %s --entry=by_zero --target=ref 2>&1 | FileCheck %s --check-prefix=REF
// REF: error: 'fxgraph.div' op {{.*}}zero

// Nothing in the IR is undefined: no division has an operand of the graph as its divisor.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=by_zero | FileCheck %s --check-prefix=IR
// IR: gpu.func @k0_{{.*}}div
// IR: %[[UNSAFE:.*]] = arith.ori
// IR: %[[DIVISOR:.*]] = arith.select %[[UNSAFE]], %{{.*}}, %{{.*}} : i32
// IR-NEXT: arith.divsi %{{.*}}, %[[DIVISOR]] : i32
// IR-NEXT: arith.remsi %{{.*}}, %[[DIVISOR]] : i32

// A number beyond the integer's range is some integer, not poison, and so a bad index is an error of the run.
// RUN: fx-opt %s --fxgraph-to-gpu=entry=cast | FileCheck %s --check-prefix=CAST
// CAST: %[[NUMBER:.*]] = arith.fptosi
// CAST-NEXT: llvm.freeze %[[NUMBER]]
// RUN: not fx-run %s --entry=cast --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: an index is out of range
func.func @cast(%w: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %x = fxgraph.constant dense<[1.0e+30, 0x7FC00000]> : tensor<2xf32>
  %i = fxgraph.convert_element_type %x : (tensor<2xf32>) -> tensor<2xi64>
  %0 = fxgraph.embedding %w, %i : (tensor<4x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// What a tensor is filled with, or counts, is a number of its type before it is converted: -1 of uint8 is 255, 0.1 of
// f32 no double.
func.func @filled() -> (tensor<5xf32>, tensor<3xf64>, tensor<3xbf16>, tensor<3xf64>, tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>) {
  %r = fxgraph.arange from -2.0 : tensor<5xui8>
  %7 = fxgraph.convert_element_type %r : (tensor<5xui8>) -> tensor<5xf32>
  %f = fxgraph.full 0.1 : tensor<3xf32>
  %6 = fxgraph.convert_element_type %f : (tensor<3xf32>) -> tensor<3xf64>
  %u = fxgraph.full -1.0 : tensor<3xui8>
  %s = fxgraph.full -1.0 : tensor<3xi8>
  %b = fxgraph.full 2.0 : tensor<3xi1>
  %0 = fxgraph.convert_element_type %u : (tensor<3xui8>) -> tensor<3xbf16>
  %1 = fxgraph.convert_element_type %u : (tensor<3xui8>) -> tensor<3xf64>
  %2 = fxgraph.convert_element_type %u : (tensor<3xui8>) -> tensor<3xi32>
  %n = fxgraph.constant dense<7> : tensor<i64>
  %3 = fxgraph.gt %u, %n : (tensor<3xui8>, tensor<i64>) -> tensor<3xi1>
  %4 = fxgraph.convert_element_type %s : (tensor<3xi8>) -> tensor<3xf32>
  %5 = fxgraph.convert_element_type %b : (tensor<3xi1>) -> tensor<3xf32>
  return %7, %6, %0, %1, %2, %3, %4, %5 : tensor<5xf32>, tensor<3xf64>, tensor<3xbf16>, tensor<3xf64>, tensor<3xi32>, tensor<3xi1>, tensor<3xf32>, tensor<3xf32>
}

// All eight bits of an exponent of uint8 count; that of a sign does not.
func.func @powers() -> (tensor<6xui8>, tensor<6xui8>, tensor<6xi8>, tensor<6xui8>) {
  %b = fxgraph.constant dense<[0, 1, 2, 3, 255, 254]> : tensor<6xui8>
  %e = fxgraph.constant dense<[128, 129, 128, 200, 255, 129]> : tensor<6xui8>
  %c = fxgraph.constant dense<128> : tensor<ui8>
  %sb = fxgraph.constant dense<[0, 1, -1, 2, -1, 3]> : tensor<6xi8>
  %se = fxgraph.constant dense<[127, -128, -127, -1, 127, 5]> : tensor<6xi8>
  %0 = fxgraph.pow %b, %e : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  %1 = fxgraph.pow %b, %c : (tensor<6xui8>, tensor<ui8>) -> tensor<6xui8>
  %2 = fxgraph.pow %sb, %se : (tensor<6xi8>, tensor<6xi8>) -> tensor<6xi8>
  %z = fxgraph.sub %e, %e : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  %3 = fxgraph.pow %b, %z : (tensor<6xui8>, tensor<6xui8>) -> tensor<6xui8>
  return %0, %1, %2, %3 : tensor<6xui8>, tensor<6xui8>, tensor<6xi8>, tensor<6xui8>
}

// The lowest number by -1 is itself, with rest 0.
func.func @lowest() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi8>) {
  %x = fxgraph.constant dense<[-2147483648, -2147483648, 7, -7]> : tensor<4xi32>
  %y = fxgraph.constant dense<[-1, 1, -1, 2]> : tensor<4xi32>
  %0 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = fxgraph.div %x, %y rounding_mode "floor" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = fxgraph.remainder %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = fxgraph.fmod %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %w = fxgraph.constant dense<[-9223372036854775808, 1, 2, 3]> : tensor<4xi64>
  %v = fxgraph.constant dense<[-1, -1, -1, -1]> : tensor<4xi64>
  %4 = fxgraph.div %w, %v rounding_mode "floor" : (tensor<4xi64>, tensor<4xi64>) -> tensor<4xi64>
  %s = fxgraph.constant dense<[-128, 1, 2, 3]> : tensor<4xi8>
  %t = fxgraph.constant dense<-1> : tensor<4xi8>
  %5 = fxgraph.div %s, %t rounding_mode "trunc" : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %0, %1, %2, %3, %4, %5 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi64>, tensor<4xi8>
}

// CHECK: out0: tensor<4xi32> [-1, -1, -1, -1]
// CHECK: out1: tensor<4xi32> [-1, -2, -1, -2]
// CHECK: out2: tensor<4xi32> [7, -7, 0, 1]
// CHECK: out3: tensor<4xi32> [7, -7, 0, -3]
func.func @by_zero() -> (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>) {
  %x = fxgraph.constant dense<[7, -7, 0, -7]> : tensor<4xi32>
  %y = fxgraph.constant dense<[0, 0, 0, 4]> : tensor<4xi32>
  %0 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %1 = fxgraph.div %x, %y rounding_mode "floor" : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %2 = fxgraph.remainder %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  %3 = fxgraph.fmod %x, %y : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>
  return %0, %1, %2, %3 : tensor<4xi32>, tensor<4xi32>, tensor<4xi32>, tensor<4xi32>
}

// BYTES-COUNT-2: [255, 255, 63]
// BYTES-COUNT-2: [7, 0, 3]
func.func @bytes_by_zero() -> (tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>) {
  %x = fxgraph.constant dense<[7, 0, 255]> : tensor<3xui8>
  %y = fxgraph.constant dense<[0, 0, 4]> : tensor<3xui8>
  %0 = fxgraph.div %x, %y rounding_mode "trunc" : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %1 = fxgraph.div %x, %y rounding_mode "floor" : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %2 = fxgraph.remainder %x, %y : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  %3 = fxgraph.fmod %x, %y : (tensor<3xui8>, tensor<3xui8>) -> tensor<3xui8>
  return %0, %1, %2, %3 : tensor<3xui8>, tensor<3xui8>, tensor<3xui8>, tensor<3xui8>
}

// Means of integers, rounded to zero.
func.func @means(%x: tensor<1x2x9x9xi64>) -> (tensor<1x2x5x5xi64>, tensor<1x2x4x4xi64>) {
  %0 = fxgraph.avg_pool2d %x kernel [3, 3] stride [2, 2] padding [1, 1] count_include_pad false : (tensor<1x2x9x9xi64>) -> tensor<1x2x5x5xi64>
  %1 = fxgraph.avg_pool2d %x kernel [2, 2] stride [2, 2] padding [0, 0] divisor -2 : (tensor<1x2x9x9xi64>) -> tensor<1x2x4x4xi64>
  return %0, %1 : tensor<1x2x5x5xi64>, tensor<1x2x4x4xi64>
}
