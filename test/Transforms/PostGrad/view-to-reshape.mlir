// RUN: fx-opt %s --fxgraph-postgrad-view-to-reshape > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-view-to-reshape | diff %t.once -

// Sizes that are operands; a region; what is returned is a view as before.
// CHECK-LABEL: func.func @sizes
// CHECK-NEXT: %[[A:.+]] = fxgraph.reshape %arg0 shape [%arg1, 3]
// CHECK: scf.if
// CHECK: fxgraph.reshape
// CHECK-NOT: fxgraph.view
func.func @sizes(%x: tensor<?x3xf32>, %n: index, %c: i1) -> (tensor<?x3xf32>, tensor<?xf32>) {
  %a = fxgraph.view %x shape [%n, 3] : tensor<?x3xf32> -> tensor<?x3xf32>
  %b = scf.if %c -> tensor<?xf32> {
    %v = fxgraph.view %x shape [-1] : tensor<?x3xf32> -> tensor<?xf32>
    %w = fxgraph.neg %v : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  } else {
    %v = fxgraph.reshape %x shape [-1] : tensor<?x3xf32> -> tensor<?xf32>
    %w = fxgraph.abs %v : tensor<?xf32>
    scf.yield %w : tensor<?xf32>
  }
  return %a, %b : tensor<?x3xf32>, tensor<?xf32>
}
