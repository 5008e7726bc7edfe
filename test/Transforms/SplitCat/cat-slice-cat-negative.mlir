// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-splitcat-cat-slice-cat --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

// CHECK-NOT: fxgraph.cat %{{.*}}, %{{.*}}, %

!a = tensor<2x4xf32>
!c = tensor<2x8xf32>

// More than the first operand; a step; not the beginning. (Inductor builds the first again,
// and counts it.)
func.func @other_slices(%a: !a, %b: !a) -> (tensor<2x13xf32>, tensor<2x10xf32>, tensor<2x9xf32>) {
  %c = fxgraph.cat %a, %b dim 1 : (!a, !a) -> !c
  %s = fxgraph.slice %c dim 1 from 0 to 5 : (!c) -> tensor<2x5xf32>
  // expected-remark@below {{the slice is not the beginning of the first operand}}
  %r = fxgraph.cat %c, %s dim 1 : (!c, tensor<2x5xf32>) -> tensor<2x13xf32>
  %d = fxgraph.cat %a, %b dim 1 : (!a, !a) -> !c
  %t = fxgraph.slice %d dim 1 from 0 to 4 step 2 : (!c) -> tensor<2x2xf32>
  // expected-remark@below {{the slice is not the beginning of the first operand}}
  %q = fxgraph.cat %d, %t dim 1 : (!c, tensor<2x2xf32>) -> tensor<2x10xf32>
  %e = fxgraph.cat %a, %b dim 1 : (!a, !a) -> !c
  %u = fxgraph.slice %e dim 1 from 1 to 2 : (!c) -> tensor<2x1xf32>
  // expected-remark@below {{the slice is not the beginning of the first operand}}
  %p = fxgraph.cat %e, %u dim 1 : (!c, tensor<2x1xf32>) -> tensor<2x9xf32>
  return %r, %q, %p : tensor<2x13xf32>, tensor<2x10xf32>, tensor<2x9xf32>
}

// -----

!a = tensor<2x4xf32>
!c = tensor<2x8xf32>

// The first operand may be as short as that, or not.
func.func @not_known(%a: tensor<2x?xf32>, %b: !a) -> tensor<2x?xf32> {
  %c = fxgraph.cat %a, %b dim 1 : (tensor<2x?xf32>, !a) -> tensor<2x?xf32>
  %s = fxgraph.slice %c dim 1 from 0 to 1 : (tensor<2x?xf32>) -> tensor<2x?xf32>
  // expected-remark@below {{an extent along the dimension of the cats is not known}}
  %r = fxgraph.cat %c, %s dim 1 : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  return %r : tensor<2x?xf32>
}

// -----

!a = tensor<2x4xf32>
!c = tensor<2x8xf32>

func.func @other_users(%a: !a, %b: !a) -> (tensor<2x10xf32>, !c) {
  %c = fxgraph.cat %a, %b dim 1 : (!a, !a) -> !c
  %s = fxgraph.slice %c dim 1 from 0 to 2 : (!c) -> tensor<2x2xf32>
  // expected-remark@below {{the inner cat or its slice has other users}}
  %r = fxgraph.cat %c, %s dim 1 : (!c, tensor<2x2xf32>) -> tensor<2x10xf32>
  return %r, %c : tensor<2x10xf32>, !c
}

// -----

!c = tensor<4x4xf32>

// The slice is across the cats; the outer cat is across the inner one.
func.func @other_dimension(%a: tensor<4x2xf32>) -> (tensor<6x4xf32>, tensor<4x6xf32>) {
  %c = fxgraph.cat %a, %a dim 1 : (tensor<4x2xf32>, tensor<4x2xf32>) -> !c
  %s = fxgraph.slice %c dim 0 from 0 to 2 : (!c) -> tensor<2x4xf32>
  // expected-remark@below {{the cats and the slice are not along one dimension}}
  %r = fxgraph.cat %c, %s dim 0 : (!c, tensor<2x4xf32>) -> tensor<6x4xf32>
  %t = fxgraph.transpose %a dims 0, 1 : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %d = fxgraph.cat %t, %t dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> !c
  %u = fxgraph.slice %d dim 1 from 0 to 2 : (!c) -> tensor<4x2xf32>
  // expected-remark@below {{the cats and the slice are not along one dimension}}
  %q = fxgraph.cat %d, %u dim 1 : (!c, tensor<4x2xf32>) -> tensor<4x6xf32>
  return %r, %q : tensor<6x4xf32>, tensor<4x6xf32>
}

// -----

!c = tensor<2x2xf32>

// The other order; a slice of another cat; a skipped first operand.
func.func @others(%a: tensor<2x1xf32>, %e: tensor<0xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>) {
  %c = fxgraph.cat %a, %a dim 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> !c
  %s = fxgraph.slice %c dim 1 from 0 to 1 : (!c) -> tensor<2x1xf32>
  %r = fxgraph.cat %s, %c dim 1 : (tensor<2x1xf32>, !c) -> tensor<2x3xf32>
  %d = fxgraph.cat %a, %a dim 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> !c
  %u = fxgraph.slice %r dim 1 from 0 to 1 : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %q = fxgraph.cat %d, %u dim 1 : (!c, tensor<2x1xf32>) -> tensor<2x3xf32>
  %f = fxgraph.cat %e, %a dim 1 : (tensor<0xf32>, tensor<2x1xf32>) -> tensor<2x1xf32>
  %t = fxgraph.slice %f dim 1 from 0 to 1 : (tensor<2x1xf32>) -> tensor<2x1xf32>
  // expected-remark@below {{an extent along the dimension of the cats is not known}}
  %p = fxgraph.cat %f, %t dim 1 : (tensor<2x1xf32>, tensor<2x1xf32>) -> tensor<2x2xf32>
  return %r, %q, %p : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x2xf32>
}
