// A graph that a wrong rule breaks shrinks to the op that breaks: with the dialect's
// own reductions, which put an operand or a created tensor in an op's place and drop
// results and arguments.
//
// The wrong rule swaps the operands of sub; rewrites are verified in this suite.
// RUN: not fx-opt %s --fxgraph-test-wrong-rule 2>&1 | FileCheck %s --check-prefix=BEFORE
// BEFORE: error: {{.*}}swap-sub
// RUN: fx-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/wrong-rule.sh' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: not fx-opt %t.mlir --fxgraph-test-wrong-rule 2>&1 | FileCheck %s --check-prefix=BEFORE

// Nothing is done without a word.
// RUN: not fx-reduce %s --reduction-tree='traversal-mode=0 test=/none/test.sh' -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix=TEST
// TEST: {{^}}fx-reduce: error: expected test=PROGRAM, a path that can be run, but got '/none/test.sh'
// RUN: not fx-reduce %s --reduction-tree= 2>&1 | FileCheck %s --check-prefix=NOTEST
// RUN: not fx-reduce %s --reduction-tree='traversal-mode=0' 2>&1 | FileCheck %s --check-prefix=NOTEST
// NOTEST: {{^}}fx-reduce: error: expected test=PROGRAM among the options of --reduction-tree
// RUN: not fx-reduce %s 2>&1 | FileCheck %s --check-prefix=NOTREE
// NOTREE: {{^}}fx-reduce: error: expected --reduction-tree='traversal-mode=0 test=PROGRAM' or another reduction
// RUN: fx-reduce --help | FileCheck %s --check-prefix=HELP
// HELP: OVERVIEW: MLIR test case reduction tool.
// RUN: fx-reduce %s --pass-pipeline='builtin.module(canonicalize)' | FileCheck %s --check-prefix=PIPELINE
// PIPELINE: func.func
// RUN: not fx-reduce %s --reduction-tree='traversal-mode=0 test=/bin/true' -o %t.none.mlir 2>&1 | FileCheck %s --check-prefix=BORING
// BORING: {{^}}fx-reduce: error: the graph was not reduced: expected a test that exits with 1 for the input
// RUN: not fx-reduce %s --reduction-tree='traversal-mode=0 test=%S/Inputs/wrong-rule.sh' -o %t.none/out.mlir 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: {{^}}fx-reduce: error: cannot write '{{.*}}out.mlir': expected a folder but '{{.*}}.none' is none
// RUN: not fx-reduce %t.none.mlir --reduction-tree='traversal-mode=0 test=/bin/true' 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: {{^}}fx-reduce: error: cannot open input file '{{.*}}.none.mlir': No such file or directory

// CHECK:      module {
// CHECK-NEXT:   func.func @main(%[[X:.*]]: tensor<4x8xf32>) -> tensor<4x4xf32> {
// CHECK-NEXT:     %[[P:.*]]:2 = fxgraph.split %[[X]] size 4 dim 1
// CHECK-NEXT:     %[[D:.*]] = fxgraph.sub %[[P]]#0, %[[P]]#1
// CHECK-NEXT:     return %[[D]]
// CHECK-NEXT:   }
// CHECK-NEXT: }
func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = fxgraph.relu %x : tensor<3xf32>
  return %r : tensor<3xf32>
}

func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>, %b: tensor<8xf32>, %unused: tensor<5xf32>)
    -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) {
  %l = fxgraph.linear %x, %w, %b : (tensor<4x8xf32>, tensor<8x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %t = fxgraph.tanh %l : tensor<4x8xf32>
  %p:2 = fxgraph.split %t size 4 dim 1 : (tensor<4x8xf32>) -> (tensor<4x4xf32>, tensor<4x4xf32>)
  %d = fxgraph.sub %p#0, %p#1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %c = fxgraph.cat %d, %p#1 dim 1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x8xf32>
  %m = fxgraph.mul %c, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %s = fxgraph.softmax %m dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %r = fxgraph.relu %s : tensor<4x8xf32>
  %sum = fxgraph.sum %r dims [1] : (tensor<4x8xf32>) -> tensor<4xf32>
  return %r, %m, %sum : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>
}
