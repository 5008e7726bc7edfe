// What does not depend on each other becomes one launch.
// RUN: split-file %s %t
// RUN: fx-opt %t/alike.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/alike.mlir
// RUN: fx-opt %t/alike.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | fx-opt --fxgraph-batch-kernels | FileCheck %t/alike.mlir
// RUN: fx-opt %t/siblings.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/siblings.mlir
// RUN: fx-opt %t/orders.mlir --fxgraph-batch-kernels | FileCheck %t/orders.mlir
// RUN: fx-opt %t/readers.mlir --fxgraph-batch-kernels | FileCheck %t/readers.mlir
// RUN: fx-opt %t/element.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/element.mlir
// RUN: fx-opt %t/broadcast.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/broadcast.mlir
// RUN: fx-opt %t/apart.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/apart.mlir
// RUN: fx-opt %t/small.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/small.mlir
// RUN: fx-opt %t/chain.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/chain.mlir
// RUN: fx-opt %t/products.mlir --fxgraph-fuse-kernels --fxgraph-batch-kernels | FileCheck %t/products.mlir
// RUN: fx-opt %t/epilogue.mlir --fxgraph-batch-kernels=products=all | FileCheck %t/epilogue.mlir
// RUN: fx-opt %t/epilogue.mlir --fxgraph-batch-kernels=products=never | FileCheck %t/epilogue.mlir --check-prefix=NEVER
// RUN: fx-opt %t/written.mlir --fxgraph-batch-kernels | FileCheck %t/written.mlir
// RUN: not fx-opt %t/alike.mlir --fxgraph-batch-kernels=products=some 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: fxgraph-batch-kernels: expected products to be never, measured or all but got 'some'

//--- alike.mlir
// Slices of one cat are apart, so that kernels for them are instances of one.
// CHECK: fxgraph.loop_nest ["relu"](%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}) over [4, 3] instances 2 {
// CHECK-NEXT: ^bb0(%{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<12xf32>, %{{.*}}: memref<21xf32>):
// CHECK-NOT: fxgraph.loop_nest
func.func @main(%x: tensor<4x3xf32>, %y: tensor<4x3xf32>) -> tensor<4x6xf32> {
  %0 = fxgraph.relu %x : tensor<4x3xf32>
  %1 = fxgraph.relu %y : tensor<4x3xf32>
  %2 = fxgraph.cat %0, %1 dim 1 : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x6xf32>
  return %2 : tensor<4x6xf32>
}

