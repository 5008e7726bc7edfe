// RUN: fx-translate %s --to=dot | FileCheck %s
// RUN: fx-translate %s --to=dot -o %t.dot && FileCheck %s < %t.dot
// RUN: not fx-translate %s --to=dot --entry=g 2>&1 | FileCheck %s --check-prefix=ENTRY
// RUN: not fx-translate %s --to=png 2>&1 | FileCheck %s --check-prefix=FORM
// ENTRY: expected a function 'g'
// FORM: expected --to= one of {{.*}}dot {{.*}}but got 'png'

// CHECK: digraph "main" {
// CHECK: n0 [label="x \"quoted\"\ntensor<4x6xf32>", shape=ellipse];
// CHECK: n1 [label="split\n{{.*}}split_size = 3"];
// CHECK: n0 -> n1;
// CHECK: n2 [label="tanh\ntensor<4x3xf32>"];
// CHECK: n1 -> n2 [label="#0"];
// CHECK: n3 [label="opaque aten.foo.default{{.*}}", shape=octagon];
// CHECK: n1 -> n3 [label="#1"];
// CHECK: n4 [label="output", shape=ellipse];
// CHECK: n2 -> n4;
// CHECK: n3 -> n4;
// CHECK: }
func.func @main(%x: tensor<4x6xf32> {fxgraph.name = "x \22quoted\22"}) -> (tensor<4x3xf32>, tensor<4x3xf32>) {
  %0:2 = fxgraph.split %x size 3 dim 1 : (tensor<4x6xf32>) -> (tensor<4x3xf32>, tensor<4x3xf32>)
  %1 = fxgraph.tanh %0#0 : tensor<4x3xf32>
  %2 = fxgraph.opaque "aten.foo.default"(%0#1) : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return %1, %2 : tensor<4x3xf32>, tensor<4x3xf32>
}
