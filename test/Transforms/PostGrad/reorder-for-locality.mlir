// RUN: fx-opt %s --fxgraph-postgrad-reorder-for-locality > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-reorder-for-locality | diff %t.once -

!x = tensor<4xf32>

// Chains move as a whole; what has an early user stays in front of it.
// CHECK-LABEL: func.func @chains
// CHECK-NEXT: %[[A:.+]] = fxgraph.exp %arg0
// CHECK-NEXT: %[[C:.+]] = fxgraph.relu %[[A]]
// CHECK-NEXT: %[[B:.+]] = fxgraph.neg %[[A]]
// CHECK-NEXT: %[[D:.+]] = fxgraph.abs %[[B]]
// CHECK-NEXT: fxgraph.add %[[C]], %[[D]]
func.func @chains(%x: !x) -> !x {
  %a = fxgraph.exp %x : !x
  %b = fxgraph.neg %a : !x
  %c = fxgraph.relu %a : !x
  %d = fxgraph.abs %b : !x
  %r = fxgraph.add %c, %d : (!x, !x) -> !x
  return %r : !x
}

// Not across a write, nor behind the first one; a user in a region counts where that stands.
// CHECK-LABEL: func.func @writes
// CHECK-NEXT: %[[A:.+]] = fxgraph.exp %arg0
// CHECK-NEXT: %[[B:.+]] = fxgraph.neg %arg0
// CHECK-NEXT: scf.if
// CHECK: fxgraph.copy_
// CHECK-NEXT: %[[C:.+]] = fxgraph.sin
// CHECK-NEXT: %[[D:.+]] = fxgraph.cos
// CHECK-NEXT: fxgraph.add %[[D]], %[[C]]
func.func @writes(%x: !x, %c: i1) -> (!x, !x) {
  %a = fxgraph.exp %x : !x
  %b = fxgraph.neg %x : !x
  %i = scf.if %c -> !x {
    %t = fxgraph.tanh %a : !x
    scf.yield %t : !x
  } else {
    scf.yield %a : !x
  }
  fxgraph.copy_ %i into %x : !x, !x
  %s = fxgraph.sin %b : !x
  %d = fxgraph.cos %a : !x
  %r = fxgraph.add %d, %s : (!x, !x) -> !x
  return %r, %i : !x, !x
}

// Where the first op writes, all others are behind it, also those in front of the next write.
// CHECK-LABEL: func.func @begins_with_write
// CHECK-NEXT: fxgraph.copy_
// CHECK-NEXT: %[[A:.+]] = fxgraph.exp
// CHECK-NEXT: %[[B:.+]] = fxgraph.neg
// CHECK-NEXT: %[[C:.+]] = fxgraph.sin %[[B]]
// CHECK-NEXT: %[[D:.+]] = fxgraph.add %[[C]], %[[A]]
// CHECK-NEXT: fxgraph.copy_ %[[D]]
func.func @begins_with_write(%x: !x, %y: !x) -> !x {
  fxgraph.copy_ %y into %x : !x, !x
  %a = fxgraph.exp %y : !x
  %b = fxgraph.neg %y : !x
  %c = fxgraph.sin %b : !x
  %r = fxgraph.add %c, %a : (!x, !x) -> !x
  fxgraph.copy_ %r into %x : !x, !x
  return %r : !x
}

// Its twin: without the first write they move.
// CHECK-LABEL: func.func @ends_with_write
// CHECK-NEXT: %[[B:.+]] = fxgraph.neg
// CHECK-NEXT: %[[C:.+]] = fxgraph.sin %[[B]]
// CHECK-NEXT: %[[A:.+]] = fxgraph.exp
// CHECK-NEXT: %[[D:.+]] = fxgraph.add %[[C]], %[[A]]
// CHECK-NEXT: fxgraph.copy_ %[[D]]
func.func @ends_with_write(%x: !x, %y: !x) -> !x {
  %a = fxgraph.exp %y : !x
  %b = fxgraph.neg %y : !x
  %c = fxgraph.sin %b : !x
  %r = fxgraph.add %c, %a : (!x, !x) -> !x
  fxgraph.copy_ %r into %x : !x, !x
  return %r : !x
}

// Operands that come again, several results of one op and results in several operands: the last use counts.
// CHECK-LABEL: func.func @repeated
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg
// CHECK-NEXT: %[[S:.+]]:2 = fxgraph.split_with_sizes
// CHECK-NEXT: fxgraph.cat %[[S]]#0, %[[N]], %[[N]], %[[S]]#1, %[[S]]#0
// CHECK-NEXT: return
func.func @repeated(%x: tensor<2x4xf32>, %y: tensor<1x4xf32>) -> tensor<5x4xf32> {
  %s:2 = fxgraph.split_with_sizes %x sizes [1, 1] dim 0 : (tensor<2x4xf32>) -> (tensor<1x4xf32>, tensor<1x4xf32>)
  %n = fxgraph.neg %y : tensor<1x4xf32>
  %c = fxgraph.cat %s#0, %n, %n, %s#1, %s#0 dim 0 : (tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<5x4xf32>
  return %c : tensor<5x4xf32>
}

