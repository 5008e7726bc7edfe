// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary))' | diff %t.once -
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-fuse-unary{numerics=exact}))' | FileCheck %s --check-prefix=EXACT

!x = tensor<4x4xf32>

// CHECK-LABEL: func.func @relu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "relu" :
// CHECK-NEXT: return %[[R]]
func.func @relu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.relu %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @sigmoid
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "sigmoid" :
// CHECK-NEXT: return %[[R]]
func.func @sigmoid(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.sigmoid %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @tanh
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "tanh" :
// CHECK-NEXT: return %[[R]]
func.func @tanh(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.tanh %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @silu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "silu" :
// CHECK-NEXT: return %[[R]]
func.func @silu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.silu %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @hardswish
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardswish" :
// CHECK-NEXT: return %[[R]]
func.func @hardswish(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.hardswish %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @hardsigmoid
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardsigmoid" :
// CHECK-NEXT: return %[[R]]
func.func @hardsigmoid(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.hardsigmoid %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @leaky_relu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "leaky_relu" scalars [2.500000e-01] :
// CHECK-NEXT: return %[[R]]
func.func @leaky_relu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.leaky_relu %p slope 0.25 : !x
  return %r : !x
}
// CHECK-LABEL: func.func @hardtanh
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardtanh" scalars [-5.000000e-01, 5.000000e-01] :
// CHECK-NEXT: return %[[R]]
func.func @hardtanh(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.clamp %p min -0.5 max 0.5 : !x
  return %r : !x
}
// CHECK-LABEL: func.func @gelu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "gelu" :
// CHECK-NEXT: return %[[R]]
func.func @gelu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.gelu %p : !x
  return %r : !x
}
// CHECK-LABEL: func.func @gelu_by_tanh
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "gelu" algorithm "tanh" :
// CHECK-NEXT: return %[[R]]
func.func @gelu_by_tanh(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %r = fxgraph.gelu %p approximate "tanh" : !x
  return %r : !x
}
// What stands for an activation; not with numerics=exact.
// EXACT-LABEL: func.func @spelled_silu
// EXACT: fxgraph.mul
// EXACT-LABEL: func.func @spelled_silu_left
// CHECK-LABEL: func.func @spelled_silu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "silu" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_silu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %s = fxgraph.sigmoid %p : !x
  %r = fxgraph.mul %p, %s : (!x, !x) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_silu_left
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "silu" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_silu_left(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %s = fxgraph.sigmoid %p : !x
  %r = fxgraph.mul %s, %p : (!x, !x) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_silu_quotient
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "silu" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_silu_quotient(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %one = fxgraph.constant dense<1> : tensor<i64>
  %n = fxgraph.neg %p : !x
  %e = fxgraph.exp %n : !x
  %s = fxgraph.add %e, %one : (!x, tensor<i64>) -> !x
  %r = fxgraph.div %p, %s : (!x, !x) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_hardswish
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardswish" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_hardswish(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %three = fxgraph.constant dense<3> : tensor<i64>
  %six = fxgraph.constant dense<6> : tensor<i64>
  %s = fxgraph.add %p, %three : (!x, tensor<i64>) -> !x
  %u = fxgraph.clamp %s min 0.0 max 6.0 : !x
  %m = fxgraph.mul %p, %u : (!x, !x) -> !x
  %r = fxgraph.div %m, %six : (!x, tensor<i64>) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_hardsigmoid
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardsigmoid" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_hardsigmoid(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %three = fxgraph.constant dense<3> : tensor<i64>
  %six = fxgraph.constant dense<6> : tensor<i64>
  %s = fxgraph.add %p, %three : (!x, tensor<i64>) -> !x
  %u = fxgraph.clamp %s min 0.0 max 6.0 : !x
  %r = fxgraph.div %u, %six : (!x, tensor<i64>) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_hardswish_two_clamps
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardswish" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_hardswish_two_clamps(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %three = fxgraph.constant dense<3> : tensor<i64>
  %six = fxgraph.constant dense<6> : tensor<i64>
  %s = fxgraph.add %p, %three : (!x, tensor<i64>) -> !x
  %l = fxgraph.clamp %s min 0.0 : !x
  %u = fxgraph.clamp %l max 6.0 : !x
  %m = fxgraph.mul %p, %u : (!x, !x) -> !x
  %r = fxgraph.div %m, %six : (!x, tensor<i64>) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_hardsigmoid_two_clamps
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardsigmoid" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_hardsigmoid_two_clamps(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %three = fxgraph.constant dense<3> : tensor<i64>
  %six = fxgraph.constant dense<6> : tensor<i64>
  %s = fxgraph.add %p, %three : (!x, tensor<i64>) -> !x
  %l = fxgraph.clamp %s min 0.0 : !x
  %u = fxgraph.clamp %l max 6.0 : !x
  %r = fxgraph.div %u, %six : (!x, tensor<i64>) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_leaky_relu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "leaky_relu" scalars [2.500000e-01] :
// CHECK-NEXT: return %[[R]]
func.func @spelled_leaky_relu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %zero = fxgraph.constant dense<0> : tensor<i64>
  %slope = fxgraph.constant dense<0.25> : tensor<f64>
  %g = fxgraph.gt %p, %zero : (!x, tensor<i64>) -> tensor<4x4xi1>
  %m = fxgraph.mul %p, %slope : (!x, tensor<f64>) -> !x
  %r = fxgraph.where %g, %p, %m : (tensor<4x4xi1>, !x, !x) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_hardtanh
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "hardtanh" scalars [-1.000000e+00, 1.000000e+00] :
// CHECK-NEXT: return %[[R]]
func.func @spelled_hardtanh(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %l = fxgraph.clamp %p min -1.0 : !x
  %r = fxgraph.clamp %l max 1.0 : !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_gelu
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "gelu" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_gelu(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %half = fxgraph.constant dense<0.5> : tensor<f64>
  %root = fxgraph.constant dense<0.7071067811865476> : tensor<f64>
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %h = fxgraph.mul %p, %half : (!x, tensor<f64>) -> !x
  %m = fxgraph.mul %p, %root : (!x, tensor<f64>) -> !x
  %e = fxgraph.erf %m : !x
  %s = fxgraph.add %e, %one : (!x, tensor<f64>) -> !x
  %r = fxgraph.mul %h, %s : (!x, !x) -> !x
  return %r : !x
}
// CHECK-LABEL: func.func @spelled_gelu_by_tanh
// CHECK-NEXT: %[[R:.+]] = fxgraph.linear_pointwise %arg0, %arg1 activation "gelu" algorithm "tanh" :
// CHECK-NEXT: return %[[R]]
func.func @spelled_gelu_by_tanh(%x: !x, %w: !x) -> !x {
  %p = fxgraph.linear_pointwise %x, %w : (!x, !x) -> !x
  %half = fxgraph.constant dense<0.5> : tensor<f64>
  %f = fxgraph.constant dense<0.044715> : tensor<f64>
  %k = fxgraph.constant dense<0.7978845608028654> : tensor<f64>
  %one = fxgraph.constant dense<1.0> : tensor<f64>
  %h = fxgraph.mul %p, %half : (!x, tensor<f64>) -> !x
  %q = fxgraph.mul %p, %p : (!x, !x) -> !x
  %c = fxgraph.mul %q, %p : (!x, !x) -> !x
  %m = fxgraph.mul %c, %f : (!x, tensor<f64>) -> !x
  %i = fxgraph.add %p, %m : (!x, !x) -> !x
  %a = fxgraph.mul %i, %k : (!x, tensor<f64>) -> !x
  %t = fxgraph.tanh %a : !x
  %s = fxgraph.add %t, %one : (!x, tensor<f64>) -> !x
  %r = fxgraph.mul %h, %s : (!x, !x) -> !x
  return %r : !x
}
// Of 16 bits, widened for the activation, by one op or spelled.
// CHECK-LABEL: func.func @widened
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 activation "tanh" : (tensor<4x4xbf16>
// CHECK-NEXT: fxgraph.linear_pointwise %arg0, %arg1 activation "silu" : (tensor<4x4xbf16>
// CHECK-NEXT: return
func.func @widened(%x: tensor<4x4xbf16>, %w: tensor<4x4xbf16>) -> (tensor<4x4xbf16>, tensor<4x4xbf16>) {
  %p = fxgraph.linear_pointwise %x, %w : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %0 = fxgraph.convert_element_type %p : (tensor<4x4xbf16>) -> !x
  %1 = fxgraph.tanh %0 : !x
  %2 = fxgraph.convert_element_type %1 : (!x) -> tensor<4x4xbf16>
  %q = fxgraph.linear_pointwise %x, %w : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
  %3 = fxgraph.convert_element_type %q : (tensor<4x4xbf16>) -> !x
  %4 = fxgraph.sigmoid %3 : !x
  %5 = fxgraph.mul %3, %4 : (!x, !x) -> !x
  %6 = fxgraph.convert_element_type %5 : (!x) -> tensor<4x4xbf16>
  return %2, %6 : tensor<4x4xbf16>, tensor<4x4xbf16>
}

// A convolution; behind another tensor; a symbol; no rows.
// CHECK-LABEL: func.func @kinds
// CHECK: fxgraph.convolution_pointwise %arg0, %arg1 activation "relu" stride
// CHECK: fxgraph.linear_pointwise %arg2, %arg2 binary "add" with %arg2 activation "relu"
// CHECK: fxgraph.linear_pointwise %arg3, %arg2 activation "relu"
// CHECK: fxgraph.linear_pointwise %arg4, %arg2 activation "relu"
// CHECK-NOT: fxgraph.relu
func.func @kinds(%x: tensor<1x3x8x8xf32>, %w: tensor<4x3x3x3xf32>, %m: !x, %s: tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, %e: tensor<0x4xf32>)
    -> (tensor<1x4x8x8xf32>, !x, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>) {
  %0 = fxgraph.convolution_pointwise %x, %w stride [1, 1] padding [1, 1] dilation [1, 1] output_padding [0, 0] : (tensor<1x3x8x8xf32>, tensor<4x3x3x3xf32>) -> tensor<1x4x8x8xf32>
  %1 = fxgraph.relu %0 : tensor<1x4x8x8xf32>
  %2 = fxgraph.linear_pointwise %m, %m binary "add" with %m : (!x, !x, !x) -> !x
  %3 = fxgraph.relu %2 : !x
  %4 = fxgraph.linear_pointwise %s, %m : (tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, !x) -> tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %5 = fxgraph.relu %4 : tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>
  %6 = fxgraph.linear_pointwise %e, %m : (tensor<0x4xf32>, !x) -> tensor<0x4xf32>
  %7 = fxgraph.relu %6 : tensor<0x4xf32>
  return %1, %3, %5, %7 : tensor<1x4x8x8xf32>, !x, tensor<?x4xf32, #fxgraph.meta<dims = [s0]>>, tensor<0x4xf32>
}
