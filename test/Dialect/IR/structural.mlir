// RUN: fx-opt %s | fx-opt | FileCheck %s
// RUN: fx-opt %s -mlir-print-op-generic | fx-opt | FileCheck %s
//
// Round trip of constants, creation, writes, effects and unknown ops.
// The first op of @<op> is the op's example in docs/Spec.

// CHECK-LABEL: func @constant(
// CHECK: fxgraph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
func.func @constant() -> tensor<2xf32> {
  %r = fxgraph.constant dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>
  return %r : tensor<2xf32>
}

// CHECK-LABEL: func @constant_number(
// CHECK: fxgraph.constant dense<5.000000e-01> : tensor<f64>
func.func @constant_number() -> tensor<f64> {
  %r = fxgraph.constant dense<5.000000e-01> : tensor<f64>
  return %r : tensor<f64>
}

// CHECK-LABEL: func @constant_bool(
// CHECK: fxgraph.constant dense<true> : tensor<3xi1>
func.func @constant_bool() -> tensor<3xi1> {
  %r = fxgraph.constant dense<true> : tensor<3xi1>
  return %r : tensor<3xi1>
}

// CHECK-LABEL: func @full(
// CHECK: fxgraph.full 1.500000e+00 : tensor<2x3xf32>
func.func @full() -> tensor<2x3xf32> {
  %r = fxgraph.full 1.500000e+00 : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @full_dynamic(
// CHECK: fxgraph.full 0.000000e+00 sizes %{{.+}} : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
func.func @full_dynamic(%n: index) -> tensor<?x3xf32, #fxgraph.meta<dims = [s0]>> {
  %r = fxgraph.full 0.000000e+00 sizes %n : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
  return %r : tensor<?x3xf32, #fxgraph.meta<dims = [s0]>>
}

// CHECK-LABEL: func @arange(
// CHECK: fxgraph.arange from 0.000000e+00 : tensor<4xi64>
func.func @arange() -> tensor<4xi64> {
  %r = fxgraph.arange from 0.000000e+00 : tensor<4xi64>
  return %r : tensor<4xi64>
}

// CHECK-LABEL: func @arange_dynamic(
// CHECK: fxgraph.arange size %{{.+}} from 1.000000e+00 step 5.000000e-01 : tensor<?xf32>
func.func @arange_dynamic(%n: index) -> tensor<?xf32> {
  %r = fxgraph.arange size %n from 1.000000e+00 step 5.000000e-01 : tensor<?xf32>
  return %r : tensor<?xf32>
}

// CHECK-LABEL: func @rand(
// CHECK: fxgraph.rand : tensor<2x3xf32>
func.func @rand() -> tensor<2x3xf32> {
  %r = fxgraph.rand : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @randn(
// CHECK: fxgraph.randn sizes %{{.+}} : tensor<?x3xf32>
func.func @randn(%n: index) -> tensor<?x3xf32> {
  %r = fxgraph.randn sizes %n : tensor<?x3xf32>
  return %r : tensor<?x3xf32>
}

// CHECK-LABEL: func @clone(
// CHECK: fxgraph.clone %{{.+}} : tensor<2x3xf32>
func.func @clone(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.clone %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @contiguous(
// CHECK: fxgraph.contiguous %{{.+}} : tensor<2x3xf32>
func.func @contiguous(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %r = fxgraph.contiguous %x : tensor<2x3xf32>
  return %r : tensor<2x3xf32>
}

// CHECK-LABEL: func @copy_(
// CHECK: fxgraph.copy_ %{{.+}} into %{{.+}} : tensor<2x3xf32>, tensor<2x3xf32>
func.func @copy_(%dst: tensor<2x3xf32> {fxgraph.kind = "buffer", fxgraph.name = "running"}, %src: tensor<2x3xf32>) {
  fxgraph.copy_ %src into %dst : tensor<2x3xf32>, tensor<2x3xf32>
  return
}

// CHECK-LABEL: func @sym_size(
// CHECK: fxgraph.sym_size %{{.+}} dim -1 : tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
func.func @sym_size(%x: tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>) -> index {
  %r = fxgraph.sym_size %x dim -1 : tensor<2x?xf32, #fxgraph.meta<dims = [s0]>>
  return %r : index
}

// CHECK-LABEL: func @assert_tensor_metadata(
// CHECK: fxgraph.assert_tensor_metadata %{{.+}} is tensor<2x?xf32> : tensor<2x?xf32>
func.func @assert_tensor_metadata(%x: tensor<2x?xf32>) {
  fxgraph.assert_tensor_metadata %x is tensor<2x?xf32> : tensor<2x?xf32>
  return
}

// CHECK-LABEL: func @assert_scalar(
// CHECK: fxgraph.assert_scalar %{{.+}}, "expected x.shape[0] > 3"
func.func @assert_scalar(%more: i1) {
  fxgraph.assert_scalar %more, "expected x.shape[0] > 3"
  return
}

// CHECK-LABEL: func @opaque(
// CHECK: fxgraph.opaque "aten.foo.default"(%{{.+}}, %{{.+}}) args {args = ["%0", 3, ["%1"]]} : (tensor<2x3xf32>, index) -> (tensor<2xf32>, i64)
func.func @opaque(%x: tensor<2x3xf32>, %n: index) -> (tensor<2xf32>, i64) {
  %r:2 = fxgraph.opaque "aten.foo.default"(%x, %n) args {args = ["%0", 3, ["%1"]]} : (tensor<2x3xf32>, index) -> (tensor<2xf32>, i64)
  return %r#0, %r#1 : tensor<2xf32>, i64
}

// CHECK-LABEL: func @opaque_effects(
// CHECK: fxgraph.opaque "mylib.norm.default"(%{{.+}}) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
// CHECK: fxgraph.opaque "mylib.add_.default"(%{{.+}}) args {args = ["%0"], writes = array<i64: 0>} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
func.func @opaque_effects(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %r = fxgraph.opaque "mylib.norm.default"(%x) args {args = ["%0"]} {effects = "none"} : (tensor<4xf32>) -> tensor<4xf32>
  %s = fxgraph.opaque "mylib.add_.default"(%x) args {args = ["%0"], writes = array<i64: 0>} {effects = "operands"} : (tensor<4xf32>) -> tensor<4xf32>
  return %r, %s : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func @opaque_bare(
// CHECK: fxgraph.opaque "my.op"() : () -> ()
func.func @opaque_bare() {
  fxgraph.opaque "my.op"() : () -> ()
  return
}

// CHECK-LABEL: func @bernoulli(
// CHECK: fxgraph.bernoulli p 2.500000e-01 sizes %{{.+}} : tensor<?x3xi1>
func.func @bernoulli(%n: index) -> tensor<?x3xi1> {
  %r = fxgraph.bernoulli p 0.25 sizes %n : tensor<?x3xi1>
  return %r : tensor<?x3xi1>
}

// CHECK-LABEL: func @randint(
// CHECK: fxgraph.randint from -3 to 9 sizes %{{.+}} : tensor<?x3xi64>
// CHECK: fxgraph.randint to 2 : tensor<3xi64>
func.func @randint(%n: index) -> (tensor<?x3xi64>, tensor<3xi64>) {
  %0 = fxgraph.randint from -3 to 9 sizes %n : tensor<?x3xi64>
  %1 = fxgraph.randint to 2 : tensor<3xi64>
  return %0, %1 : tensor<?x3xi64>, tensor<3xi64>
}

// CHECK-LABEL: func @randperm(
// CHECK: fxgraph.randperm sizes %{{.+}} : tensor<?xi64>
// CHECK: fxgraph.randperm : tensor<5xi64>
func.func @randperm(%n: index) -> (tensor<?xi64>, tensor<5xi64>) {
  %0 = fxgraph.randperm sizes %n : tensor<?xi64>
  %1 = fxgraph.randperm : tensor<5xi64>
  return %0, %1 : tensor<?xi64>, tensor<5xi64>
}

// CHECK-LABEL: func @exponential(
// CHECK: fxgraph.exponential rate 2.000000e+00 sizes %{{.+}} : tensor<?x3xf32>
// CHECK: fxgraph.exponential : tensor<3xbf16>
func.func @exponential(%n: index) -> (tensor<?x3xf32>, tensor<3xbf16>) {
  %0 = fxgraph.exponential rate 2.0 sizes %n : tensor<?x3xf32>
  %1 = fxgraph.exponential : tensor<3xbf16>
  return %0, %1 : tensor<?x3xf32>, tensor<3xbf16>
}

// CHECK-LABEL: func.func @inductor_seed(
// CHECK: fxgraph.inductor_seed : tensor<i64>
func.func @inductor_seed() -> tensor<i64> {
  %0 = fxgraph.inductor_seed : tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: func.func @inductor_seeds(
// CHECK: fxgraph.inductor_seeds : tensor<2xi64>
func.func @inductor_seeds() -> tensor<2xi64> {
  %0 = fxgraph.inductor_seeds : tensor<2xi64>
  return %0 : tensor<2xi64>
}

// CHECK-LABEL: func.func @inductor_lookup_seed(
// CHECK: fxgraph.inductor_lookup_seed %{{.*}} at 1
func.func @inductor_lookup_seed(%seeds: tensor<2xi64>) -> tensor<i64> {
  %0 = fxgraph.inductor_lookup_seed %seeds at 1 : (tensor<2xi64>) -> tensor<i64>
  return %0 : tensor<i64>
}

// CHECK-LABEL: func.func @inductor_random(
// CHECK: fxgraph.inductor_random "rand" seed %{{.*}} : tensor<i64>, tensor<4xf32>
func.func @inductor_random(%seed: tensor<i64>) -> tensor<4xf32> {
  %0 = fxgraph.inductor_random "rand" seed %seed : tensor<i64>, tensor<4xf32>
  return %0 : tensor<4xf32>
}

// CHECK-LABEL: func.func @inductor_randint(
// CHECK: fxgraph.inductor_randint from -2 to 9 seed %{{.+}} sizes %{{.+}} : tensor<i64>, tensor<?x3xi64>
func.func @inductor_randint(%seed: tensor<i64>, %n: index) -> tensor<?x3xi64> {
  %0 = fxgraph.inductor_randint from -2 to 9 seed %seed sizes %n : tensor<i64>, tensor<?x3xi64>
  return %0 : tensor<?x3xi64>
}

// CHECK-LABEL: func.func @device_put
// CHECK: fxgraph.device_put %{{.*}} : tensor<4xf32> to tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
func.func @device_put(%x: tensor<4xf32>) -> tensor<4xf32, #fxgraph.meta<device = "cuda:0">> {
  %0 = fxgraph.device_put %x : tensor<4xf32> to tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
  return %0 : tensor<4xf32, #fxgraph.meta<device = "cuda:0">>
}