//--- siblings.mlir
// What reads the same elements is one nest: x is loaded once.
// CHECK: fxgraph.loop_nest ["sum", "amax"]
// CHECK: fxgraph.nest.load
// CHECK-NOT: fxgraph.nest.load
// CHECK: fxgraph.nest.reduce "sum"
// CHECK: fxgraph.nest.reduce "max"
// CHECK-NOT: fxgraph.loop_nest
func.func @main(%x: tensor<8x64xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = fxgraph.sum %x dims [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  %1 = fxgraph.amax %x dims [1] : (tensor<8x64xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

//--- orders.mlir
// One goes through all of the memory that the other one's rows lie across: its elements are the rows' in the order of that
// memory, and it is written as the rows are read. Results along the rows go through shared memory.
// CHECK-LABEL: func.func @along_memory
// CHECK: fxgraph.loop_nest ["norm", "twice"]
// CHECK-SAME: over [90, 64, 31] reducing [2]
// CHECK: fxgraph.nest.load
// CHECK-NOT: fxgraph.nest.load
// CHECK: fxgraph.nest.store %{{.*}}[%{{.*}} * 1984 + %{{.*}} * 31 + %{{.*}}]
// CHECK: fxgraph.nest.store %{{.*}}[%{{.*}} * 1984 + %{{.*}} + %{{.*}} * 64]
// CHECK-NOT: fxgraph.loop_nest
func.func @along_memory(%x: memref<178560xf32>, %r: memref<178560xf32> {fxgraph.result}, %s: memref<178560xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["norm"](%x, %r) over [90, 64, 31] reducing [2] {
  ^bb0(%i: index, %j: index, %k: index, %from: memref<178560xf32>, %to: memref<178560xf32>):
    %0 = fxgraph.nest.load %from[%i * 1984 + %j + %k * 64] : memref<178560xf32> to f32
    %1 = fxgraph.nest.reduce "max" %0 : (f32) -> f32
    %2 = arith.subf %0, %1 : f32
    fxgraph.nest.store %2, %to[%i * 1984 + %j * 31 + %k] : f32 to memref<178560xf32>
  } : memref<178560xf32>, memref<178560xf32>
  fxgraph.loop_nest ["twice"](%x, %s) over [178560] {
  ^bb0(%i: index, %from: memref<178560xf32>, %to: memref<178560xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<178560xf32> to f32
    %1 = arith.addf %0, %0 : f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<178560xf32>
  } : memref<178560xf32>, memref<178560xf32>
  return
}

// The twin: rows that are read along memory would write elements of the other's result far apart.
// CHECK-LABEL: func.func @along_rows
// CHECK: fxgraph.loop_nest ["norm"]
// CHECK: fxgraph.loop_nest ["turned"]
func.func @along_rows(%x: memref<178560xf32>, %r: memref<178560xf32> {fxgraph.result}, %s: memref<178560xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["norm"](%x, %r) over [5760, 31] reducing [1] {
  ^bb0(%j: index, %k: index, %from: memref<178560xf32>, %to: memref<178560xf32>):
    %0 = fxgraph.nest.load %from[%j * 31 + %k] : memref<178560xf32> to f32
    %1 = fxgraph.nest.reduce "max" %0 : (f32) -> f32
    %2 = arith.subf %0, %1 : f32
    fxgraph.nest.store %2, %to[%j * 31 + %k] : f32 to memref<178560xf32>
  } : memref<178560xf32>, memref<178560xf32>
  fxgraph.loop_nest ["turned"](%x, %s) over [5760, 31] {
  ^bb0(%j: index, %k: index, %from: memref<178560xf32>, %to: memref<178560xf32>):
    %0 = fxgraph.nest.load %from[%j * 31 + %k] : memref<178560xf32> to f32
    fxgraph.nest.store %0, %to[%k * 5760 + %j] : f32 to memref<178560xf32>
  } : memref<178560xf32>, memref<178560xf32>
  return
}

//--- readers.mlir
// What another nest writes at the same element stays in registers, as memory would have it. What reads both joins, too.
// CHECK-LABEL: func.func @chain
// CHECK: fxgraph.loop_nest ["first", "second", "third"]
// CHECK: %[[VALUE:.*]] = fxgraph.nest.load
// CHECK-NEXT: %[[ROUNDED:.*]] = fxgraph.nest.round %[[VALUE]]
// CHECK-NOT: fxgraph.nest.load
// CHECK: fxgraph.nest.store %[[VALUE]]
// CHECK-NEXT: fxgraph.nest.store %[[ROUNDED]]
// CHECK-NEXT: fxgraph.nest.store %[[ROUNDED]]
// CHECK-NOT: fxgraph.loop_nest
func.func @chain(%x: memref<64xf32>, %r: memref<64xbf16> {fxgraph.result}, %s: memref<64xbf16> {fxgraph.result}, %t: memref<64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xbf16>
  } : memref<64xf32>, memref<64xbf16>
  fxgraph.loop_nest ["second"](%r, %s) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xbf16>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i * 8 + %j] : memref<64xbf16> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xbf16>
  } : memref<64xbf16>, memref<64xbf16>
  fxgraph.loop_nest ["third"](%s, %t) over [64] {
  ^bb0(%i: index, %from: memref<64xbf16>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xbf16> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xbf16>
  } : memref<64xbf16>, memref<64xbf16>
  return
}

// The twins. Another element:
// CHECK-LABEL: func.func @elsewhere
// CHECK: fxgraph.loop_nest ["first"]
// CHECK: fxgraph.loop_nest ["second"]
func.func @elsewhere(%x: memref<64xf32>, %r: memref<64xbf16> {fxgraph.result}, %s: memref<64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%x, %r) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xf32>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i * 8 + %j] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xbf16>
  } : memref<64xf32>, memref<64xbf16>
  fxgraph.loop_nest ["second"](%r, %s) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xbf16>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i + %j * 8] : memref<64xbf16> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xbf16>
  } : memref<64xbf16>, memref<64xbf16>
  return
}

// Results that lie in different orders:
// CHECK-LABEL: func.func @across
// CHECK: fxgraph.loop_nest ["first"]
// CHECK: fxgraph.loop_nest ["second"]
func.func @across(%x: memref<64xf32>, %r: memref<64xbf16> {fxgraph.result}, %s: memref<64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%x, %r) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xf32>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i * 8 + %j] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xbf16>
  } : memref<64xf32>, memref<64xbf16>
  fxgraph.loop_nest ["second"](%r, %s) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xbf16>, %to: memref<64xbf16>):
    %0 = fxgraph.nest.load %from[%i * 8 + %j] : memref<64xbf16> to f32
    fxgraph.nest.store %0, %to[%i + %j * 8] : f32 to memref<64xbf16>
  } : memref<64xbf16>, memref<64xbf16>
  return
}

