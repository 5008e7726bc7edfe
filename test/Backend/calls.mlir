// Every target runs calls, or says why it cannot; none runs into a call without an end.

// RUN: split-file %s %t
// RUN: fx-run %t/good.mlir --inputs=seed:1 --target=cpu --compare-target=ref | FileCheck %s --check-prefix=GOOD
// GOOD: out0: equal

// RUN: not fx-run %t/external.mlir --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not fx-run %t/external.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not fx-run %t/external.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not fx-run %t/external.mlir --inputs=seed:1 --target=gpu 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not fx-translate %t/external.mlir --to=llvm 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// RUN: not fx-translate %t/external.mlir --to=ptx 2>&1 | FileCheck %s --check-prefix=EXTERNAL
// EXTERNAL: external.mlir:3:{{[0-9]+}}: error: 'func.call' op expected a function with a body but 'f' has none
// EXTERNAL: external.mlir:1:{{[0-9]+}}: note: declared here
// EXTERNAL-NOT: error

// RUN: not fx-run %t/self.mlir --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not fx-run %t/self.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not fx-run %t/self.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not fx-translate %t/self.mlir --to=so -o %t/self.so 2>&1 | FileCheck %s --check-prefix=SELF
// RUN: not fx-translate %t/self.mlir --to=plan 2>&1 | FileCheck %s --check-prefix=SELF
// SELF: self.mlir:2:{{[0-9]+}}: error: 'func.call' op expected a call that ends but 'main' is being called already
// SELF-NOT: error

// RUN: not fx-run %t/mutual.mlir --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=MUTUAL
// RUN: not fx-run %t/mutual.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=MUTUAL
// RUN: not fx-run %t/mutual.mlir --inputs=seed:1 --target=gpu-emulator 2>&1 | FileCheck %s --check-prefix=MUTUAL
// MUTUAL: mutual.mlir:6:{{[0-9]+}}: error: 'func.call' op expected a call that ends but 'f' is being called already
// MUTUAL: mutual.mlir:1:{{[0-9]+}}: note: the function that calls itself
// MUTUAL-NOT: error

// A function may write to its argument, if that is one of its caller's.
// RUN: fx-run %t/writes.mlir --inputs=seed:1 --target=cpu --compare-target=ref | FileCheck %s --check-prefix=WRITES
// WRITES: out0: equal
// WRITES: arg0: equal
// RUN: not fx-run %t/writes-value.mlir --inputs=seed:1 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: writes-value.mlir:7:{{[0-9]+}}: error: 'func.call' op expected an argument of the graph as operand 0, which 'f' writes, but got a value of the graph
// RUN: not fx-run %t/writes-value.mlir --inputs=seed:1 --target=cpu 2>&1 | FileCheck %s --check-prefix=VALUECPU
// VALUECPU: writes-value.mlir:2:{{[0-9]+}}: error: 'fxgraph.copy_' op expected dst to be an argument of the function
// VALUECPU: writes-value.mlir:7:{{[0-9]+}}: note: called from

// What the entry does not reach may be anything.
// RUN: fx-run %t/aside.mlir --inputs=seed:1 --target=cpu --compare-target=ref | FileCheck %s --check-prefix=GOOD

//--- good.mlir
func.func private @twice(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.add %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @both(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @twice(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @both(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @twice(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
//--- writes.mlir
func.func private @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.add %x, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  fxgraph.copy_ %0 into %x : tensor<4xf32>, tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%y: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%y, %x) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.relu %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}
//--- writes-value.mlir
func.func private @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  fxgraph.copy_ %y into %x : tensor<4xf32>, tensor<4xf32>
  return %y : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  %1 = call @f(%0, %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
//--- external.mlir
func.func private @f(tensor<4xf32>) -> tensor<4xf32>
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- self.mlir
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- mutual.mlir
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- aside.mlir
func.func private @external(tensor<4xf32>) -> tensor<4xf32>
func.func private @loop(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @loop(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %1 = call @external(%0) : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
