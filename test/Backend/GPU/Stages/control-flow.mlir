// Branches and loops in the host function, and in the launch plan.
// RUN: fx-opt %s --fxgraph-to-gpu -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: fx-translate %t.mlir --to=plan | FileCheck %s --check-prefix=PLAN

// What is carried lies where the results do; a turn writes the next values beside, and copies them.
// CHECK-LABEL: func.func @main(
// CHECK: memref.copy
// CHECK-NEXT: {{.*}}fxgraph.buffer
// CHECK: fxgraph.loop %{{.*}} while {
// CHECK: gpu.launch_func
// CHECK: } do {
// CHECK: gpu.launch_func
// CHECK: fxgraph.branch %{{.*}} then {
// CHECK: gpu.launch_func
// CHECK: } else {
// CHECK: gpu.launch_func
// CHECK: } : memref<i8>
// CHECK: memref.copy
// CHECK: } : memref<i8>

// PLAN: "op": "copy"
// PLAN: "op": "loop"
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fxgraph.while_loop (%x) cond {
  ^bb0(%a: tensor<4xf32>):
    %limit = fxgraph.constant dense<9.0> : tensor<f32>
    %1 = fxgraph.sum %a : (tensor<4xf32>) -> tensor<f32>
    %2 = fxgraph.lt %1, %limit : (tensor<f32>, tensor<f32>) -> tensor<i1>
    fxgraph.yield %2 : tensor<i1>
  } do {
  ^bb0(%a: tensor<4xf32>):
    %first = fxgraph.select %a dim 0 at 0 : (tensor<4xf32>) -> tensor<f32>
    %zero = fxgraph.constant dense<0.0> : tensor<f32>
    %1 = fxgraph.gt %first, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %2 = fxgraph.cond %1 (%a) then {
    ^bb0(%b: tensor<4xf32>):
      %3 = fxgraph.add %b, %b : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      fxgraph.yield %3 : tensor<4xf32>
    } else {
    ^bb0(%b: tensor<4xf32>):
      %3 = fxgraph.exp %b : tensor<4xf32>
      fxgraph.yield %3 : tensor<4xf32>
    } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
    fxgraph.yield %2 : tensor<4xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