// Draws keep their order, as do unknown ops; a dead op stays.
// CHECK-LABEL: func.func @effects
// CHECK-NEXT: %[[A:.+]] = fxgraph.rand
// CHECK-NEXT: %[[B:.+]] = fxgraph.rand
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[A]]
// CHECK-NEXT: %[[O:.+]] = fxgraph.opaque
// CHECK-NEXT: fxgraph.add %[[B]], %[[N]]
func.func @effects(%x: !x) -> (!x, !x) {
  %a = fxgraph.rand : !x
  %b = fxgraph.rand : !x
  %n = fxgraph.neg %a : !x
  %o = fxgraph.opaque "custom.op.default"(%x) : (!x) -> !x
  %r = fxgraph.add %b, %n : (!x, !x) -> !x
  return %r, %o : !x, !x
}

// Unknown ops that are functions of their operands move, and others past them.
// CHECK-LABEL: func.func @functions
// CHECK-NEXT: %[[P:.+]] = fxgraph.opaque
// CHECK-NEXT: %[[U:.+]] = fxgraph.abs %[[P]]
// CHECK-NEXT: %[[B:.+]] = fxgraph.relu
// CHECK-NEXT: fxgraph.add %[[U]], %[[B]]
// CHECK-NEXT: fxgraph.neg
func.func @functions(%x: !x) -> (!x, !x) {
  %b = fxgraph.relu %x : !x
  %p = fxgraph.opaque "custom.op.default"(%x) {effects = "none"} : (!x) -> !x
  %a = fxgraph.neg %x : !x
  %u = fxgraph.abs %p : !x
  %r = fxgraph.add %u, %b : (!x, !x) -> !x
  return %r, %a : !x, !x
}

// A collective is not dragged down to its wait; what stands before the wait is.
// CHECK-LABEL: func.func @collective
// CHECK-NEXT: %[[G:.+]] = fxgraph.all_reduce
// CHECK-NEXT: %[[T:.+]] = fxgraph.tanh
// CHECK-NEXT: %[[W:.+]] = fxgraph.wait_tensor %[[G]]
// CHECK-NEXT: fxgraph.add %[[T]], %[[W]]
func.func @collective(%x: !x) -> !x {
  %g = fxgraph.all_reduce %x op "sum" group "0" : (!x) -> !x
  %t = fxgraph.tanh %x : !x
  %w = fxgraph.wait_tensor %g : (!x) -> !x
  %r = fxgraph.add %t, %w : (!x, !x) -> !x
  return %r : !x
}

// Where all stand in place nothing moves, be they used again further on or twice at once.
// CHECK-LABEL: func.func @in_place
// CHECK-NEXT: %[[H:.+]] = fxgraph.exp %arg0
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[H]]
// CHECK-NEXT: %[[B:.+]] = fxgraph.tanh %arg0
// CHECK-NEXT: %[[M:.+]] = fxgraph.mul %[[B]], %[[B]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.add %[[N]], %[[M]]
// CHECK-NEXT: fxgraph.mul %[[H]], %[[S]]
func.func @in_place(%x: !x) -> !x {
  %h = fxgraph.exp %x : !x
  %n = fxgraph.neg %h : !x
  %b = fxgraph.tanh %x : !x
  %m = fxgraph.mul %b, %b : (!x, !x) -> !x
  %s = fxgraph.add %n, %m : (!x, !x) -> !x
  %r = fxgraph.mul %h, %s : (!x, !x) -> !x
  return %r : !x
}

// Its twin: what is first used behind another's chain goes behind it.
// CHECK-LABEL: func.func @not_in_place
// CHECK-NEXT: %[[B:.+]] = fxgraph.tanh %arg0
// CHECK-NEXT: %[[H:.+]] = fxgraph.exp %arg0
// CHECK-NEXT: %[[N:.+]] = fxgraph.neg %[[H]]
// CHECK-NEXT: %[[S:.+]] = fxgraph.add %[[B]], %[[N]]
// CHECK-NEXT: fxgraph.mul %[[H]], %[[S]]
func.func @not_in_place(%x: !x) -> !x {
  %h = fxgraph.exp %x : !x
  %b = fxgraph.tanh %x : !x
  %n = fxgraph.neg %h : !x
  %s = fxgraph.add %b, %n : (!x, !x) -> !x
  %r = fxgraph.mul %h, %s : (!x, !x) -> !x
  return %r : !x
}

// A draw stays, and what stands in front of it goes to its user.
// CHECK-LABEL: func.func @behind_draw
// CHECK-NEXT: %[[D:.+]] = fxgraph.rand
// CHECK-NEXT: %[[H:.+]] = fxgraph.exp
// CHECK-NEXT: fxgraph.add %[[H]], %[[D]]
func.func @behind_draw(%x: !x) -> !x {
  %h = fxgraph.exp %x : !x
  %d = fxgraph.rand : !x
  %r = fxgraph.add %h, %d : (!x, !x) -> !x
  return %r : !x
}
