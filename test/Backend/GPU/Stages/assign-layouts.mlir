// Results lie in memory as PyTorch's do where that is dense.
// RUN: fx-opt %s --fxgraph-assign-layouts | FileCheck %s
// RUN: fx-run %s --entry=* --inputs=seed:5 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=1e-5 --atol=1e-5

// A view of a product is one.
// CHECK-LABEL: func.func @view_of_product
// CHECK-SAME: -> (tensor<4x8x24xf32> {fxgraph.memory_order = array<i64: 0, 2, 1>})
// CHECK: %[[PRODUCT:.*]] = fxgraph.linear
// CHECK: return %[[PRODUCT]] : tensor<4x8x24xf32>
func.func @view_of_product(%x: tensor<4x8x16xf32>, %w: tensor<24x16xf32>) -> tensor<4x24x8xf32> {
  %0 = fxgraph.linear %x, %w : (tensor<4x8x16xf32>, tensor<24x16xf32>) -> tensor<4x8x24xf32>
  %1 = fxgraph.permute %0 dims [0, 2, 1] : (tensor<4x8x24xf32>) -> tensor<4x24x8xf32>
  return %1 : tensor<4x24x8xf32>
}

// The caller gets strides; no kernel is there to move anything.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=view_of_product libraries=always" | FileCheck %s --check-prefix=HOST
// HOST: func.func @view_of_product
// HOST-SAME: memref<4x24x8xf32, strided<[192, 1, 24]>> {fxgraph.result}
// HOST-NOT: gpu.launch_func
// HOST: fxgraph.library_call
// HOST-NOT: gpu.launch_func
// HOST: return

// RUN: fx-translate %s --to=plan --option=libraries=always --entry=view_of_product | FileCheck %s --check-prefix=PLAN
// PLAN: "outputs"
// PLAN: "strides": [
// PLAN-NEXT: 192,
// PLAN-NEXT: 1,
// PLAN-NEXT: 24

// RUN: fx-opt %s --fxgraph-to-gpu="entry=view_of_product row-major-results=true libraries=always" | FileCheck %s --check-prefix=ROWS
// ROWS: func.func @view_of_product
// ROWS-SAME: memref<4x24x8xf32> {fxgraph.result}
// ROWS: gpu.launch_func

