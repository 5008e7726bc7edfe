// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-prepare-softmax="default-device=cuda" --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s
// RUN: not fx-opt %s --split-input-file --fxgraph-postgrad-prepare-softmax="default-device=none" 2>&1 | FileCheck %s --check-prefix=ERROR
// ERROR: error: {{.*}}none

// CHECK-NOT: prepare_softmax_online

!x = tensor<4x4xf32>
!r = tensor<4x1xf32>
!c = tensor<1x4xf32>

func.func @other_dimension(%x: !x) -> !c {
  %m = fxgraph.amax %x dims [1] keepdim true : (!x) -> !r
  %d = fxgraph.sub %x, %m : (!x, !r) -> !x
  %e = fxgraph.exp %d : !x
  // expected-remark@below {{maximum and sum are not over one and the same dimension}}
  %s = fxgraph.sum %e dims [0] keepdim true : (!x) -> !c
  return %s : !c
}

// -----

!x = tensor<4x4xf32>

func.func @two_dimensions(%x: !x) -> tensor<1x1xf32> {
  %m = fxgraph.amax %x keepdim true : (!x) -> tensor<1x1xf32>
  %d = fxgraph.sub %x, %m : (!x, tensor<1x1xf32>) -> !x
  %e = fxgraph.exp %d : !x
  // expected-remark@below {{maximum and sum are not over one and the same dimension}}
  %s = fxgraph.sum %e keepdim true : (!x) -> tensor<1x1xf32>
  return %s : tensor<1x1xf32>
}

// -----

!x = tensor<4x4xf32>
!r = tensor<4x1xf32>
!v = tensor<4xf32>

// Without the dimension the maxima of rows are taken from columns.
func.func @dropped(%x: !x) -> (!v, !v) {
  %m = fxgraph.amax %x dims [1] : (!x) -> !v
  %d = fxgraph.sub %x, %m : (!x, !v) -> !x
  %e = fxgraph.exp %d : !x
  // expected-remark@below {{maximum or sum do not keep the dimension}}
  %s = fxgraph.sum %e dims [1] : (!x) -> !v
  %n = fxgraph.amax %x dims [1] keepdim true : (!x) -> !r
  %f = fxgraph.sub %x, %n : (!x, !r) -> !x
  %g = fxgraph.exp %f : !x
  // expected-remark@below {{maximum or sum do not keep the dimension}}
  %t = fxgraph.sum %g dims [1] : (!x) -> !v
  return %s, %t : !v, !v
}

// -----

!x = tensor<4x4xf32>
!r = tensor<4x1xf32>

// The maximum of something else; the other way round; scaled; of another op.
func.func @others(%x: !x, %y: !x) -> (!r, !r, !r, !r) {
  %m = fxgraph.amax %y dims [1] keepdim true : (!x) -> !r
  %d = fxgraph.sub %x, %m : (!x, !r) -> !x
  %e = fxgraph.exp %d : !x
  %s = fxgraph.sum %e dims [1] keepdim true : (!x) -> !r
  %f = fxgraph.sub %m, %y : (!r, !x) -> !x
  %g = fxgraph.exp %f : !x
  %t = fxgraph.sum %g dims [1] keepdim true : (!x) -> !r
  %h = fxgraph.sub %y, %m alpha 2.0 : (!x, !r) -> !x
  %i = fxgraph.exp %h : !x
  // expected-remark@below {{the difference has an alpha other than 1}}
  %u = fxgraph.sum %i dims [1] keepdim true : (!x) -> !r
  %j = fxgraph.sub %y, %m : (!x, !r) -> !x
  %k = fxgraph.exp2 %j : !x
  %v = fxgraph.sum %k dims [1] keepdim true : (!x) -> !r
  return %s, %t, %u, %v : !r, !r, !r, !r
}

// -----

!x = tensor<4x4xf32, #fxgraph.meta<device = "cpu">>
!r = tensor<4x1xf32, #fxgraph.meta<device = "cpu">>

func.func @on_the_host(%x: !x) -> !r {
  %m = fxgraph.amax %x dims [1] keepdim true : (!x) -> !r
  %d = fxgraph.sub %x, %m : (!x, !r) -> !x
  %e = fxgraph.exp %d : !x
  // expected-remark@below {{the tensor is not on a GPU}}
  %s = fxgraph.sum %e dims [1] keepdim true : (!x) -> !r
  return %s : !r
}
