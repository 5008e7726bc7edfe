// Many products of one shape in one launch, on (emulated) tensor cores.
// RUN: fx-run %s --entry=* --inputs=seed:7 --target=gpu-emulator --target-option=libraries=always --compare-target=ref --rtol=2e-2 --atol=2e-2
// RUN: fx-opt %s --fxgraph-to-gpu="entry=tanh_bf16 libraries=always" | FileCheck %s
// RUN: fx-translate %s --entry=tanh_bf16 --to=plan --option=libraries=always | FileCheck %s --check-prefix=PLAN
// RUN: fx-translate %s --entry=three --to=plan --option=libraries=always | FileCheck %s --check-prefix=LIBRARY
// RUN: fx-translate %s --entry=unaligned --to=plan --option=libraries=always | FileCheck %s --check-prefix=GENERATED
// RUN: fx-translate %s --entry=f32 --to=plan --option=libraries=always | FileCheck %s --check-prefix=GENERATED

// One kernel and no library call; weights and biases come from tables.
// PLAN: "kind": "pointers"
// PLAN-NOT: "op": "matmul"
// PLAN: "op": "kernel"
// PLAN-NOT: "op":
// CHECK: gpu.func @k0_addmm_tanh_x5(%arg0: !llvm.ptr {{{.*}}llvm.noalias{{.*}}}, %arg1: !llvm.ptr {llvm.align = 8 : i64, llvm.byval = !llvm.array<5 x i64>}
// CHECK: nvvm.cp.async.shared.global
// CHECK: nvvm.mma.sync
// CHECK: math.tanh
// CHECK-NOT: gpu.func

// LIBRARY: "op": "matmul"

// What tensor cores do not take, a kernel without them does, in one launch as well.
// GENERATED-NOT: "op": "matmul"
// GENERATED: "op": "kernel"
// GENERATED-NOT: "op":