// An op on a permuted tensor keeps its order (PyTorch's TensorIterator): rows are read and written.
// CHECK-LABEL: func.func @keeps_order
// CHECK-SAME: -> (tensor<6x10xf32> {fxgraph.memory_order = array<i64: 1, 0>})
func.func @keeps_order(%x: tensor<6x10xf32>, %b: tensor<6xf32>) -> tensor<10x6xf32> {
  %0 = fxgraph.permute %x dims [-1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
  %1 = fxgraph.add %b, %0 : (tensor<6xf32>, tensor<10x6xf32>) -> tensor<10x6xf32>
  %2 = fxgraph.relu %1 : tensor<10x6xf32>
  return %2 : tensor<10x6xf32>
}

// Every second row of a permuted tensor is no view of a dense one, what is computed of it is dense in its order.
// CHECK-LABEL: func.func @dense_of_parts
// CHECK-SAME: -> (tensor<3x10xf32> {fxgraph.memory_order = array<i64: 1, 0>}, tensor<10x3xf32>)
func.func @dense_of_parts(%x: tensor<6x10xf32>) -> (tensor<10x3xf32>, tensor<10x3xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
  %1 = fxgraph.slice %0 dim 1 from 0 to 6 step 2 : (tensor<10x6xf32>) -> tensor<10x3xf32>
  %2 = fxgraph.neg %1 : tensor<10x3xf32>
  return %2, %1 : tensor<10x3xf32>, tensor<10x3xf32>
}

// Two permutations are one; two results are views of one product, and the second is a copy of its memory.
// CHECK-LABEL: func.func @twice
// CHECK-SAME: -> (tensor<5x3x7xf32> {fxgraph.memory_order = array<i64: 2, 0, 1>}, tensor<5x3x7xf32> {fxgraph.memory_order = array<i64: 1, 0, 2>})
// CHECK: %[[SUM:.*]] = fxgraph.add
// CHECK: return %[[SUM]], %[[SUM]]
func.func @twice(%x: tensor<5x3x7xf32>) -> (tensor<3x7x5xf32>, tensor<3x5x7xf32>) {
  %0 = fxgraph.add %x, %x : (tensor<5x3x7xf32>, tensor<5x3x7xf32>) -> tensor<5x3x7xf32>
  %1 = fxgraph.permute %0 dims [2, 0, 1] : (tensor<5x3x7xf32>) -> tensor<7x5x3xf32>
  %2 = fxgraph.permute %1 dims [2, 0, 1] : (tensor<7x5x3xf32>) -> tensor<3x7x5xf32>
  %3 = fxgraph.transpose %0 dims 0, 1 : (tensor<5x3x7xf32>) -> tensor<3x5x7xf32>
  return %2, %3 : tensor<3x7x5xf32>, tensor<3x5x7xf32>
}

// Through reshapes that split and drop dimensions. One of extent 1 has any stride.
// CHECK-LABEL: func.func @through_reshapes
// CHECK-SAME: -> (tensor<1x2x4x6xf32> {fxgraph.memory_order = array<i64: {{.*}}>})
func.func @through_reshapes(%x: tensor<8x6xf32>) -> tensor<6x1x2x4xf32> {
  %0 = fxgraph.neg %x : tensor<8x6xf32>
  %1 = fxgraph.reshape %0 shape [1, 2, 4, 6] : tensor<8x6xf32> -> tensor<1x2x4x6xf32>
  %2 = fxgraph.permute %1 dims [3, 0, 1, 2] : (tensor<1x2x4x6xf32>) -> tensor<6x1x2x4xf32>
  return %2 : tensor<6x1x2x4xf32>
}

// What kernels read as well: from where it lies.
// CHECK-LABEL: func.func @read_as_well
// CHECK-SAME: -> (tensor<6x10xf32> {fxgraph.memory_order = array<i64: 1, 0>}, tensor<6xf32>, tensor<6x10xf32> {fxgraph.memory_order = array<i64: 1, 0>})
// CHECK: %[[EXP:.*]] = fxgraph.exp
// CHECK: %[[RESULT:.*]] = fxgraph.permute %[[EXP]] dims [1, 0]
// CHECK: %[[VIEW:.*]] = fxgraph.permute %[[RESULT]] dims [1, 0]
// CHECK: fxgraph.sum %[[VIEW]]
// CHECK: fxgraph.neg %[[VIEW]]
func.func @read_as_well(%x: tensor<6x10xf32>) -> (tensor<10x6xf32>, tensor<6xf32>, tensor<10x6xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
  %1 = fxgraph.exp %0 : tensor<10x6xf32>
  %2 = fxgraph.sum %1 dims [0] : (tensor<10x6xf32>) -> tensor<6xf32>
  %3 = fxgraph.neg %1 : tensor<10x6xf32>
  return %1, %2, %3 : tensor<10x6xf32>, tensor<6xf32>, tensor<10x6xf32>
}

// The twins: contiguous() says what the caller wants; a part of memory; what is taken apart, or multiplied, as well; an op whose
// first full operand is row-major; extents of 1 and nothing at all.
// CHECK-LABEL: func.func @stay
// CHECK-SAME: -> (tensor<10x6xf32>, tensor<6x5xf32>, tensor<10x6xf32>, tensor<6xf32>, tensor<10x6xf32>, tensor<6x1xf32>, tensor<4x0xf32>, tensor<10x6xf32>, tensor<10x10xf32>)
func.func @stay(%x: tensor<6x10xf32>, %y: tensor<10x6xf32>, %one: tensor<1x6xf32>, %none: tensor<0x4xf32>)
    -> (tensor<10x6xf32>, tensor<6x5xf32>, tensor<10x6xf32>, tensor<6xf32>, tensor<10x6xf32>, tensor<6x1xf32>, tensor<4x0xf32>, tensor<10x6xf32>, tensor<10x10xf32>) {
  %0 = fxgraph.permute %x dims [1, 0] : (tensor<6x10xf32>) -> tensor<10x6xf32>
  %1 = fxgraph.contiguous %0 : tensor<10x6xf32>
  %2 = fxgraph.slice %x dim 1 from 0 to 5 step 1 : (tensor<6x10xf32>) -> tensor<6x5xf32>
  %3 = fxgraph.exp %0 : tensor<10x6xf32>
  %apart = fxgraph.reshape %3 shape [60] : tensor<10x6xf32> -> tensor<60xf32>
  %rows = fxgraph.reshape %apart shape [6, 10] : tensor<60xf32> -> tensor<6x10xf32>
  %4 = fxgraph.sum %rows dims [1] : (tensor<6x10xf32>) -> tensor<6xf32>
  %5 = fxgraph.add %y, %0 : (tensor<10x6xf32>, tensor<10x6xf32>) -> tensor<10x6xf32>
  %6 = fxgraph.permute %one dims [1, 0] : (tensor<1x6xf32>) -> tensor<6x1xf32>
  %7 = fxgraph.permute %none dims [1, 0] : (tensor<0x4xf32>) -> tensor<4x0xf32>
  %8 = fxgraph.neg %0 : tensor<10x6xf32>
  %9 = fxgraph.mm %8, %x : (tensor<10x6xf32>, tensor<6x10xf32>) -> tensor<10x10xf32>
  return %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<10x6xf32>, tensor<6x5xf32>, tensor<10x6xf32>, tensor<6xf32>, tensor<10x6xf32>, tensor<6x1xf32>, tensor<4x0xf32>, tensor<10x6xf32>, tensor<10x10xf32>
}

// Arguments are taken as they lie: a transposed one is read row by row, and what a pointwise op makes of it is in its order.
// RUN: fx-opt %s --fxgraph-gpu-prepare | FileCheck %s --check-prefix=PREPARED
// PREPARED-LABEL: func.func @argument
// PREPARED-SAME: %[[X:.*]]: tensor<4x3xf32> {fxgraph.memory_order = array<i64: 1, 0>}
// PREPARED: fxgraph.permute %[[X]] dims [1, 0] : (tensor<4x3xf32>) -> tensor<3x4xf32>
// RUN: fx-opt %s --fxgraph-to-gpu="entry=argument libraries=always" | FileCheck %s --check-prefix=ARGUMENT
// ARGUMENT-DAG: func.func @argument(%{{.*}}: memref<3x4xf32, strided<[1, 3]>>, %{{.*}}: memref<3x4xf32, strided<[1, 3]>> {fxgraph.result}
// ARGUMENT-DAG: kind = "flat"
func.func @argument(%x: tensor<3x4xf32> {fxgraph.memory_order = array<i64: 1, 0>}) -> tensor<3x4xf32> {
  %0 = fxgraph.relu %x : tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}

// The twin: what the graph writes stays row-major.
// PREPARED-LABEL: func.func @written
// PREPARED-SAME: %{{.*}}: tensor<3x4xf32>, %{{.*}}: tensor<3x4xf32>)
func.func @written(%x: tensor<3x4xf32> {fxgraph.memory_order = array<i64: 1, 0>}, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = fxgraph.add %x, %y : (tensor<3x4xf32>, tensor<3x4xf32>) -> tensor<3x4xf32>
  fxgraph.copy_ %0 into %x : tensor<3x4xf32>, tensor<3x4xf32>
  return %0 : tensor<3x4xf32>
}