// Something between them depends on the one and leads to the other, which joins that one instead:
// CHECK-LABEL: func.func @between
// CHECK: fxgraph.loop_nest ["first"]
// CHECK: fxgraph.loop_nest ["turned", "last"]
func.func @between(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}, %s: memref<64xf32> {fxgraph.result}, %t: memref<64xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%x, %r) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<64xf32>
  } : memref<64xf32>, memref<64xf32>
  fxgraph.loop_nest ["turned"](%r, %s) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 8] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xf32>
  } : memref<64xf32>, memref<64xf32>
  fxgraph.loop_nest ["last"](%r, %s, %t) over [64] {
  ^bb0(%i: index, %from: memref<64xf32>, %other: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<64xf32> to f32
    %1 = fxgraph.nest.load %other[%i] : memref<64xf32> to f32
    %2 = arith.addf %0, %1 : f32
    fxgraph.nest.store %2, %to[%i] : f32 to memref<64xf32>
  } : memref<64xf32>, memref<64xf32>, memref<64xf32>
  return
}

// Memory that is read by the one and written over by the other, elsewhere:
// CHECK-LABEL: func.func @overwritten
// CHECK: fxgraph.loop_nest ["first"]
// CHECK: fxgraph.loop_nest ["over"]
func.func @overwritten(%x: memref<64xf32>, %r: memref<64xf32> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%x, %r) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i + %j * 8] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xf32>
  } : memref<64xf32>, memref<64xf32>
  fxgraph.loop_nest ["over"](%r, %x) over [8, 8] {
  ^bb0(%i: index, %j: index, %from: memref<64xf32>, %to: memref<64xf32>):
    %0 = fxgraph.nest.load %from[%i * 8 + %j] : memref<64xf32> to f32
    fxgraph.nest.store %0, %to[%i * 8 + %j] : f32 to memref<64xf32>
  } : memref<64xf32>, memref<64xf32>
  return
}

//--- element.mlir
// Of rows of a part of memory a softmax, and what is computed of their elements.
// CHECK: fxgraph.loop_nest ["softmax", "mul"]
// CHECK-SAME: over [16, 61] reducing [1]
// CHECK-NOT: fxgraph.loop_nest
func.func @main(%x: tensor<16x64xf32>) -> (tensor<16x61xf32>, tensor<16x61xf32>) {
  %0 = fxgraph.slice %x dim 1 from 3 to 64 : (tensor<16x64xf32>) -> tensor<16x61xf32>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<16x61xf32>) -> tensor<16x61xf32>
  %2 = fxgraph.mul %0, %0 : (tensor<16x61xf32>, tensor<16x61xf32>) -> tensor<16x61xf32>
  return %1, %2 : tensor<16x61xf32>, tensor<16x61xf32>
}

//--- broadcast.mlir
// One has a dimension where the other has two of its size: both read all elements of %x.
// CHECK: fxgraph.loop_nest
// CHECK-SAME: over [400, 50, 7]
// CHECK-NOT: fxgraph.loop_nest
func.func @main(%x: tensor<400x50x7xf32>, %y: tensor<50x7xf32>, %z: tensor<7xf32>, %b: tensor<1x50x1xf32>) -> (tensor<400x50x7xf32>, tensor<400x50x7xf32>) {
  %0 = fxgraph.mul %x, %y : (tensor<400x50x7xf32>, tensor<50x7xf32>) -> tensor<400x50x7xf32>
  %1 = fxgraph.mul %x, %z : (tensor<400x50x7xf32>, tensor<7xf32>) -> tensor<400x50x7xf32>
  %2 = fxgraph.add %1, %b : (tensor<400x50x7xf32>, tensor<1x50x1xf32>) -> tensor<400x50x7xf32>
  return %0, %2 : tensor<400x50x7xf32>, tensor<400x50x7xf32>
}

//--- apart.mlir
// No dimensions of the one are those of the other.
// CHECK-COUNT-2: fxgraph.loop_nest
func.func @main(%x: tensor<400x350xf32>, %y: tensor<350xf32>, %z: tensor<700xf32>) -> (tensor<400x350xf32>, tensor<200x700xf32>) {
  %0 = fxgraph.mul %x, %y : (tensor<400x350xf32>, tensor<350xf32>) -> tensor<400x350xf32>
  %1 = fxgraph.reshape %x shape [200, 700] : tensor<400x350xf32> -> tensor<200x700xf32>
  %2 = fxgraph.mul %1, %z : (tensor<200x700xf32>, tensor<700xf32>) -> tensor<200x700xf32>
  return %0, %2 : tensor<400x350xf32>, tensor<200x700xf32>
}

//--- small.mlir
// CHECK: fxgraph.launch {
// CHECK-NEXT: fxgraph.loop_nest ["tanh"]
// CHECK: fxgraph.loop_nest ["exp"]
// CHECK: return
func.func @main(%x: tensor<8xf32>, %y: tensor<5xf32>) -> (tensor<8xf32>, tensor<5xf32>) {
  %0 = fxgraph.tanh %x : tensor<8xf32>
  %1 = fxgraph.exp %y : tensor<5xf32>
  return %0, %1 : tensor<8xf32>, tensor<5xf32>
}