func.func @tanh_bf16(%x: tensor<72x320xbf16>, %w0: tensor<64x64xbf16>, %w1: tensor<64x64xbf16>, %w2: tensor<64x64xbf16>, %w3: tensor<64x64xbf16>, %w4: tensor<64x64xbf16>, %b0: tensor<64xbf16>, %b1: tensor<64xbf16>, %b2: tensor<64xbf16>, %b3: tensor<64xbf16>, %b4: tensor<64xbf16>) -> tensor<72x320xbf16> {
  %p:5 = fxgraph.split %x size 64 dim 1 : (tensor<72x320xbf16>) -> (tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<72x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<72x64xbf16>
  %t0 = fxgraph.tanh %l0 : tensor<72x64xbf16>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<72x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<72x64xbf16>
  %t1 = fxgraph.tanh %l1 : tensor<72x64xbf16>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<72x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<72x64xbf16>
  %t2 = fxgraph.tanh %l2 : tensor<72x64xbf16>
  %l3 = fxgraph.linear %p#3, %w3, %b3 : (tensor<72x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<72x64xbf16>
  %t3 = fxgraph.tanh %l3 : tensor<72x64xbf16>
  %l4 = fxgraph.linear %p#4, %w4, %b4 : (tensor<72x64xbf16>, tensor<64x64xbf16>, tensor<64xbf16>) -> tensor<72x64xbf16>
  %t4 = fxgraph.tanh %l4 : tensor<72x64xbf16>
  %r = fxgraph.cat %t0, %t1, %t2, %t3, %t4 dim 1 : (tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>, tensor<72x64xbf16>) -> tensor<72x320xbf16>
  return %r : tensor<72x320xbf16>
}
func.func @relu_f16(%x: tensor<33x160xf16>, %w0: tensor<24x40xf16>, %w1: tensor<24x40xf16>, %w2: tensor<24x40xf16>, %w3: tensor<24x40xf16>, %b0: tensor<24xf16>, %b1: tensor<24xf16>, %b2: tensor<24xf16>, %b3: tensor<24xf16>) -> tensor<33x96xf16> {
  %p:4 = fxgraph.split %x size 40 dim 1 : (tensor<33x160xf16>) -> (tensor<33x40xf16>, tensor<33x40xf16>, tensor<33x40xf16>, tensor<33x40xf16>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<33x40xf16>, tensor<24x40xf16>, tensor<24xf16>) -> tensor<33x24xf16>
  %t0 = fxgraph.relu %l0 : tensor<33x24xf16>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<33x40xf16>, tensor<24x40xf16>, tensor<24xf16>) -> tensor<33x24xf16>
  %t1 = fxgraph.relu %l1 : tensor<33x24xf16>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<33x40xf16>, tensor<24x40xf16>, tensor<24xf16>) -> tensor<33x24xf16>
  %t2 = fxgraph.relu %l2 : tensor<33x24xf16>
  %l3 = fxgraph.linear %p#3, %w3, %b3 : (tensor<33x40xf16>, tensor<24x40xf16>, tensor<24xf16>) -> tensor<33x24xf16>
  %t3 = fxgraph.relu %l3 : tensor<33x24xf16>
  %r = fxgraph.cat %t0, %t1, %t2, %t3 dim 1 : (tensor<33x24xf16>, tensor<33x24xf16>, tensor<33x24xf16>, tensor<33x24xf16>) -> tensor<33x96xf16>
  return %r : tensor<33x96xf16>
}
func.func @plain_nn(%x: tensor<70x288xbf16>, %w0: tensor<72x136xbf16>, %w1: tensor<72x136xbf16>, %w2: tensor<72x136xbf16>, %w3: tensor<72x136xbf16>) -> tensor<70x544xbf16> {
  %p:4 = fxgraph.split %x size 72 dim 1 : (tensor<70x288xbf16>) -> (tensor<70x72xbf16>, tensor<70x72xbf16>, tensor<70x72xbf16>, tensor<70x72xbf16>)
  %l0 = fxgraph.mm %p#0, %w0 : (tensor<70x72xbf16>, tensor<72x136xbf16>) -> tensor<70x136xbf16>
  %l1 = fxgraph.mm %p#1, %w1 : (tensor<70x72xbf16>, tensor<72x136xbf16>) -> tensor<70x136xbf16>
  %l2 = fxgraph.mm %p#2, %w2 : (tensor<70x72xbf16>, tensor<72x136xbf16>) -> tensor<70x136xbf16>
  %l3 = fxgraph.mm %p#3, %w3 : (tensor<70x72xbf16>, tensor<72x136xbf16>) -> tensor<70x136xbf16>
  %r = fxgraph.cat %l0, %l1, %l2, %l3 dim 1 : (tensor<70x136xbf16>, tensor<70x136xbf16>, tensor<70x136xbf16>, tensor<70x136xbf16>) -> tensor<70x544xbf16>
  return %r : tensor<70x544xbf16>
}
func.func @nn_tanh(%x: tensor<64x800xf16>, %w0: tensor<200x64xf16>, %w1: tensor<200x64xf16>, %w2: tensor<200x64xf16>, %w3: tensor<200x64xf16>) -> tensor<64x256xf16> {
  %p:4 = fxgraph.split %x size 200 dim 1 : (tensor<64x800xf16>) -> (tensor<64x200xf16>, tensor<64x200xf16>, tensor<64x200xf16>, tensor<64x200xf16>)
  %l0 = fxgraph.mm %p#0, %w0 : (tensor<64x200xf16>, tensor<200x64xf16>) -> tensor<64x64xf16>
  %t0 = fxgraph.tanh %l0 : tensor<64x64xf16>
  %l1 = fxgraph.mm %p#1, %w1 : (tensor<64x200xf16>, tensor<200x64xf16>) -> tensor<64x64xf16>
  %t1 = fxgraph.tanh %l1 : tensor<64x64xf16>
  %l2 = fxgraph.mm %p#2, %w2 : (tensor<64x200xf16>, tensor<200x64xf16>) -> tensor<64x64xf16>
  %t2 = fxgraph.tanh %l2 : tensor<64x64xf16>
  %l3 = fxgraph.mm %p#3, %w3 : (tensor<64x200xf16>, tensor<200x64xf16>) -> tensor<64x64xf16>
  %t3 = fxgraph.tanh %l3 : tensor<64x64xf16>
  %r = fxgraph.cat %t0, %t1, %t2, %t3 dim 1 : (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x256xf16>
  return %r : tensor<64x256xf16>
}
func.func @long_k(%x: tensor<16x2080xbf16>, %w0: tensor<16x520xbf16>, %w1: tensor<16x520xbf16>, %w2: tensor<16x520xbf16>, %w3: tensor<16x520xbf16>, %b0: tensor<16xbf16>, %b1: tensor<16xbf16>, %b2: tensor<16xbf16>, %b3: tensor<16xbf16>) -> tensor<16x64xbf16> {
  %p:4 = fxgraph.split %x size 520 dim 1 : (tensor<16x2080xbf16>) -> (tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16x520xbf16>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t0 = fxgraph.sigmoid %l0 : tensor<16x16xbf16>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t1 = fxgraph.sigmoid %l1 : tensor<16x16xbf16>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t2 = fxgraph.sigmoid %l2 : tensor<16x16xbf16>
  %l3 = fxgraph.linear %p#3, %w3, %b3 : (tensor<16x520xbf16>, tensor<16x520xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t3 = fxgraph.sigmoid %l3 : tensor<16x16xbf16>
  %r = fxgraph.cat %t0, %t1, %t2, %t3 dim 1 : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x64xbf16>
  return %r : tensor<16x64xbf16>
}
// Twins: too few, sizes that no 16-byte copy fits, another type.
func.func @three(%x: tensor<16x96xbf16>, %w0: tensor<16x32xbf16>, %w1: tensor<16x32xbf16>, %w2: tensor<16x32xbf16>, %b0: tensor<16xbf16>, %b1: tensor<16xbf16>, %b2: tensor<16xbf16>) -> tensor<16x48xbf16> {
  %p:3 = fxgraph.split %x size 32 dim 1 : (tensor<16x96xbf16>) -> (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16x32xbf16>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t0 = fxgraph.tanh %l0 : tensor<16x16xbf16>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t1 = fxgraph.tanh %l1 : tensor<16x16xbf16>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<16x32xbf16>, tensor<16x32xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t2 = fxgraph.tanh %l2 : tensor<16x16xbf16>
  %r = fxgraph.cat %t0, %t1, %t2 dim 1 : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x48xbf16>
  return %r : tensor<16x48xbf16>
}
func.func @unaligned(%x: tensor<16x144xbf16>, %w0: tensor<16x36xbf16>, %w1: tensor<16x36xbf16>, %w2: tensor<16x36xbf16>, %w3: tensor<16x36xbf16>, %b0: tensor<16xbf16>, %b1: tensor<16xbf16>, %b2: tensor<16xbf16>, %b3: tensor<16xbf16>) -> tensor<16x64xbf16> {
  %p:4 = fxgraph.split %x size 36 dim 1 : (tensor<16x144xbf16>) -> (tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16x36xbf16>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t0 = fxgraph.tanh %l0 : tensor<16x16xbf16>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t1 = fxgraph.tanh %l1 : tensor<16x16xbf16>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t2 = fxgraph.tanh %l2 : tensor<16x16xbf16>
  %l3 = fxgraph.linear %p#3, %w3, %b3 : (tensor<16x36xbf16>, tensor<16x36xbf16>, tensor<16xbf16>) -> tensor<16x16xbf16>
  %t3 = fxgraph.tanh %l3 : tensor<16x16xbf16>
  %r = fxgraph.cat %t0, %t1, %t2, %t3 dim 1 : (tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) -> tensor<16x64xbf16>
  return %r : tensor<16x64xbf16>
}
func.func @f32(%x: tensor<16x128xf32>, %w0: tensor<16x32xf32>, %w1: tensor<16x32xf32>, %w2: tensor<16x32xf32>, %w3: tensor<16x32xf32>, %b0: tensor<16xf32>, %b1: tensor<16xf32>, %b2: tensor<16xf32>, %b3: tensor<16xf32>) -> tensor<16x64xf32> {
  %p:4 = fxgraph.split %x size 32 dim 1 : (tensor<16x128xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>)
  %l0 = fxgraph.linear %p#0, %w0, %b0 : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  %t0 = fxgraph.tanh %l0 : tensor<16x16xf32>
  %l1 = fxgraph.linear %p#1, %w1, %b1 : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  %t1 = fxgraph.tanh %l1 : tensor<16x16xf32>
  %l2 = fxgraph.linear %p#2, %w2, %b2 : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  %t2 = fxgraph.tanh %l2 : tensor<16x16xf32>
  %l3 = fxgraph.linear %p#3, %w3, %b3 : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16xf32>) -> tensor<16x16xf32>
  %t3 = fxgraph.tanh %l3 : tensor<16x16xf32>
  %r = fxgraph.cat %t0, %t1, %t2, %t3 dim 1 : (tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x64xf32>
  return %r : tensor<16x64xf32>
}
