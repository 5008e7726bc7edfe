// Graphs on which a second run of a pass once found what the first had left.
// RUN: fx-opt %s --fxgraph-splitcat-mutate-cat -o %t.1 && fx-opt %t.1 --fxgraph-splitcat-mutate-cat | diff %t.1 -
// RUN: FileCheck %s --input-file=%t.1 --check-prefix=MUTATE
// RUN: fx-opt %s --fxgraph-splitcat-split-cat -o %t.1 && fx-opt %t.1 --fxgraph-splitcat-split-cat | diff %t.1 -
// RUN: FileCheck %s --input-file=%t.1 --check-prefix=SPLIT
// RUN: fx-opt %s --fxgraph-splitcat-split-cat=allow-other-users=true -o %t.1
// RUN: fx-opt %t.1 --fxgraph-splitcat-split-cat=allow-other-users=true | diff %t.1 -
// RUN: FileCheck %s --input-file=%t.1 --check-prefix=USERS
// RUN: fx-opt %s --fxgraph-splitcat-stack-unbind-cancel -o %t.1
// RUN: fx-opt %t.1 --fxgraph-splitcat-stack-unbind-cancel | diff %t.1 -
// RUN: FileCheck %s --input-file=%t.1 --check-prefix=STACK
// RUN: fx-opt %s --fxgraph-splitcat-merge-getitem-cat -o %t.1 && fx-opt %t.1 --fxgraph-splitcat-merge-getitem-cat | diff %t.1 -
// RUN: FileCheck %s --input-file=%t.1 --check-prefix=GETITEM

// The inner cat becomes the piece that its split cuts, and the outer one goes too.
// GETITEM-LABEL: func @cat_of_input
// GETITEM-NOT: fxgraph.cat
// GETITEM: return
func.func @cat_of_input(%x: tensor<4x52xf32>) -> tensor<4x13xf32> {
  %s:4 = fxgraph.split_with_sizes %x sizes [13, 13, 13, 13] dim 1 : (tensor<4x52xf32>) -> (tensor<4x13xf32>, tensor<4x13xf32>, tensor<4x13xf32>, tensor<4x13xf32>)
  %t:2 = fxgraph.split %s#2 size 2 dim -2 : (tensor<4x13xf32>) -> (tensor<2x13xf32>, tensor<2x13xf32>)
  %c = fxgraph.cat %t#0, %t#1 dim -2 : (tensor<2x13xf32>, tensor<2x13xf32>) -> tensor<4x13xf32>
  %d = fxgraph.cat %c dim 1 : (tensor<4x13xf32>) -> tensor<4x13xf32>
  return %d : tensor<4x13xf32>
}

// A cat that becomes a piece makes the next cat a candidate.
// MUTATE-LABEL: func @cat_of_cat
// MUTATE-NOT: fxgraph.cat
// MUTATE: %[[C:.*]] = fxgraph.clone
// MUTATE: return %[[C]]
func.func @cat_of_cat(%x: tensor<4x3x1xf32>) -> tensor<2x3x1xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [2, 2] dim 0 : (tensor<4x3x1xf32>) -> (tensor<2x3x1xf32>, tensor<2x3x1xf32>)
  %a = fxgraph.cat %s#1 dim -3 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  %b = fxgraph.cat %a dim 0 : (tensor<2x3x1xf32>) -> tensor<2x3x1xf32>
  return %b : tensor<2x3x1xf32>
}

// The inner split goes, and then the outer one's pieces are all in one cat.
// SPLIT-LABEL: func @split_of_piece
// SPLIT-SAME: %[[X:[a-z0-9]+]]: tensor<1x1x2xbf16>
// SPLIT-NEXT: %[[C:.*]] = fxgraph.clone %[[X]]
// SPLIT-NEXT: return %[[C]]
func.func @split_of_piece(%x: tensor<1x1x2xbf16>) -> tensor<1x1x2xbf16> {
  %s:2 = fxgraph.split_with_sizes %x sizes [0, 1] dim 1 : (tensor<1x1x2xbf16>) -> (tensor<1x0x2xbf16>, tensor<1x1x2xbf16>)
  %t:2 = fxgraph.split_with_sizes %s#0 sizes [0, 0] dim 1 : (tensor<1x0x2xbf16>) -> (tensor<1x0x2xbf16>, tensor<1x0x2xbf16>)
  %c = fxgraph.cat %t#0, %t#1, %s#1 dim 1 : (tensor<1x0x2xbf16>, tensor<1x0x2xbf16>, tensor<1x1x2xbf16>) -> tensor<1x1x2xbf16>
  return %c : tensor<1x1x2xbf16>
}

// Without the cat only the squeeze is left of the split's users.
// USERS-LABEL: func @squeeze_is_left
// USERS-NOT: fxgraph.squeeze
// USERS: fxgraph.unbind
func.func @squeeze_is_left(%x: tensor<4xi64>) -> (tensor<i64>, tensor<1xi64>) {
  %s:4 = fxgraph.split %x size 1 dim -1 : (tensor<4xi64>) -> (tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>)
  %q = fxgraph.squeeze %s#0 dims [0] : (tensor<1xi64>) -> tensor<i64>
  %c = fxgraph.cat %s#0, %s#1 dim -1 : (tensor<1xi64>, tensor<1xi64>) -> tensor<2xi64>
  %t:2 = fxgraph.split_with_sizes %c sizes [1, 1] dim -1 : (tensor<2xi64>) -> (tensor<1xi64>, tensor<1xi64>)
  return %q, %t#0 : tensor<i64>, tensor<1xi64>
}

// A copy that may be none stays as it was: no clone on the second run.
// STACK-LABEL: func @contiguous
// STACK: %[[L:.*]] = fxgraph.linear
// STACK-NEXT: %[[C:.*]] = fxgraph.contiguous %[[L]]
// STACK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[C]]
// STACK-NEXT: %[[Q:.*]] = fxgraph.unsqueeze %[[L]]
// STACK-NEXT: return %[[U]]#0, %[[Q]]
func.func @contiguous(%x: tensor<4xf32>, %w: tensor<2x4xf32>) -> (tensor<f32>, tensor<1x2xf32>) {
  %l = fxgraph.linear %x, %w : (tensor<4xf32>, tensor<2x4xf32>) -> tensor<2xf32>
  %c = fxgraph.contiguous %l : tensor<2xf32>
  %s = fxgraph.stack %l, %c, %c dim 1 : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  %u:3 = fxgraph.unbind %s dim 1 : (tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %v:2 = fxgraph.unbind %u#2 dim 0 : (tensor<2xf32>) -> (tensor<f32>, tensor<f32>)
  %q = fxgraph.unsqueeze %u#0 dim -2 : (tensor<2xf32>) -> tensor<1x2xf32>
  return %v#0, %q : tensor<f32>, tensor<1x2xf32>
}
