// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-reuse-partial --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.amax {{.*}} : (tensor<64xf32>)

!x = tensor<64x64xf32>
!p = tensor<64xf32>
!s = tensor<f32>

// The other kind; the other operand; sums.
func.func @others(%x: !x, %y: !x) -> (!p, !s, !p, !s, !p) {
  %a = fxgraph.amin %x dims [1] : (!x) -> !p
  %b = fxgraph.amax %x : (!x) -> !s
  %c = fxgraph.amax %y dims [1] : (!x) -> !p
  %d = fxgraph.sum %x : (!x) -> !s
  %e = fxgraph.sum %x dims [0] : (!x) -> !p
  return %a, %b, %c, %d, %e : !p, !s, !p, !s, !p
}

// -----

!x = tensor<64x63xf32>

func.func @few_elements(%x: !x) -> (tensor<64xf32>, tensor<f32>) {
  %a = fxgraph.amax %x dims [1] : (!x) -> tensor<64xf32>
  // expected-remark@below {{the operand has fewer elements than min-elements}}
  %b = fxgraph.amax %x : (!x) -> tensor<f32>
  return %a, %b : tensor<64xf32>, tensor<f32>
}

// -----

!x = tensor<64x?xf32>

func.func @not_known(%x: !x) -> (tensor<64xf32>, tensor<f32>) {
  %a = fxgraph.amax %x dims [1] : (!x) -> tensor<64xf32>
  // expected-remark@below {{an extent is not known}}
  %b = fxgraph.amax %x : (!x) -> tensor<f32>
  return %a, %b : tensor<64xf32>, tensor<f32>
}

// -----

!x = tensor<64x64xf32>

// All dimensions, kept: that is no partial reduction; and one in another block.
func.func @no_partial(%x: !x, %c: i1) -> (tensor<1x1xf32>, tensor<f32>, tensor<64xf32>) {
  %a = fxgraph.amax %x keepdim true : (!x) -> tensor<1x1xf32>
  // expected-remark@below {{no other reduction of the operand, in the block, leaves more than one element}}
  %b = fxgraph.amax %x : (!x) -> tensor<f32>
  %d = scf.if %c -> tensor<64xf32> {
    %e = fxgraph.amax %x dims [0] : (!x) -> tensor<64xf32>
    scf.yield %e : tensor<64xf32>
  } else {
    %e = fxgraph.amax %x dims [1] : (!x) -> tensor<64xf32>
    scf.yield %e : tensor<64xf32>
  }
  return %a, %b, %d : tensor<1x1xf32>, tensor<f32>, tensor<64xf32>
}
