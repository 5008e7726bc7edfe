// RUN: fx-opt %s --fxgraph-splitcat-split-cat-to-slices="threshold-to-cat=3 allow-steps=true" --remarks-filter="fxgraph.*" --remark-format=emitRemark --verify-diagnostics --fxgraph-report=%t.json | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT --input-file=%t.json

// Nothing fires and nothing is counted: every function keeps its ops.
// REPORT-NOT: split_cat_to_slices_pass

// CHECK-LABEL: func @other_dim
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @other_dim(%x: tensor<3x2xf32>) -> tensor<1x6xf32> {
  %s:3 = fxgraph.split %x size 1 dim 0 : (tensor<3x2xf32>) -> (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>)
  // expected-remark @below {{split and cat are along different dimensions}}
  %c = fxgraph.cat %s#0, %s#1, %s#2 dim -1 : (tensor<1x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<1x6xf32>
  return %c : tensor<1x6xf32>
}

// CHECK-LABEL: func @permuted
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @permuted(%x: tensor<3xf32>) -> tensor<3xf32> {
  %s:3 = fxgraph.split %x size 1 dim 0 : (tensor<3xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s#1, %s#2, %s#0 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}

// CHECK-LABEL: func @interrupted
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @interrupted(%x: tensor<4xf32>, %a: tensor<1xf32>) -> tensor<5xf32> {
  %s:4 = fxgraph.split %x size 1 dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s#0, %s#1, %a, %s#2, %s#3 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<5xf32>
  return %c : tensor<5xf32>
}

// CHECK-LABEL: func @repeated
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @repeated(%x: tensor<2xf32>) -> tensor<3xf32> {
  %s:2 = fxgraph.split %x size 1 dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s#0, %s#0, %s#0 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %c : tensor<3xf32>
}

// Same numbers, two splits.
// CHECK-LABEL: func @two_splits
// CHECK: fxgraph.cat %{{.*}}#0, %{{.*}}#1
func.func @two_splits(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split %x size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %t:2 = fxgraph.split %y size 2 dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s#0, %t#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  return %c : tensor<4xf32>
}

// Every second piece, but of extent 2: no slice.
// CHECK-LABEL: func @wide_steps
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @wide_steps(%x: tensor<12xf32>) -> tensor<6xf32> {
  %s:6 = fxgraph.split %x size 2 dim 0 : (tensor<12xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s#0, %s#2, %s#4 dim 0 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// One piece is the whole input, but nothing gets shorter.
// CHECK-LABEL: func @one_section
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
func.func @one_section(%x: tensor<4xf32>) -> tensor<8xf32> {
  %s = fxgraph.split %x size 4 dim 0 : (tensor<4xf32>) -> tensor<4xf32>
  // expected-remark @below {{no run of neighbouring pieces is long enough}}
  %c = fxgraph.cat %s, %s dim 0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// A legacy empty tensor is no piece of the cat.
// CHECK-LABEL: func @legacy_empty
// CHECK: fxgraph.cat
func.func @legacy_empty(%x: tensor<0xf32>, %a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %s:3 = fxgraph.chunk %x chunks 3 dim 0 : (tensor<0xf32>) -> (tensor<0xf32>, tensor<0xf32>, tensor<0xf32>)
  %c = fxgraph.cat %s#0, %s#1, %s#2, %a dim 0 : (tensor<0xf32>, tensor<0xf32>, tensor<0xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %c : tensor<4x2xf32>
}

// The split checks at run time that the extent is 4; the cat alone would not.
// CHECK-LABEL: func @dynamic_extent
// CHECK: fxgraph.cat
func.func @dynamic_extent(%x: tensor<?xf32>, %a: tensor<1xf32>) -> tensor<5xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<?xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{the extent of the input is not known}}
  %c = fxgraph.cat %a, %s#0, %s#1 dim 0 : (tensor<1xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<5xf32>
  return %c : tensor<5xf32>
}

// CHECK-LABEL: func @opaque_writes
// CHECK: fxgraph.cat
func.func @opaque_writes(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  // expected-remark @below {{an unknown op may write to the result}}
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %o = fxgraph.opaque "custom.add_.default"(%c, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %o : tensor<4xf32>
}

// Pieces of an unbind are for another pass.
// CHECK-LABEL: func @unbind
// CHECK: fxgraph.cat
func.func @unbind(%x: tensor<2x3xf32>) -> tensor<6xf32> {
  %s:2 = fxgraph.unbind %x dim 0 : (tensor<2x3xf32>) -> (tensor<3xf32>, tensor<3xf32>)
  %c = fxgraph.cat %s#0, %s#1 dim 0 : (tensor<3xf32>, tensor<3xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}
