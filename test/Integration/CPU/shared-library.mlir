// A graph as a shared library, called from C: dynamic extents, memory of the caller's
// and of the library's, a written argument, strided inputs, errors, threads.
// RUN: fx-translate %s --to=so -o %t.so
// RUN: cc -I %source/include %S/Inputs/call.c -o %t.exe -ldl -pthread
// RUN: %t.exe %t.so | FileCheck %s
// CHECK: all right

// Only the documented symbols are visible.
// RUN: nm -D --defined-only %t.so | FileCheck %s --check-prefix=SYMBOLS
// SYMBOLS-NOT: fxcpu_
// SYMBOLS-NOT: fxk_

// RUN: env CC=no-such-compiler not fx-translate %s --to=so -o %t.none.so 2>&1 | FileCheck %s --check-prefix=NOCC
// NOCC: a shared library needs a C compiler to be linked, but 'no-such-compiler' was not found
// RUN: not fx-translate %s --to=so 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: expected an output file
// RUN: not fx-translate %s --to=so -o %t.so --option=opt-level=7 2>&1 | FileCheck %s --check-prefix=SETTING
// SETTING: expected a setting of the CPU {{.*}} but got 'opt-level=7'
// RUN: not fx-translate %s --to=so -o %t.so --entry=other 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: expected a function 'other'

func.func @main(%x: tensor<?x3xf32> {fxgraph.name = "x"}, %table: tensor<4x3xf32>, %index: tensor<?xi64>, %state: tensor<2xf32>)
    -> (tensor<?x3xf32>, tensor<?x3xf32>, tensor<2xi1>) {
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %two = fxgraph.constant dense<2.0> : tensor<f64>
  %sum = fxgraph.add %x, %one : (tensor<?x3xf32>, tensor<f64>) -> tensor<?x3xf32>
  %rows = fxgraph.index %table [%index] dims [0] : (tensor<4x3xf32>, tensor<?xi64>) -> tensor<?x3xf32>
  %doubled = fxgraph.mul %state, %two : (tensor<2xf32>, tensor<f64>) -> tensor<2xf32>
  fxgraph.copy_ %doubled into %state : tensor<2xf32>, tensor<2xf32>
  %flag = fxgraph.gt %state, %one : (tensor<2xf32>, tensor<f64>) -> tensor<2xi1>
  return %sum, %rows, %flag : tensor<?x3xf32>, tensor<?x3xf32>, tensor<2xi1>
}
