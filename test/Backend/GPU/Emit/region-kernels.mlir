// fxgraph.kernel as launches: what a thread does of a loop nest, and bodies that are no loop nests.
// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-to-gpu | FileCheck %s

// A reduction runs in the thread, in a register; the result of the first nest is workspace of the second.
// CHECK-LABEL: gpu.func @k0_rows(
// CHECK-SAME: memref<300xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_grid_size = array<i32: 3, 1, 1>}
// CHECK: scf.if
// CHECK: memref.store
// CHECK-LABEL: gpu.func @k1_rows(
// CHECK: arith.cmpi ult
// CHECK: %[[START:.*]] = memref.load %{{.*}} : memref<300xf32>
// CHECK: %[[SUM:.*]] = scf.for %{{.*}} iter_args(%[[ACC:.*]] = %[[START]]) -> (f32)
// CHECK: arith.addf %{{.*}}, %[[ACC]]
// CHECK: memref.store %[[SUM]]
// CHECK: func.func @main(
// CHECK-COUNT-2: gpu.launch_func
#rows = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @main(%x: tensor<300x40xf32>) -> tensor<300xf32> {
  %0 = fxgraph.kernel "rows"(%x) {
  ^bb0(%a: tensor<300x40xf32>):
    %zero = arith.constant 0.0 : f32
    %empty = tensor.empty() : tensor<300xf32>
    %start = linalg.fill ins(%zero : f32) outs(%empty : tensor<300xf32>) -> tensor<300xf32>
    %sum = linalg.generic {indexing_maps = [#rows, #row], iterator_types = ["parallel", "reduction"]}
        ins(%a : tensor<300x40xf32>) outs(%start : tensor<300xf32>) {
    ^bb0(%element: f32, %acc: f32):
      %next = arith.addf %element, %acc : f32
      linalg.yield %next : f32
    } -> tensor<300xf32>
    fxgraph.yield %sum : tensor<300xf32>
  } : (tensor<300x40xf32>) -> tensor<300xf32>
  return %0 : tensor<300xf32>
}

// -----

// More points than the largest grid has threads: a thread takes several.
// CHECK-LABEL: gpu.func @k0_huge(
// CHECK-SAME: known_grid_size = array<i32: 1048576, 1, 1>
// CHECK-DAG: %[[END:.*]] = arith.constant 200000000 : index
// CHECK-DAG: %[[STEP:.*]] = arith.constant 134217728 : index
// CHECK: scf.for %{{.*}} = %{{.*}} to %[[END]] step %[[STEP]]
#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<200000000xf32>) -> tensor<200000000xf32> {
  %0 = fxgraph.kernel "huge"(%x) {
  ^bb0(%a: tensor<200000000xf32>):
    %empty = tensor.empty() : tensor<200000000xf32>
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
        ins(%a : tensor<200000000xf32>) outs(%empty : tensor<200000000xf32>) {
    ^bb0(%element: f32, %out: f32):
      %twice = arith.addf %element, %element : f32
      linalg.yield %twice : f32
    } -> tensor<200000000xf32>
    fxgraph.yield %next : tensor<200000000xf32>
  } : (tensor<200000000xf32>) -> tensor<200000000xf32>
  return %0 : tensor<200000000xf32>
}

// -----

// An operand that is a result, and a number everywhere: copies and fills are nests, too.
// CHECK-LABEL: gpu.func @k0_parts(%{{.*}}: memref<4xf32>)
// CHECK: memref.store %{{.*}}, %{{.*}} : memref<4xf32>
// CHECK-LABEL: gpu.func @k1_parts(%{{.*}}: memref<8xi8>, %{{.*}}: memref<8xi8>)
// CHECK: memref.load
// CHECK: memref.store
func.func @main(%x: tensor<8xi1>) -> (tensor<8xi1>, tensor<4xf32>) {
  %0:2 = fxgraph.kernel "parts"(%x) {
  ^bb0(%a: tensor<8xi8>):
    %ones = arith.constant dense<1.0> : tensor<4xf32>
    fxgraph.yield %a, %ones : tensor<8xi8>, tensor<4xf32>
  } : (tensor<8xi1>) -> (tensor<8xi1>, tensor<4xf32>)
  return %0#0, %0#1 : tensor<8xi1>, tensor<4xf32>
}

// -----

func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected loop nests of independent elements but got scf.for}}
  %0 = fxgraph.kernel "in_order"(%x) {
  ^bb0(%a: tensor<8xf32>):
    %from = arith.constant 1 : index
    %to = arith.constant 8 : index
    %sums = scf.for %i = %from to %to step %from iter_args(%all = %a) -> (tensor<8xf32>) {
      %before = arith.subi %i, %from : index
      %sum = tensor.extract %all[%before] : tensor<8xf32>
      %own = tensor.extract %all[%i] : tensor<8xf32>
      %next = arith.addf %sum, %own : f32
      %more = tensor.insert %next into %all[%i] : tensor<8xf32>
      scf.yield %more : tensor<8xf32>
    }
    fxgraph.yield %sums : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

#id = affine_map<(i) -> (i)>
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error@+1 {{expected loop nests of independent elements but got memref.load}}
  %0 = fxgraph.kernel "captured"(%x) {
  ^bb0(%a: tensor<8xf32>):
    %first = arith.constant 0 : index
    %number = tensor.extract %a[%first] : tensor<8xf32>
    %empty = tensor.empty() : tensor<8xf32>
    %next = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<8xf32>) outs(%empty : tensor<8xf32>) {
    ^bb0(%element: f32, %out: f32):
      %sum = arith.addf %element, %number : f32
      linalg.yield %sum : f32
    } -> tensor<8xf32>
    fxgraph.yield %next : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
