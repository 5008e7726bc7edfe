// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-dropout{min-fuse-set-size=2 allow-rng-reorder}))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-dropout{min-fuse-set-size=2 allow-rng-reorder},fxgraph-group-batch-dropout{min-fuse-set-size=2 allow-rng-reorder}))' | FileCheck %s
// RUN: fx-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(fxgraph-group-batch-dropout{min-fuse-set-size=2}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s --check-prefix=DEFAULT

// DEFAULT-NOT: stack

!x = tensor<3xf32>

// Each set stays between the writes and draws that stand before and behind it.
// CHECK-LABEL: func.func @other_effects
// CHECK: fxgraph.dropout {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.rand
// CHECK: fxgraph.dropout {{.*}}tensor<2x3xf32>
// CHECK: fxgraph.copy_
// CHECK-NOT: fxgraph.dropout {{.*}}tensor<2x3xf32>
func.func @other_effects(%a: !x, %b: !x) -> (!x, !x, !x) {
  // expected-remark@below {{the op draws random numbers, whose order only allow-rng-reorder may change}}
  %0 = fxgraph.dropout %a p 0.25 {training = true} : !x
  // expected-remark@below {{the op draws random numbers}}
  %1 = fxgraph.dropout %b p 0.25 {training = true} : !x
  %2 = fxgraph.rand : !x
  // expected-remark@below {{the op draws random numbers}}
  %3 = fxgraph.dropout %a p 0.25 {training = true} : !x
  // expected-remark@below {{the op draws random numbers}}
  %4 = fxgraph.dropout %b p 0.25 {training = true} : !x
  fxgraph.copy_ %2 into %a : !x, !x
  // expected-remark@below {{the op draws random numbers}}
  %5 = fxgraph.dropout %b p 0.25 {training = true} : !x
  %6 = fxgraph.add %0, %1 : (!x, !x) -> !x
  %7 = fxgraph.add %3, %4 : (!x, !x) -> !x
  %8 = fxgraph.add %5, %6 : (!x, !x) -> !x
  return %6, %7, %8 : !x, !x, !x
}

// -----

!x = tensor<3xf32>

// Other probabilities; one drops nothing; one depends on another.
// CHECK-LABEL: func.func @nothing_alike
// CHECK-NOT: fxgraph.stack
func.func @nothing_alike(%a: !x, %b: !x) -> (!x, !x) {
  // expected-remark@below {{the op draws random numbers}}
  %0 = fxgraph.dropout %a p 0.25 {training = true} : !x
  // expected-remark@below {{the op draws random numbers}}
  %1 = fxgraph.dropout %b p 0.5 {training = true} : !x
  // expected-remark@below {{expected 2 or more alike but got 1}}
  %2 = fxgraph.dropout %b p 0.25 {training = false} : !x
  // expected-remark@below {{the op draws random numbers}}
  %3 = fxgraph.dropout %0 p 0.25 {training = true} : !x
  %4 = fxgraph.add %3, %1 : (!x, !x) -> !x
  %5 = fxgraph.add %0, %2 : (!x, !x) -> !x
  return %4, %5 : !x, !x
}
