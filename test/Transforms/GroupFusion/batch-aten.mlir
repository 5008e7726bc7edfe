// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-tanh{min-fuse-set-size=2},fxgraph-group-batch-aten-sigmoid{min-fuse-set-size=2},fxgraph-group-batch-aten-relu{min-fuse-set-size=2},fxgraph-group-batch-aten-add{min-fuse-set-size=2},fxgraph-group-batch-aten-sub{min-fuse-set-size=2},fxgraph-group-batch-aten-mul{min-fuse-set-size=2},fxgraph-group-batch-aten-div{min-fuse-set-size=2}))' > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-tanh{min-fuse-set-size=2},fxgraph-group-batch-aten-sigmoid{min-fuse-set-size=2},fxgraph-group-batch-aten-relu{min-fuse-set-size=2},fxgraph-group-batch-aten-add{min-fuse-set-size=2},fxgraph-group-batch-aten-sub{min-fuse-set-size=2},fxgraph-group-batch-aten-mul{min-fuse-set-size=2},fxgraph-group-batch-aten-div{min-fuse-set-size=2}))' | diff %t.once -
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-add{min-fuse-set-size=2 decompose-stack=true}))' > %t.decomposed
// RUN: FileCheck %s --check-prefix=DECOMPOSED --input-file=%t.decomposed
// RUN: fx-opt %t.decomposed --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-add{min-fuse-set-size=2 decompose-stack=true}))' | diff %t.decomposed -
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-relu{min-fuse-set-size=2},fxgraph-group-batch-aten-sigmoid{min-fuse-set-size=2}))' | FileCheck %s --check-prefix=BACKWARDS
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-aten-mul{min-fuse-set-size=2 fuse-nodes-with-same-parent=true},fxgraph-group-batch-aten-relu{min-fuse-set-size=2 fuse-nodes-with-same-parent=true}))' | FileCheck %s --check-prefix=PARENT

!x = tensor<3xf32>

// Each op by its own kind; alpha of the difference is kept.
// CHECK-LABEL: func.func @all_seven
// CHECK: fxgraph.tanh {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.sigmoid {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.relu {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.add {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.sub {{.*}} alpha 2.0{{.*}}tensor<2x3xf32>
// CHECK: fxgraph.mul {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.div {{.*}} rounding_mode "floor" {{.*}}tensor<2x3xf32>
// CHECK-NOT: {{tanh|sigmoid|relu|add|sub|mul|div}}
// CHECK: return
func.func @all_seven(%a: !x, %b: !x) -> (!x, !x) {
  %a0 = fxgraph.tanh %a : !x
  %b0 = fxgraph.tanh %b : !x
  %a1 = fxgraph.sigmoid %a0 : !x
  %b1 = fxgraph.sigmoid %b0 : !x
  %a2 = fxgraph.relu %a1 : !x
  %b2 = fxgraph.relu %b1 : !x
  %a3 = fxgraph.add %a2, %a : (!x, !x) -> !x
  %b3 = fxgraph.add %b2, %b : (!x, !x) -> !x
  %a4 = fxgraph.sub %a3, %a alpha 2.0 : (!x, !x) -> !x
  %b4 = fxgraph.sub %b3, %b alpha 2.0 : (!x, !x) -> !x
  %a5 = fxgraph.mul %a4, %a : (!x, !x) -> !x
  %b5 = fxgraph.mul %b4, %b : (!x, !x) -> !x
  %a6 = fxgraph.div %a5, %a rounding_mode "floor" : (!x, !x) -> !x
  %b6 = fxgraph.div %b5, %b rounding_mode "floor" : (!x, !x) -> !x
  return %a6, %b6 : !x, !x
}

// -----

!x = tensor<3xf32>

// Rows in order, whatever the order of the ops; a cat of unsqueezes on request.
// CHECK-LABEL: func.func @rows
// CHECK: fxgraph.stack %[[R0:.+]], %[[R1:.+]], %[[R2:.+]] dim 0
// DECOMPOSED-LABEL: func.func @rows
// DECOMPOSED-DAG: %[[R0:.+]] = fxgraph.select %arg0 dim 0 at 0
// DECOMPOSED-DAG: %[[R1:.+]] = fxgraph.select %arg0 dim 0 at 1
// DECOMPOSED-DAG: %[[R2:.+]] = fxgraph.select %arg0 dim 0 at 2
// DECOMPOSED-DAG: %[[U0:.+]] = fxgraph.unsqueeze %[[R0]] dim 0
// DECOMPOSED-DAG: %[[U1:.+]] = fxgraph.unsqueeze %[[R1]] dim 0
// DECOMPOSED-DAG: %[[U2:.+]] = fxgraph.unsqueeze %[[R2]] dim 0
// DECOMPOSED: %[[X:.+]] = fxgraph.cat %[[U0]], %[[U1]], %[[U2]] dim 0
// DECOMPOSED: fxgraph.add %[[X]]
func.func @rows(%x: tensor<3x3xf32>, %y: !x) -> !x {
  %2 = fxgraph.select %x dim 0 at 2 : (tensor<3x3xf32>) -> !x
  %0 = fxgraph.select %x dim 0 at 0 : (tensor<3x3xf32>) -> !x
  %1 = fxgraph.select %x dim 0 at 1 : (tensor<3x3xf32>) -> !x
  %s2 = fxgraph.add %2, %y : (!x, !x) -> !x
  %s0 = fxgraph.add %0, %y : (!x, !x) -> !x
  %s1 = fxgraph.add %1, %y : (!x, !x) -> !x
  %r = fxgraph.maximum %s0, %s1 : (!x, !x) -> !x
  %t = fxgraph.maximum %r, %s2 : (!x, !x) -> !x
  return %t : !x
}

