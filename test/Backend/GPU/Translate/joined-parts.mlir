// Large kernels are compiled beside each other and become one text: what a part has for itself (here libdevice's tables and
// function behind sin and cos of f64) gets names of its own, what all declare is there once.
// RUN: fx-translate %s --to=ptx | FileCheck %s
// RUN: %if ptxas %{ fx-translate %s --to=cubin -o %t.cubin %}

// CHECK-COUNT-1: .version
// CHECK: .func {{.*}}__internal_trig_reduction_slowpathd{{$}}
// CHECK: .global {{.*}}__cudart_i2opi_d[144]
// CHECK: .visible .entry k0_sin_softmax
// CHECK: call.uni {{.*}}__internal_trig_reduction_slowpathd,
// CHECK-NOT: .version
// CHECK: .func {{.*}}__internal_trig_reduction_slowpathd_part1{{$}}
// CHECK: .global {{.*}}__cudart_i2opi_d_part1[144]
// CHECK: .visible .entry k1_cos_softmax
// CHECK: call.uni {{.*}}__internal_trig_reduction_slowpathd_part1,
// CHECK-NOT: __internal_trig_reduction_slowpathd,
func.func @main(%a: tensor<512x2048xf64>, %b: tensor<512x1024xf64>) -> (tensor<512x2048xf64>, tensor<512x1024xf64>) {
  %0 = fxgraph.sin %a : tensor<512x2048xf64>
  %1 = fxgraph.softmax %0 dim 1 : (tensor<512x2048xf64>) -> tensor<512x2048xf64>
  %2 = fxgraph.cos %b : tensor<512x1024xf64>
  %3 = fxgraph.softmax %2 dim 1 : (tensor<512x1024xf64>) -> tensor<512x1024xf64>
  return %1, %3 : tensor<512x2048xf64>, tensor<512x1024xf64>
}
