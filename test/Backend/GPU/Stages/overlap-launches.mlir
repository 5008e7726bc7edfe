// A kernel that directly follows another is launched while that one ends, and waits for its end first.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=main libraries=none" -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// CHECK: gpu.func @[[FIRST:k0[a-z_]*]](
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: gpu.func @[[SECOND:k1[a-z_]*]](
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NEXT: nvvm.griddepcontrol launch_dependents
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: gpu.func @[[THIRD:k2[a-z_]*]](
// CHECK-NEXT: nvvm.griddepcontrol wait
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: gpu.launch_func
// CHECK-SAME: @kernels::@[[FIRST]]
// CHECK-NOT: fxgraph.programmatic
// CHECK: gpu.launch_func
// CHECK-SAME: @kernels::@[[SECOND]]
// CHECK-SAME: {fxgraph.programmatic}
// CHECK: gpu.launch_func
// CHECK-SAME: @kernels::@[[THIRD]]
// CHECK-SAME: {fxgraph.programmatic}

// Once is enough.
// RUN: fx-opt %t.mlir --fxgraph-overlap-launches -o %t.again
// RUN: diff %t.mlir %t.again

// The launch plan says so, and the instructions come before all reads, also where LLVM has moved these.
// RUN: fx-translate %t.mlir --to=plan | FileCheck %s --check-prefix=PLAN
// PLAN-COUNT-2: "programmatic": true
// PLAN-NOT: programmatic
// RUN: awk '/griddepcontrol *wait/ { kept = $0 "\n"; next } /gpu.return/ { printf "%%s", kept; kept = "" } { print }' %t.mlir > %t.late.mlir
// RUN: fx-translate %t.mlir --to=ptx -o %t.ptx
// RUN: fx-translate %t.late.mlir --to=ptx -o %t.late.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: FileCheck %s --input-file=%t.late.ptx --check-prefix=PTX
// PTX: .entry k0
// PTX-NOT: griddepcontrol.wait
// PTX-NOT: {{ld|st}}.global
// PTX: griddepcontrol.launch_dependents
// PTX: .entry k1
// PTX-NOT: {{ld|st}}.global
// PTX: griddepcontrol.wait
// PTX: griddepcontrol.launch_dependents
// PTX: ld.global
// PTX-NOT: griddepcontrol
// PTX: .entry k2
// PTX-NOT: {{ld|st}}.global
// PTX: griddepcontrol.wait
// PTX: ld.global
// PTX-NOT: griddepcontrol

// Blocks that take a multiprocessor are called when the ones before them end.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=odd libraries=none" | FileCheck %s --check-prefix=ODD
// ODD: gpu.func @k0_mm_pack(
// ODD-NOT: gpu.return
// ODD: nvvm.griddepcontrol launch_dependents
// ODD-NEXT: gpu.return
// ODD: gpu.func @k0_mm(
// ODD-NEXT: nvvm.griddepcontrol wait

// Not on chips before Hopper, not where one asks for it, not alone, and not beside what is no kernel of ours.
// RUN: fx-opt %s --fxgraph-to-gpu="entry=main libraries=none chip=sm_80" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=main libraries=none overlap-launches=false" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=one libraries=none" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=around libraries=always" | FileCheck %s --check-prefix=NONE
// RUN: fx-opt %s --fxgraph-to-gpu="entry=branch libraries=none" | FileCheck %s --check-prefix=NONE
// NONE: gpu.func
// NONE-NOT: griddepcontrol
// NONE-NOT: fxgraph.programmatic

// RUN: fx-run %s --entry=main --inputs=seed:3 --target=gpu-emulator --target-option=libraries=none --compare-target=ref --rtol=1e-5 --atol=1e-9

func.func @main(%x: tensor<2x300007xf32>) -> tensor<2x300007xf32> {
  %0 = fxgraph.softmax %x dim 1 : (tensor<2x300007xf32>) -> tensor<2x300007xf32>
  return %0 : tensor<2x300007xf32>
}

func.func @one(%x: tensor<12x34xf32>) -> tensor<12x34xf32> {
  %0 = fxgraph.exp %x : tensor<12x34xf32>
  return %0 : tensor<12x34xf32>
}

func.func @around(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>) -> tensor<512x512xf32> {
  %0 = fxgraph.exp %x : tensor<512x512xf32>
  %1 = fxgraph.mm %0, %y : (tensor<512x512xf32>, tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = fxgraph.tanh %1 : tensor<512x512xf32>
  return %2 : tensor<512x512xf32>
}

func.func @branch(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %0 = fxgraph.exp %x : tensor<4xf32>
  %1 = fxgraph.cond %p (%0) then {
  ^bb0(%a: tensor<4xf32>):
    %2 = fxgraph.tanh %a : tensor<4xf32>
    fxgraph.yield %2 : tensor<4xf32>
  } else {
  ^bb0(%a: tensor<4xf32>):
    %2 = fxgraph.sin %a : tensor<4xf32>
    fxgraph.yield %2 : tensor<4xf32>
  } : (tensor<i1>, tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

func.func @odd(%a: tensor<299x1501xbf16>, %b: tensor<1501x499xbf16>) -> tensor<299x499xbf16> {
  %0 = fxgraph.mm %a, %b : (tensor<299x1501xbf16>, tensor<1501x499xbf16>) -> tensor<299x499xbf16>
  return %0 : tensor<299x499xbf16>
}
