// Kernels that do not depend on each other become one: what reads the same elements one loop, other small ones one launch.
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --compare-target=ref --rtol=2e-5 --atol=2e-6
// RUN: fx-run %s --entry=* --inputs=seed:8 --target=gpu-emulator --target-option=processors=1 --compare-target=ref --rtol=2e-5 --atol=2e-6
// RUN: fx-opt %s --fxgraph-to-gpu=entry=siblings | FileCheck %s --check-prefix=SIBLINGS
// RUN: fx-opt %s --fxgraph-to-gpu=entry=pointwise_too | FileCheck %s --check-prefix=POINTWISE
// RUN: fx-opt %s --fxgraph-to-gpu=entry=nothing_common | FileCheck %s --check-prefix=NOTHING
// RUN: fx-opt %s --fxgraph-to-gpu=entry=dependent | FileCheck %s --check-prefix=DEPENDENT
// RUN: fx-opt %s --fxgraph-to-gpu=entry=uneven_pieces | FileCheck %s --check-prefix=PIECES
// RUN: fx-opt %s --fxgraph-to-gpu=entry=indices | FileCheck %s --check-prefix=INDICES

// One read of the operand for three results; what a mean and a sum have in common is added up once.
// SIBLINGS: gpu.func
// SIBLINGS-COUNT-3: memref.load
// SIBLINGS-NOT: memref.load
// SIBLINGS-NOT: gpu.func
func.func @siblings(%x: tensor<37x89xf32>) -> (tensor<37xf32>, tensor<37xf32>, tensor<37xf32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<37x89xf32>) -> tensor<37xf32>
  %1 = fxgraph.mean %x dims [1] : (tensor<37x89xf32>) -> tensor<37xf32>
  %2 = fxgraph.amax %x dims [1] : (tensor<37x89xf32>) -> tensor<37xf32>
  return %0, %1, %2 : tensor<37xf32>, tensor<37xf32>, tensor<37xf32>
}

// POINTWISE: gpu.func
// POINTWISE-NOT: gpu.func
func.func @pointwise_too(%x: tensor<11x53xf32>, %w: tensor<53xf32>) -> (tensor<11x53xf32>, tensor<11x53xf32>, tensor<11xf32>) {
  %0 = fxgraph.softmax %x dim -1 : (tensor<11x53xf32>) -> tensor<11x53xf32>
  %1 = fxgraph.tanh %x : tensor<11x53xf32>
  %2 = fxgraph.sum %x dims [1] : (tensor<11x53xf32>) -> tensor<11xf32>
  return %0, %1, %2 : tensor<11x53xf32>, tensor<11x53xf32>, tensor<11xf32>
}

// Equal extents, and nothing that both read: two schedules in one launch.
// NOTHING: gpu.func @{{.*}}_and(
// NOTHING-SAME: fxgraph.schedule = [{{{[^}]*}}}, {{{[^}]*}}}]
// NOTHING-NOT: gpu.func
func.func @nothing_common(%x: tensor<19x31xf32>, %y: tensor<31x19xf32>) -> (tensor<19xf32>, tensor<31x19xf32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<19x31xf32>) -> tensor<19xf32>
  %1 = fxgraph.exp %y : tensor<31x19xf32>
  return %0, %1 : tensor<19xf32>, tensor<31x19xf32>
}

// The second reads what the first one wrote.
// DEPENDENT-COUNT-2: gpu.func
// DEPENDENT-NOT: gpu.func
func.func @dependent(%x: tensor<19x31xf32>) -> (tensor<31xf32>, tensor<1xf32>) {
  %0 = fxgraph.sum %x dims [0] : (tensor<19x31xf32>) -> tensor<31xf32>
  %1 = fxgraph.amax %0 dims [0] keepdim true : (tensor<31xf32>) -> tensor<1xf32>
  return %0, %1 : tensor<31xf32>, tensor<1xf32>
}

// PIECES: gpu.func @{{.*}}_and(
// PIECES-NOT: gpu.func
func.func @uneven_pieces(%a: tensor<13x5xf32>, %b: tensor<7x13xf32>, %c: tensor<13x3xf32>, %d: tensor<11x13xf32>, %e: tensor<13x2xf32>, %f: tensor<14x8xf32>) -> tensor<13x36xf32> {
  %0 = fxgraph.transpose %b dims 0, 1 : (tensor<7x13xf32>) -> tensor<13x7xf32>
  %1 = fxgraph.transpose %d dims 0, 1 : (tensor<11x13xf32>) -> tensor<13x11xf32>
  %2 = fxgraph.slice %f dim 0 from 1 to 14 : (tensor<14x8xf32>) -> tensor<13x8xf32>
  %r = fxgraph.cat %a, %0, %c, %1, %e, %2 dim 1 : (tensor<13x5xf32>, tensor<13x7xf32>, tensor<13x3xf32>, tensor<13x11xf32>, tensor<13x2xf32>, tensor<13x8xf32>) -> tensor<13x36xf32>
  return %r : tensor<13x36xf32>
}

// A kernel that reports bad indices is one of its own.
// INDICES-COUNT-2: gpu.func
// INDICES-NOT: gpu.func
func.func @indices(%x: tensor<9x5xf32>, %y: tensor<77xf32>) -> (tensor<3x5xf32>, tensor<77xf32>) {
  %i = fxgraph.constant dense<[2, 0, 8]> : tensor<3xi64>
  %0 = fxgraph.index_select %x, %i dim 0 : (tensor<9x5xf32>, tensor<3xi64>) -> tensor<3x5xf32>
  %1 = fxgraph.neg %y : tensor<77xf32>
  return %0, %1 : tensor<3x5xf32>, tensor<77xf32>
}

// Kernels of one element have no order.
func.func @scalars(%x: tensor<f32>, %y: tensor<1xf32>) -> (tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>) {
  %0 = fxgraph.exp %x : tensor<f32>
  %1 = fxgraph.neg %0 : tensor<f32>
  %2 = fxgraph.exp %y : tensor<1xf32>
  %3 = fxgraph.neg %2 : tensor<1xf32>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<1xf32>, tensor<1xf32>
}
