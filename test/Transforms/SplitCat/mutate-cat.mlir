// RUN: fx-opt %s --fxgraph-splitcat-mutate-cat > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-splitcat-mutate-cat | diff %t.once -

// All pieces give the input, some a slice; the split stays for its other user.
// CHECK-LABEL: func @all_and_some
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7x2xf32>
// CHECK-NEXT: %[[P:.*]]:3 = fxgraph.split_with_sizes %[[X]]
// CHECK-NEXT: %[[A:.*]] = fxgraph.relu %[[X]]
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 2 to 7 :
// CHECK-NEXT: %[[B:.*]] = fxgraph.relu %[[S]]
// CHECK-NEXT: %[[C:.*]] = fxgraph.relu %[[P]]#1
// CHECK-NEXT: return %[[A]], %[[B]], %[[C]]
func.func @all_and_some(%x: tensor<7x2xf32>) -> (tensor<7x2xf32>, tensor<5x2xf32>, tensor<1x2xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7x2xf32>) -> (tensor<2x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>)
  %all = fxgraph.cat %p#0, %p#1, %p#2 dim -2 : (tensor<2x2xf32>, tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<7x2xf32>
  %a = fxgraph.relu %all : tensor<7x2xf32>
  %some = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<1x2xf32>, tensor<4x2xf32>) -> tensor<5x2xf32>
  %b = fxgraph.relu %some : tensor<5x2xf32>
  %c = fxgraph.relu %p#1 : tensor<1x2xf32>
  return %a, %b, %c : tensor<7x2xf32>, tensor<5x2xf32>, tensor<1x2xf32>
}

// A split without users goes. What is returned is no view of the argument.
// CHECK-LABEL: func @returned
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<7xf32>
// CHECK-NEXT: %[[S:.*]] = fxgraph.slice %[[X]] dim 0 from 0 to 3 :
// CHECK-NEXT: %[[A:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: %[[B:.*]] = fxgraph.clone %[[S]]
// CHECK-NEXT: return %[[A]], %[[B]]
func.func @returned(%x: tensor<7xf32>) -> (tensor<7xf32>, tensor<3xf32>) {
  %p:3 = fxgraph.split_with_sizes %x sizes [2, 1, 4] dim 0 : (tensor<7xf32>) -> (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>)
  %all = fxgraph.cat %p#0, %p#1, %p#2 dim 0 : (tensor<2xf32>, tensor<1xf32>, tensor<4xf32>) -> tensor<7xf32>
  %some = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<1xf32>) -> tensor<3xf32>
  return %all, %some : tensor<7xf32>, tensor<3xf32>
}

// A write to the argument comes later: the value that is read here is the old one
// in any case.
// CHECK-LABEL: func @written_argument
// CHECK-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32>
// CHECK-NOT: fxgraph.cat
// CHECK: fxgraph.copy_
// CHECK-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// CHECK-NEXT: return %[[C]]
func.func @written_argument(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %p:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %all = fxgraph.cat %p#0, %p#1 dim 0 : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  fxgraph.copy_ %y into %x : tensor<4xf32>, tensor<4xf32>
  return %all : tensor<4xf32>
}

// Zero sections count as pieces.
// CHECK-LABEL: func @zero_sections
// CHECK: %[[S:.*]] = fxgraph.slice %{{.*}} dim 0 from 3 to 5 :
// CHECK-NEXT: fxgraph.relu %[[S]]
func.func @zero_sections(%x: tensor<5xf32>) -> tensor<2xf32> {
  %p:3 = fxgraph.split_with_sizes %x sizes [3, 0, 2] dim 0 : (tensor<5xf32>) -> (tensor<3xf32>, tensor<0xf32>, tensor<2xf32>)
  %some = fxgraph.cat %p#1, %p#2 dim 0 : (tensor<0xf32>, tensor<2xf32>) -> tensor<2xf32>
  %r = fxgraph.relu %some : tensor<2xf32>
  return %r : tensor<2xf32>
}
