// RUN: fx-opt %s --fxgraph-postgrad-move-constructors="default-device=cuda" > %t.once
// RUN: FileCheck %s --input-file=%t.once
// RUN: fx-opt %t.once --fxgraph-postgrad-move-constructors="default-device=cuda" | diff %t.once -

!cpu = tensor<4xf32, #fxgraph.meta<device = "cpu">>
!gpu = tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
!number = tensor<f64>

// Two constructors with what is computed from both; the device has a name; numbers are
// anywhere.
// CHECK-LABEL: func.func @both
// CHECK: %[[A:.+]] = fxgraph.full 1.000000e+00 : tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
// CHECK-NEXT: %[[B:.+]] = fxgraph.arange from 0.000000e+00 : tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
// CHECK-NEXT: fxgraph.add %[[A]], %[[B]]
// CHECK-NOT: device = "cpu"
func.func @both(%x: !gpu) -> (!gpu, !gpu) {
  %two = fxgraph.constant dense<2.0> : !number
  %a = fxgraph.full 1.0 : !cpu
  %b = fxgraph.arange from 0.0 : !cpu
  %s = fxgraph.add %a, %b : (!cpu, !cpu) -> !cpu
  %e = fxgraph.mul %s, %two : (!cpu, !number) -> !cpu
  %p = fxgraph.device_put %s : !cpu to !gpu
  %q = fxgraph.device_put %e : !cpu to !gpu
  %r = fxgraph.mul %x, %p : (!gpu, !gpu) -> !gpu
  return %r, %q : !gpu, !gpu
}

// RUN: fx-opt %s --fxgraph-postgrad-move-constructors | FileCheck %s --check-prefix=HOST

!host = tensor<4xf32>

// What names no device is on the host by default.
// HOST-LABEL: func.func @no_name
// HOST-NEXT: fxgraph.full 1.000000e+00 : tensor<4xf32, #fxgraph.meta<device = "cuda:1">>
func.func @no_name(%x: !gpu) -> !gpu {
  %a = fxgraph.full 1.0 : !host
  %p = fxgraph.device_put %a : !host to !gpu
  %r = fxgraph.mul %x, %p : (!gpu, !gpu) -> !gpu
  return %r : !gpu
}
