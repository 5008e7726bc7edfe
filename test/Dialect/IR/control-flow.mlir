// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s --mlir-print-op-generic | fx-opt | FileCheck %s

// CHECK-LABEL: func.func @cond
// CHECK: fxgraph.cond %{{.*}}(%{{.*}}) then {
// CHECK: } else {
func.func @cond(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    %1 = fxgraph.relu %a : tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @while_loop
// CHECK: fxgraph.while_loop(%{{.*}}, %{{.*}}) additional(%{{.*}}) cond {
// CHECK: } do {
func.func @while_loop(%i: tensor<i64>, %x: tensor<3xf32>, %w: tensor<3xf32>) -> tensor<3xf32> {
  %0:2 = fxgraph.while_loop (%i, %x) additional (%w) cond {
  ^bb0(%j: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    %n = fxgraph.constant dense<4> : tensor<i64>
    %1 = fxgraph.lt %j, %n : (tensor<i64>, tensor<i64>) -> tensor<i1>
    fxgraph.yield %1 : tensor<i1>
  } do {
  ^bb0(%j: tensor<i64>, %a: tensor<3xf32>, %b: tensor<3xf32>):
    %one = fxgraph.constant dense<1> : tensor<i64>
    %1 = fxgraph.add %j, %one : (tensor<i64>, tensor<i64>) -> tensor<i64>
    %2 = fxgraph.mul %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %2 : tensor<i64>, tensor<3xf32>
  } : (tensor<i64>, tensor<3xf32>, tensor<3xf32>) -> (tensor<i64>, tensor<3xf32>)
  return %0#1 : tensor<3xf32>
}

// CHECK-LABEL: func.func @map
// CHECK: fxgraph.map(%{{.*}}) additional(%{{.*}}) {
func.func @map(%xs: tensor<5x3xf32>, %w: tensor<3xf32>) -> tensor<5x3xf32> {
  %0 = fxgraph.map (%xs) additional (%w) {
  ^bb0(%x: tensor<3xf32>, %b: tensor<3xf32>):
    %1 = fxgraph.mul %x, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1 : tensor<3xf32>
  } : (tensor<5x3xf32>, tensor<3xf32>) -> tensor<5x3xf32>
  return %0 : tensor<5x3xf32>
}

// CHECK-LABEL: func.func @scan
// CHECK: fxgraph.scan(%{{.*}}) over(%{{.*}}) {
func.func @scan(%init: tensor<3xf32>, %xs: tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>) {
  %0:2 = fxgraph.scan (%init) over (%xs) {
  ^bb0(%c: tensor<3xf32>, %x: tensor<3xf32>):
    %1 = fxgraph.mul %c, %x : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
    fxgraph.yield %1, %1 : tensor<3xf32>, tensor<3xf32>
  } : (tensor<3xf32>, tensor<5x3xf32>) -> (tensor<3xf32>, tensor<5x3xf32>)
  return %0#0, %0#1 : tensor<3xf32>, tensor<5x3xf32>
}

// CHECK-LABEL: func.func @auto_functionalized
// CHECK: fxgraph.auto_functionalized "mylib.fill.default"(%{{.*}}, %{{.*}}) mutated [0]
func.func @auto_functionalized(%out: tensor<3xf32>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.auto_functionalized "mylib.fill.default" (%out, %x) mutated [0] args {args = ["%0", "%1"]} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @yield
// CHECK: fxgraph.yield %{{.*}} : tensor<3xf32>
func.func @yield(%p: tensor<i1>, %x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.cond %p (%x) then {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } else {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<i1>, tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @invoke_quant
// CHECK: fxgraph.invoke_quant(%{{.*}}) scheme "nf4" codegen_low_precision false packed true {
// CHECK: fxgraph.invoke_quant(%{{.*}}) {
func.func @invoke_quant(%x: tensor<3xf32>) -> tensor<3xf32> {
  %0 = fxgraph.invoke_quant (%x) scheme "nf4" codegen_low_precision false packed true {
  ^bb0(%a: tensor<3xf32>):
    fxgraph.yield %a : tensor<3xf32>
  } : (tensor<3xf32>) -> tensor<3xf32>
  %1 = fxgraph.invoke_quant (%0) {
  ^bb0(%a: tensor<3xf32>):
    %2 = fxgraph.neg %a : tensor<3xf32>
    fxgraph.yield %2 : tensor<3xf32>
  } : (tensor<3xf32>) -> tensor<3xf32>
  return %1 : tensor<3xf32>
}
