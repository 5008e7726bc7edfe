// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-mutation-decompose-scan-to-while-loop,fxgraph-mutation-decompose-map-to-while-loop))'

// How large is a slice of the result?
func.func @unknown_slice(%xs: tensor<5x3xf32>) -> tensor<5x?xf32> {
  // expected-error @+1 {{expected the extents of stacked results to be static or those of operands but got 'tensor<5x?xf32>'; no loop over slices may be left}}
  %0 = fxgraph.map (%xs) {
  ^bb0(%x: tensor<3xf32>):
    %1 = fxgraph.opaque "aten.masked_select.default" (%x) args {args = ["%0"]} : (tensor<3xf32>) -> tensor<?xf32>
    fxgraph.yield %1 : tensor<?xf32>
  } : (tensor<5x3xf32>) -> tensor<5x?xf32>
  return %0 : tensor<5x?xf32>
}

// -----

!g = tensor<5x3xf32, #fxgraph.meta<device = "cuda:1">>
!s = tensor<3xf32, #fxgraph.meta<device = "cuda:1">>
func.func @two_devices(%init: tensor<3xf32>, %xs: tensor<5x3xf32>, %zs: !g) -> tensor<3xf32> {
  // expected-error @+1 {{expected one device but got 'tensor<5x3xf32>' and 'tensor<5x3xf32, #fxgraph.meta<device = "cuda:1">>'; no loop over slices may be left}}
  %0 = fxgraph.scan (%init) over (%xs, %zs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>, %z: !s):
    fxgraph.yield %c : tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>, !g) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
