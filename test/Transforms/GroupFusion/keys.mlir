// The parts of a key that Inductor makes optional.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2 fuse-nodes-with-same-parent},fxgraph-group-batch-linear{min-fuse-set-size=2 fuse-nodes-with-same-users},fxgraph-group-batch-layernorm{min-fuse-set-size=2 fuse-nodes-with-same-users},fxgraph-group-batch-clamp{min-fuse-set-size=2}))' | FileCheck %s --check-prefix=SAME
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-tanh{min-fuse-set-size=2},fxgraph-group-batch-linear{min-fuse-set-size=2},fxgraph-group-batch-layernorm{min-fuse-set-size=2},fxgraph-group-batch-clamp{min-fuse-set-size=2 same-first-user=false}))' | FileCheck %s --check-prefix=ALL

!x = tensor<3xf32>

// Two relus, two pieces of two kinds of split (FX: both getitem), two arguments.
// SAME-LABEL: func.func @parents
// SAME-COUNT-2: fxgraph.tanh {{.*}}tensor<2x3xf32>
// SAME-COUNT-2: fxgraph.tanh {{.*}}tensor<3xf32>
// ALL-LABEL: func.func @parents
// ALL: fxgraph.tanh {{.*}}tensor<6x3xf32>
func.func @parents(%a: !x, %b: !x, %c: tensor<6xf32>, %d: tensor<1x3xf32>) -> (!x, !x, !x, !x, !x, !x) {
  %0 = fxgraph.relu %a : !x
  %1 = fxgraph.relu %b : !x
  %2:2 = fxgraph.split %c size 3 dim 0 : (tensor<6xf32>) -> (!x, !x)
  %3 = fxgraph.unbind %d dim 0 : (tensor<1x3xf32>) -> !x
  %t0 = fxgraph.tanh %0 : !x
  %t1 = fxgraph.tanh %1 : !x
  %t2 = fxgraph.tanh %2#1 : !x
  %t3 = fxgraph.tanh %3 : !x
  %t4 = fxgraph.tanh %a : !x
  %t5 = fxgraph.tanh %b : !x
  return %t0, %t1, %t2, %t3, %t4, %t5 : !x, !x, !x, !x, !x, !x
}

!m = tensor<2x2xf32>

// The users, each once, in their order: [mul, add], [mul, add], [add, mul], [relu].
// SAME-LABEL: func.func @users_of_linears
// SAME: fxgraph.bmm {{.*}}tensor<2x2x2xf32>
// SAME-COUNT-2: fxgraph.linear
// SAME-NOT: fxgraph.linear
// ALL-LABEL: func.func @users_of_linears
// ALL: fxgraph.bmm {{.*}}tensor<4x2x2xf32>
func.func @users_of_linears(%x: !m, %w: !m) -> (!m, !m, !m, !m, !m, !m, !m) {
  %0 = fxgraph.linear %x, %w : (!m, !m) -> !m
  %1 = fxgraph.linear %x, %w : (!m, !m) -> !m
  %2 = fxgraph.linear %x, %w : (!m, !m) -> !m
  %3 = fxgraph.linear %x, %w : (!m, !m) -> !m
  %4 = fxgraph.mul %0, %0 : (!m, !m) -> !m
  %5 = fxgraph.add %0, %x : (!m, !m) -> !m
  %6 = fxgraph.mul %1, %x : (!m, !m) -> !m
  %7 = fxgraph.add %x, %1 : (!m, !m) -> !m
  %8 = fxgraph.add %2, %x : (!m, !m) -> !m
  %9 = fxgraph.mul %2, %x : (!m, !m) -> !m
  %10 = fxgraph.relu %3 : !m
  return %4, %5, %6, %7, %8, %9, %10 : !m, !m, !m, !m, !m, !m, !m
}

// SAME-LABEL: func.func @users_of_norms
// SAME: fxgraph.layer_norm {{.*}}tensor<2x2x2xf32>
// SAME: fxgraph.layer_norm {{.*}}(tensor<2x2xf32>)
// ALL-LABEL: func.func @users_of_norms
// ALL: fxgraph.layer_norm {{.*}}tensor<3x2x2xf32>
func.func @users_of_norms(%x: !m, %y: !m) -> (!m, !m, !m) {
  %0 = fxgraph.layer_norm %x over [2] eps 1.0e-01 : (!m) -> !m
  %1 = fxgraph.layer_norm %y over [2] eps 1.0e-01 : (!m) -> !m
  %2 = fxgraph.layer_norm %y over [2] eps 1.0e-01 : (!m) -> !m
  %3 = fxgraph.relu %0 : !m
  %4 = fxgraph.relu %1 : !m
  return %3, %4, %2 : !m, !m, !m
}

// A first user inside of a region is the op with the region; unknown ops are told
// apart by their callables; no user at all.
// SAME-LABEL: func.func @first_users
// SAME-COUNT-5: fxgraph.clamp {{.*}}: tensor<3xf32>
// ALL-LABEL: func.func @first_users
// ALL: fxgraph.clamp {{.*}}: tensor<5x3xf32>
func.func @first_users(%a: !x, %b: !x) -> (!x, !x, !x) {
  %0 = fxgraph.clamp %a {min = 0.0 : f64} : !x
  %1 = fxgraph.clamp %b {min = 0.0 : f64} : !x
  %2 = fxgraph.clamp %b {min = 0.0 : f64} : !x
  %3 = fxgraph.clamp %a {min = 0.0 : f64} : !x
  %4 = fxgraph.clamp %a {min = 0.0 : f64} : !x
  %5 = fxgraph.opaque "torch.foo"(%0) : (!x) -> !x
  %6 = fxgraph.opaque "torch.bar"(%1) : (!x) -> !x
  %7 = fxgraph.relu %2 : !x
  %8 = fxgraph.neg %3 : !x
  %9 = fxgraph.add %7, %8 : (!x, !x) -> !x
  return %5, %6, %9 : !x, !x, !x
}