// -----

!x = tensor<3xf32>
!y = tensor<2x3xf32>

// The rows are of two values, so that a shared parent leaves two groups; of relus, whose
// operands selects make, one.
// CHECK-LABEL: func.func @parents
// CHECK: fxgraph.mul {{.*}}tensor<4x3xf32>
// PARENT-LABEL: func.func @parents
// PARENT-COUNT-2: fxgraph.mul {{.*}}tensor<2x3xf32>
// PARENT: fxgraph.relu {{.*}}tensor<4x3xf32>
// PARENT-NOT: fxgraph.mul
// PARENT: return
func.func @parents(%a: !y, %b: !y, %c: !x) -> (!x, !x) {
  %a0 = fxgraph.select %a dim 0 at 0 : (!y) -> !x
  %a1 = fxgraph.select %a dim 0 at 1 : (!y) -> !x
  %b0 = fxgraph.select %b dim 0 at 0 : (!y) -> !x
  %b1 = fxgraph.select %b dim 0 at 1 : (!y) -> !x
  %m0 = fxgraph.mul %a0, %c : (!x, !x) -> !x
  %m1 = fxgraph.mul %a1, %c : (!x, !x) -> !x
  %m2 = fxgraph.mul %b0, %c : (!x, !x) -> !x
  %m3 = fxgraph.mul %b1, %c : (!x, !x) -> !x
  %r0 = fxgraph.relu %m0 : !x
  %r1 = fxgraph.relu %m1 : !x
  %r2 = fxgraph.relu %m2 : !x
  %r3 = fxgraph.relu %m3 : !x
  %s = fxgraph.maximum %r0, %r1 : (!x, !x) -> !x
  %t = fxgraph.maximum %r2, %r3 : (!x, !x) -> !x
  return %s, %t : !x, !x
}

// -----

!x = tensor<3xf32>

// The relus stand in another order than their operands' makers, and are fused first, as
// Inductor does with its options in that order: the makers follow.
// CHECK-LABEL: func.func @consumers_first
// BACKWARDS-LABEL: func.func @consumers_first
// BACKWARDS-NEXT: %[[X:.+]] = fxgraph.stack %arg1, %arg0 dim 0
// BACKWARDS-NEXT: %[[S:.+]] = fxgraph.sigmoid %[[X]]
// BACKWARDS-NEXT: %[[S0:.+]] = fxgraph.select %[[S]] dim 0 at 0
// BACKWARDS-NEXT: %[[S1:.+]] = fxgraph.select %[[S]] dim 0 at 1
// BACKWARDS-NEXT: fxgraph.stack %[[S0]], %[[S1]] dim 0
func.func @consumers_first(%a: !x, %b: !x) -> !x {
  %0 = fxgraph.sigmoid %a : !x
  %1 = fxgraph.sigmoid %b : !x
  %r1 = fxgraph.relu %1 : !x
  %r0 = fxgraph.relu %0 : !x
  %m = fxgraph.maximum %r0, %r1 : (!x, !x) -> !x
  return %m : !x
}

// -----

!s = tensor<f64>

// Rank 0, a repeated operand, an unused result.
// CHECK-LABEL: func.func @scalars
// CHECK: fxgraph.stack %arg0, %arg0, %arg0 dim 0
// CHECK: fxgraph.mul {{.*}} : (tensor<3xf64>, tensor<3xf64>) -> tensor<3xf64>
func.func @scalars(%a: !s, %b: !s) -> (!s, !s) {
  %0 = fxgraph.mul %a, %b : (!s, !s) -> !s
  %1 = fxgraph.mul %a, %b : (!s, !s) -> !s
  %2 = fxgraph.mul %a, %b : (!s, !s) -> !s
  return %0, %1 : !s, !s
}

// -----

!e = tensor<2x0xi64>

// CHECK-LABEL: func.func @empty_integers
// CHECK: fxgraph.add {{.*}}tensor<2x2x0xi64>
// CHECK: fxgraph.relu {{.*}}tensor<2x2x0xi64>
func.func @empty_integers(%a: !e, %b: !e) -> (!e, !e) {
  %0 = fxgraph.add %a, %b : (!e, !e) -> !e
  %1 = fxgraph.add %b, %b : (!e, !e) -> !e
  %2 = fxgraph.relu %0 : !e
  %3 = fxgraph.relu %1 : !e
  return %2, %3 : !e, !e
}
