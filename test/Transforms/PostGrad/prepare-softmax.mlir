// RUN: fx-opt %s --fxgraph-postgrad-prepare-softmax="default-device=cuda" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-prepare-softmax="default-device=cuda" | diff %t.once -
// RUN: fx-opt %s --fxgraph-postgrad-prepare-softmax="default-device=cuda numerics=relaxed" | FileCheck %s --check-prefix=RELAXED
// RUN: fx-opt %s --fxgraph-postgrad-prepare-softmax="default-device=cuda numerics=exact" | FileCheck %s --check-prefix=EXACT
// EXACT-NOT: prepare_softmax_online

// The difference and the maximum have other users; the dimension counts from the end. Rows
// of -Inf, and with +Inf and NaN, give NaN as before.
// CHECK-LABEL: func.func @log_softmax
// CHECK: %[[M:.+]], %[[S:.+]] = fxgraph.prepare_softmax_online %arg0 dim 0
// CHECK-NOT: {{fxgraph.(amax|sum)}}
// CHECK: return
func.func @log_softmax(%x: tensor<3x2xf64>) -> (tensor<3x2xf64>, tensor<1x2xf64>) {
  %m = fxgraph.amax %x dims [-2] keepdim true : (tensor<3x2xf64>) -> tensor<1x2xf64>
  %d = fxgraph.sub %x, %m : (tensor<3x2xf64>, tensor<1x2xf64>) -> tensor<3x2xf64>
  %e = fxgraph.exp %d : tensor<3x2xf64>
  %s = fxgraph.sum %e dims [0] keepdim true : (tensor<3x2xf64>) -> tensor<1x2xf64>
  %l = fxgraph.log %s : tensor<1x2xf64>
  %r = fxgraph.sub %d, %l : (tensor<3x2xf64>, tensor<1x2xf64>) -> tensor<3x2xf64>
  return %r, %m : tensor<3x2xf64>, tensor<1x2xf64>
}

// An extent that is not known; one of 1; the difference may stand after something else.
// CHECK-LABEL: func.func @extents
// CHECK-COUNT-2: fxgraph.prepare_softmax_online
// CHECK: return
func.func @extents(%x: tensor<2x?xf32>, %y: tensor<4x1xf32>) -> (tensor<2x1xf32>, tensor<4x1xf32>) {
  %m = fxgraph.amax %x dims [1] keepdim true : (tensor<2x?xf32>) -> tensor<2x1xf32>
  %d = fxgraph.sub %x, %m : (tensor<2x?xf32>, tensor<2x1xf32>) -> tensor<2x?xf32>
  %e = fxgraph.exp %d : tensor<2x?xf32>
  %s = fxgraph.sum %e dims [1] keepdim true : (tensor<2x?xf32>) -> tensor<2x1xf32>
  %n = fxgraph.amax %y dims [1] keepdim true : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %f = fxgraph.sub %y, %n : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xf32>
  %g = fxgraph.exp %f : tensor<4x1xf32>
  %t = fxgraph.sum %g dims [1] keepdim true : (tensor<4x1xf32>) -> tensor<4x1xf32>
  return %s, %t : tensor<2x1xf32>, tensor<4x1xf32>
}

// Difference and exponential round to 16 bits no more: only if that is allowed.
// CHECK-LABEL: func.func @sixteen_bits
// CHECK-NOT: prepare_softmax_online
// RELAXED-LABEL: func.func @sixteen_bits
// RELAXED: prepare_softmax_online
func.func @sixteen_bits(%x: tensor<4x8xbf16>) -> tensor<4x1xbf16> {
  %m = fxgraph.amax %x dims [1] keepdim true : (tensor<4x8xbf16>) -> tensor<4x1xbf16>
  %d = fxgraph.sub %x, %m : (tensor<4x8xbf16>, tensor<4x1xbf16>) -> tensor<4x8xbf16>
  %e = fxgraph.exp %d : tensor<4x8xbf16>
  %s = fxgraph.sum %e dims [1] keepdim true : (tensor<4x8xbf16>) -> tensor<4x1xbf16>
  return %s : tensor<4x1xbf16>
}