//--- chain.mlir
// Alike, but one reads what the other writes.
// CHECK: fxgraph.loop_nest ["cumsum"]
// CHECK-NOT: instances
// CHECK: fxgraph.loop_nest ["cumsum"]
// CHECK-NOT: instances
// CHECK: return
func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fxgraph.cumsum %x dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = fxgraph.cumsum %0 dim 1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

//--- products.mlir
// CHECK: fxgraph.launch {
// CHECK-COUNT-4: fxgraph.matrix_product {{.*}}
// CHECK: lowering_config = {emitter = "mma"}
// CHECK-NOT: fxgraph.matrix_product
func.func @main(%x: tensor<16x32xbf16>, %a: tensor<32x8xbf16>, %b: tensor<32x8xbf16>, %c: tensor<32x8xbf16>, %d: tensor<32x8xbf16>)
    -> (tensor<16x8xbf16>, tensor<16x8xbf16>, tensor<16x8xbf16>, tensor<16x8xbf16>) {
  %0 = fxgraph.mm %x, %a : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
  %1 = fxgraph.mm %x, %b : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
  %2 = fxgraph.mm %x, %c : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
  %3 = fxgraph.mm %x, %d : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
  return %0, %1, %2, %3 : tensor<16x8xbf16>, tensor<16x8xbf16>, tensor<16x8xbf16>, tensor<16x8xbf16>
}

//--- epilogue.mlir
// What is between a product and its epilogue is in registers. A choice that stands there is kept.
// CHECK-LABEL: func.func @fused
// CHECK: fxgraph.launch {
// CHECK-NEXT: %[[T:.*]] = memref.alloc
// CHECK: fxgraph.matrix_product ["mm"] %{{.*}}, %{{.*}} to %[[T]]
// CHECK: lowering_config = {emitter = "wgmma"}
// CHECK: fxgraph.loop_nest ["relu"]
// CHECK-LABEL: func.func @kept
// CHECK-NOT: fxgraph.launch
// CHECK: lowering_config = {emitter = "library"}
// NEVER-NOT: wgmma
func.func @fused(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %r: memref<64x64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  %t = memref.alloc() : memref<64x64xbf16>
  fxgraph.matrix_product ["mm"] %a, %b to %t {} : memref<64x64xbf16>, memref<64x64xbf16> to memref<64x64xbf16>
  %x = fxgraph.buffer %t offset 0 : memref<64x64xbf16> to memref<4096xbf16>
  %y = fxgraph.buffer %r offset 0 : memref<64x64xbf16> to memref<4096xbf16>
  fxgraph.loop_nest ["relu"](%x, %y) over [4096] {
  ^bb0(%i: index, %from: memref<4096xbf16>, %to: memref<4096xbf16>):
    %0 = fxgraph.nest.load %from[%i] : memref<4096xbf16> to f32
    %1 = fxgraph.nest.element(%0) {
    ^bb0(%e: tensor<bf16>):
      %2 = fxgraph.relu %e : tensor<bf16>
      fxgraph.yield %2 : tensor<bf16>
    } : (f32) -> f32
    fxgraph.nest.store %1, %to[%i] : f32 to memref<4096xbf16>
  } : memref<4096xbf16>, memref<4096xbf16>
  return
}
func.func @kept(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %r: memref<64x64xbf16> {fxgraph.result}) attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.matrix_product ["mm"] %a, %b to %r {} {lowering_config = {emitter = "library"}} : memref<64x64xbf16>, memref<64x64xbf16> to memref<64x64xbf16>
  return
}

//--- written.mlir
// An op that the stage does not know is a barrier: nothing goes past it.
// CHECK: fxgraph.loop_nest ["first"]
// CHECK: gpu.wait
// CHECK: fxgraph.loop_nest ["second"]
func.func @main(%a: memref<8xf32>, %b: memref<8xf32>, %r: memref<8xf32> {fxgraph.result}, %s: memref<8xf32> {fxgraph.result})
    attributes {fxgraph.chip = "sm_90a"} {
  fxgraph.loop_nest ["first"](%a, %r) over [8] {
  ^bb0(%i: index, %from: memref<8xf32>, %to: memref<8xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<8xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<8xf32>
  } : memref<8xf32>, memref<8xf32>
  gpu.wait
  fxgraph.loop_nest ["second"](%b, %s) over [8] {
  ^bb0(%i: index, %from: memref<8xf32>, %to: memref<8xf32>):
    %0 = fxgraph.nest.load %from[%i] : memref<8xf32> to f32
    fxgraph.nest.store %0, %to[%i] : f32 to memref<8xf32>
  } : memref<8xf32>, memref<8xf32>
  return
}
