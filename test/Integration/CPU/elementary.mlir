// exp, erf and tanh as arithmetic: special values, subnormal results, where one formula passes into another, narrow floats.
// RUN: fx-run %s --entry=special --target=cpu --print | FileCheck %s
// CHECK: out0: tensor<12xf32> [1, 1, nan, inf, 0, 2.71828{{[0-9]*}}, inf, 0, 1.40{{[0-9]*}}e-45, {{1.00|9.99}}{{[0-9]*}}e-{{4[01]}}, 3.40{{[0-9]*}}e+38, 1.17{{[0-9]*}}e-38]
// CHECK: out1: tensor<12xf32> [0, -0, nan, 1, -1, 0.8427{{[0-9]*}}, 1, -1, -1, -1, 1, -1]
// CHECK: out2: tensor<12xf32> [0, -0, nan, 1, -1, 0.76159{{[0-9]*}}, 1, -1, -1, -1, 1, -1]
// RUN: fx-run %s --entry=many --inputs=seed:1 --target=cpu --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=many --inputs=seed:1 --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=narrow --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-3 --atol=1e-6
// RUN: fx-translate %s --entry=many --to=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: <{{[0-9]+}} x float>
// LLVM-NOT: @expf
// LLVM-NOT: @erff
// LLVM-NOT: @tanhf

func.func @special() -> (tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) {
  %x = fxgraph.constant dense<[0.0, -0.0, 0x7FC00000, 0x7F800000, 0xFF800000, 1.0, 89.0, -104.0, -103.2, -92.1034, 88.7228, -87.3365]> : tensor<12xf32>
  %0 = fxgraph.exp %x : tensor<12xf32>
  %1 = fxgraph.erf %x : tensor<12xf32>
  %2 = fxgraph.tanh %x : tensor<12xf32>
  return %0, %1, %2 : tensor<12xf32>, tensor<12xf32>, tensor<12xf32>
}
func.func @many(%x: tensor<100001xf32>) -> (tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>) {
  %0 = fxgraph.exp %x : tensor<100001xf32>
  %1 = fxgraph.erf %x : tensor<100001xf32>
  %2 = fxgraph.tanh %x : tensor<100001xf32>
  return %0, %1, %2 : tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>
}
func.func @narrow(%x: tensor<999xf16>) -> (tensor<999xf16>, tensor<999xf16>, tensor<999xf16>) {
  %0 = fxgraph.exp %x : tensor<999xf16>
  %1 = fxgraph.erf %x : tensor<999xf16>
  %2 = fxgraph.tanh %x : tensor<999xf16>
  return %0, %1, %2 : tensor<999xf16>, tensor<999xf16>, tensor<999xf16>
}
