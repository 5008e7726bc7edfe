// RUN: fx-opt %s --split-input-file --verify-diagnostics --fxgraph-postgrad-move-constructors="default-device=cuda" --remarks-filter='fxgraph.*' --remark-format=emitRemark | FileCheck %s

!cpu = tensor<4xf32, #fxgraph.meta<device = "cpu">>
!gpu = tensor<4xf32>

// One is returned; the other is added to it, so that both stay. One that is used alone moves.
// CHECK-LABEL: func.func @returned
// CHECK-COUNT-2: fxgraph.full {{.*}} : tensor<4xf32, #fxgraph.meta<device = "cpu">>
// CHECK: fxgraph.full {{.*}} : tensor<4xf32>{{$}}
func.func @returned(%x: !gpu) -> (!gpu, !gpu, !cpu) {
  // expected-remark@below {{a user needs it on the host}}
  %a = fxgraph.full 1.0 : !cpu
  // expected-remark@below {{a user needs it on the host}}
  %b = fxgraph.full 2.0 : !cpu
  %s = fxgraph.add %a, %b : (!cpu, !cpu) -> !cpu
  %p = fxgraph.device_put %s : !cpu to !gpu
  // expected-remark@below {{move-constructors}}
  %c = fxgraph.full 3.0 : !cpu
  %q = fxgraph.device_put %c : !cpu to !gpu
  return %p, %q, %a : !gpu, !gpu, !cpu
}

// -----

!cpu = tensor<4xf32, #fxgraph.meta<device = "cpu">>
!gpu = tensor<4xf32>

// Mixed with an argument on the host; seen by an unknown op; put to the host; drawn there.
// CHECK-LABEL: func.func @needed
// CHECK-COUNT-3: fxgraph.full {{.*}} : tensor<4xf32, #fxgraph.meta<device = "cpu">>
// CHECK: fxgraph.rand : tensor<4xf32, #fxgraph.meta<device = "cpu">>
func.func @needed(%x: !gpu, %h: !cpu) -> (!gpu, !cpu, !cpu, !gpu) {
  // expected-remark@below {{a user needs it on the host}}
  %a = fxgraph.full 1.0 : !cpu
  %s = fxgraph.add %a, %h : (!cpu, !cpu) -> !cpu
  %p = fxgraph.device_put %s : !cpu to !gpu
  // expected-remark@below {{a user needs it on the host}}
  %b = fxgraph.full 2.0 : !cpu
  %o = fxgraph.opaque "custom.op.default"(%b) : (!cpu) -> !cpu
  // expected-remark@below {{a user needs it on the host}}
  %c = fxgraph.full 3.0 : !cpu
  %q = fxgraph.device_put %c : !cpu to !cpu
  %d = fxgraph.rand : !cpu
  %t = fxgraph.device_put %d : !cpu to !gpu
  return %p, %o, %q, %t : !gpu, !cpu, !cpu, !gpu
}

// -----

!cpu = tensor<4xf32, #fxgraph.meta<device = "cpu">>

// Two devices: to which?
// CHECK-LABEL: func.func @two_devices
// CHECK: fxgraph.full {{.*}} : tensor<4xf32, #fxgraph.meta<device = "cpu">>
func.func @two_devices(%x: tensor<4xf32>, %y: tensor<4xf32, #fxgraph.meta<device = "cuda:1">>) -> tensor<4xf32> {
  %a = fxgraph.full 1.0 : !cpu
  %p = fxgraph.device_put %a : !cpu to tensor<4xf32>
  return %p : tensor<4xf32>
}

// -----

!cpu = tensor<4xf32, #fxgraph.meta<device = "cpu">>

// CHECK-LABEL: func.func @no_device
// CHECK: fxgraph.full {{.*}} : tensor<4xf32, #fxgraph.meta<device = "cpu">>
func.func @no_device(%x: !cpu) -> !cpu {
  %a = fxgraph.full 1.0 : !cpu
  %r = fxgraph.add %a, %x : (!cpu, !cpu) -> !cpu
  return %r : !cpu
}
