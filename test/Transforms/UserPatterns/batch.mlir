// Batch fusions as text: the search is that of our own, the key what the rule declares.
// RUN: fx-opt %s --fxgraph-apply-patterns=%S/Inputs/batch.pdll --mlir-disable-threading --fxgraph-report=%t.json -o %t.mlir
// RUN: FileCheck %s < %t.mlir && FileCheck %s --check-prefix=COUNT < %t.json
// RUN: fx-opt %t.mlir --fxgraph-apply-patterns=%S/Inputs/batch.pdll | diff - %t.mlir
// RUN: fx-opt %s --fxgraph-apply-patterns=%S/Inputs/batch.pdll --remarks-filter='fxgraph.*' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: fx-opt %s --fxgraph-apply-patterns="file=%S/Inputs/batch.pdll numerics=exact" | FileCheck %s --check-prefix=EXACT
// COUNT: "BatchAtan2": 1,
// COUNT-NEXT: "BatchGelu": 3,
// COUNT-NEXT: "JoinProducts": 2,
// COUNT-NEXT: "UnbindOfStack": 1
// EXACT-NOT: fxgraph.cat
// REMARK: [Passed] BatchGelu {{.*}}Remark="2 ops"
// REMARK: [Missed] BatchGelu {{.*}}expected 2 or more alike but got 1

// CHECK-LABEL: func @gelus
func.func @gelus(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[S:.*]] = fxgraph.stack %arg0, %arg1
  // CHECK-NEXT: %[[G:.*]] = fxgraph.gelu %[[S]] approximate "tanh"
  // CHECK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[G]]
  // CHECK-NEXT: fxgraph.sub %[[U]]#0, %[[U]]#1
  %0 = fxgraph.gelu %x approximate "tanh" : tensor<2x4xf32>
  %1 = fxgraph.gelu %y approximate "tanh" : tensor<2x4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// Two layers: what the fusions leave between them goes by a rule of the same file.
// CHECK-LABEL: func @layers
func.func @layers(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-COUNT-2: fxgraph.gelu
  // CHECK-NOT: fxgraph.gelu
  %0 = fxgraph.gelu %x : tensor<2x4xf32>
  %1 = fxgraph.gelu %y : tensor<2x4xf32>
  %2 = fxgraph.gelu %0 : tensor<2x4xf32>
  %3 = fxgraph.gelu %1 : tensor<2x4xf32>
  %4 = fxgraph.sub %2, %3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}

// CHECK-LABEL: func @stacked
func.func @stacked(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: fxgraph.sub %arg0, %arg1
  %0 = fxgraph.stack %x, %y dim 0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x2x4xf32>
  %1:2 = fxgraph.unbind %0 dim 0 : (tensor<2x2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %2 = fxgraph.sub %1#0, %1#1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %2 : tensor<2x4xf32>
}

// One input, weights of other widths; at most 4 go together.
// CHECK-LABEL: func @products
func.func @products(%x: tensor<2x4xf32>, %a: tensor<4x1xf32>, %b: tensor<4x2xf32>, %c: tensor<4x3xf32>)
    -> (tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: %[[A:.*]] = fxgraph.cat %arg1, %arg2, %arg3 dim 1
  // CHECK-NEXT: %[[P:.*]] = fxgraph.mm %arg0, %[[A]]
  // CHECK-NEXT: fxgraph.split_with_sizes %[[P]] sizes [1, 2, 3] dim 1
  // CHECK: fxgraph.split_with_sizes %{{.*}} sizes [1, 2, 3] dim 1
  %0 = fxgraph.mm %x, %a : (tensor<2x4xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
  %1 = fxgraph.mm %x, %b : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %2 = fxgraph.mm %x, %c : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  %3 = fxgraph.mm %x, %a : (tensor<2x4xf32>, tensor<4x1xf32>) -> tensor<2x1xf32>
  %4 = fxgraph.mm %x, %b : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
  %5 = fxgraph.mm %x, %c : (tensor<2x4xf32>, tensor<4x3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x2xf32>, tensor<2x3xf32>
}

// Left alone: other attributes, another input, too few, dependent ones.
// CHECK-LABEL: func @nothing_alike
func.func @nothing_alike(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %w: tensor<4x4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  // CHECK-NOT: {{stack|cat|split}}
  // CHECK: return
  %0 = fxgraph.gelu %x approximate "tanh" : tensor<2x4xf32>
  %1 = fxgraph.gelu %y : tensor<2x4xf32>
  %2 = fxgraph.gelu %1 : tensor<2x4xf32>
  %3 = fxgraph.mm %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %4 = fxgraph.mm %y, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  return %0, %2, %3, %4, %1 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// One operand is all members' own, and is not stacked; a member with another one stays.
// CHECK-LABEL: func @binary
func.func @binary(%x: tensor<2x4xf32>, %y: tensor<2x4xf32>, %z: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  // CHECK-NEXT: %[[S:.*]] = fxgraph.stack %arg0, %arg1
  // CHECK-NEXT: %[[A:.*]] = fxgraph.atan2 %[[S]], %arg2
  // CHECK-NEXT: %[[U:.*]]:2 = fxgraph.unbind %[[A]]
  // CHECK-NEXT: fxgraph.sub %[[U]]#0, %[[U]]#1
  // CHECK-NEXT: fxgraph.atan2 %arg0, %arg3
  %0 = fxgraph.atan2 %x, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %1 = fxgraph.atan2 %y, %z : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = fxgraph.sub %0, %1 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %3 = fxgraph.atan2 %x, %w : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %4 = fxgraph.sub %2, %3 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return %4 : tensor<2x4xf32>
}
