// RUN: fx-opt %s --fxgraph-splitcat-split-cat-to-slices="threshold-to-cat=2" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-split-cat-to-slices="threshold-to-cat=2" | diff %t.once -
// RUN: fx-opt %s --fxgraph-splitcat-split-cat-to-slices | FileCheck %s --check-prefix=DEFAULT
// RUN: fx-opt %s --fxgraph-splitcat-split-cat-to-slices="threshold-to-cat=2 allow-steps=true" | FileCheck %s --check-prefix=STEPS

// The split stays for its other user. By default only runs of 10 become slices.
// CHECK-LABEL: func @run
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6x2xf32>, %[[A:[a-z0-9]+]]:
// CHECK-NEXT: %[[P:.*]]:3 = fxgraph.split_with_sizes %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 6 :
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[S]], %[[A]], %[[P]]#0 dim 0
// DEFAULT-LABEL: func @run
// DEFAULT: fxgraph.cat %{{.*}}#1, %{{.*}}#2, %{{.*}}, %{{.*}}#0
func.func @run(%x: tensor<6x2xf32>, %a: tensor<1x2xf32>) -> (tensor<7x2xf32>, tensor<2x2xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [1, 2, 3] dim -2 : (tensor<6x2xf32>) -> (tensor<1x2xf32>, tensor<2x2xf32>, tensor<3x2xf32>)
  %c = fxgraph.cat %p#1, %p#2, %a, %p#0 dim -2 : (tensor<2x2xf32>, tensor<3x2xf32>, tensor<1x2xf32>, tensor<1x2xf32>) -> tensor<7x2xf32>
  %r = fxgraph.relu %p#1 : tensor<2x2xf32>
  return %c, %r : tensor<7x2xf32>, tensor<2x2xf32>
}

// Nothing else is joined: the argument itself, cloned.
// CHECK-LABEL: func @whole
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32>
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @whole(%x: tensor<6xf32>) -> tensor<6xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [4, 0, 2] dim 0 : (tensor<6xf32>) -> (tensor<4xf32>, tensor<0xf32>, tensor<2xf32>)
  %c = fxgraph.cat %p#0, %p#1, %p#2 dim 0 : (tensor<4xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<6xf32>
  return %c : tensor<6xf32>
}

// The last piece of one split is split again: both go.
// CHECK-LABEL: func @nested
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32>, %[[A:[a-z0-9]+]]:
// CHECK-NEXT: fxgraph.cat %[[A]], %[[X]] dim 0
// DEFAULT-LABEL: func @nested
// DEFAULT-NEXT: fxgraph.cat
func.func @nested(%x: tensor<6xf32>, %a: tensor<1xf32>) -> tensor<7xf32> {
  %p:2 = fxgraph.split %x size 4 dim 0 : (tensor<6xf32>) -> (tensor<4xf32>, tensor<2xf32>)
  %q:2 = fxgraph.split %p#1 size 1 dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %c = fxgraph.cat %a, %p#0, %q#0, %q#1 dim 0 : (tensor<1xf32>, tensor<4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<7xf32>
  return %c : tensor<7xf32>
}

// One producer after the other, one of them twice, one operand in between.
// CHECK-LABEL: func @interleaved
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<2xf32>, %[[A:[a-z0-9]+]]: tensor<1xf32>
// CHECK-NEXT: %[[P:.*]]:4 = fxgraph.split %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 0 to 2 :
// CHECK-NEXT: %[[T:.*]] = fxgraph.slice %[[X]] dim 0 from 2 to 4 :
// CHECK-NEXT: fxgraph.cat %[[S]], %[[Y]], %[[A]], %[[T]], %[[P]]#3 dim 0
func.func @interleaved(%x: tensor<4xf32>, %y: tensor<2xf32>, %a: tensor<1xf32>) -> tensor<8xf32> {
  %p:4 = fxgraph.split %x size 1 dim 0 : (tensor<4xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %q:2 = fxgraph.split %y size 1 dim 0 : (tensor<2xf32>) -> (tensor<1xf32>, tensor<1xf32>)
  %c = fxgraph.cat %p#0, %p#1, %q#0, %q#1, %a, %p#2, %p#3, %p#3 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<8xf32>
  return %c : tensor<8xf32>
}

// CHECK-LABEL: func @steps
// CHECK-NEXT: fxgraph.split
// CHECK-NEXT: fxgraph.cat
// STEPS-LABEL: func @steps
// STEPS-SAME: %[[X:[a-z0-9]+]]: tensor<6xf32>
// STEPS-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 1 to 6 step 2 :
// STEPS-NEXT: fxgraph.relu %[[S]]
func.func @steps(%x: tensor<6xf32>) -> tensor<3xf32> {
  %p:6 = fxgraph.split %x size 1 dim 0 : (tensor<6xf32>) -> (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>)
  %c = fxgraph.cat %p#1, %p#3, %p#5 dim 0 : (tensor<1xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<3xf32>
  %r = fxgraph.relu %c : tensor<3xf32>
  return %r : tensor<3xf32>
}

// Symbols in another dimension are kept.
// CHECK-LABEL: func @symbols
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4x?xf32, #fxgraph.meta<dims = [s0]>>, %[[A:[a-z0-9]+]]:
// CHECK-NEXT: %[[C:.*]] = fxgraph.cat %[[A]], %[[X]] dim 0 : {{.*}} -> tensor<8x?xf32, #fxgraph.meta<dims = [s0]>>
#s = #fxgraph.meta<dims = [s0]>
func.func @symbols(%x: tensor<4x?xf32, #s>, %a: tensor<4x?xf32, #s>) -> tensor<8x?xf32, #s> {
  %p:2 = fxgraph.split %x size 2 dim 0 : (tensor<4x?xf32, #s>) -> (tensor<2x?xf32, #s>, tensor<2x?xf32, #s>)
  %c = fxgraph.cat %a, %p#0, %p#1 dim 0 : (tensor<4x?xf32, #s>, tensor<2x?xf32, #s>, tensor<2x?xf32, #s>) -> tensor<8x?xf32, #s>
  return %c : tensor<8x?xf32, #s>
}
