// Elementary functions as arithmetic: special values, subnormal results, where one formula passes into another, narrow floats.
// RUN: fx-run %s --entry=special --target=cpu --print | FileCheck %s
// CHECK: out0: tensor<12xf32> [1, 1, nan, inf, 0, 2.71828{{[0-9]*}}, inf, 0, 1.40{{[0-9]*}}e-45, {{1.00|9.99}}{{[0-9]*}}e-{{4[01]}}, 3.40{{[0-9]*}}e+38, 1.17{{[0-9]*}}e-38]
// CHECK: out1: tensor<12xf32> [0, -0, nan, 1, -1, 0.8427{{[0-9]*}}, 1, -1, -1, -1, 1, -1]
// CHECK: out2: tensor<12xf32> [0, -0, nan, 1, -1, 0.76159{{[0-9]*}}, 1, -1, -1, -1, 1, -1]
// RUN: fx-run %s --entry=many --inputs=seed:1 --target=cpu --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=many --inputs=seed:1 --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=narrow --inputs=seed:1 --target=cpu --compare-target=ref --rtol=1e-3 --atol=1e-6
// Logarithms, powers and sines: also where ranges are reduced, of infinities, zeros of both signs and numbers below 0.
// RUN: fx-run %s --entry=special_others --target=cpu --compare-target=ref --rtol=2e-7 --atol=0
// RUN: fx-run %s --entry=special_others --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=2e-7 --atol=0
// RUN: fx-run %s --entry=special_others --target=cpu --print | FileCheck %s --check-prefix=OTHERS
// OTHERS: out0: tensor<20xf32> [-inf, -inf, nan, inf, nan, 0, nan, 0.693147{{[0-9]*}}, -103.278{{[0-9]*}}, -87.3365{{[0-9]*}},
// OTHERS: out3: tensor<20xf32> [0, -0, nan, inf, nan, 0.693147{{[0-9]*}}, -inf, 1.0986{{[0-9]*}}, 1.40{{[0-9]*}}e-45,
// OTHERS: out4: tensor<20xf32> [0, -0, nan, inf, -1, 1.71828{{[0-9]*}}, -0.63212{{[0-9]*}},
// OTHERS: out6: tensor<20xf32> [0, -0, nan, 1.57079{{[0-9]*}}, -1.57079{{[0-9]*}}, 0.785398{{[0-9]*}}, -0.785398{{[0-9]*}},
// OTHERS: out7: tensor<20xf32> [0, -0, nan, nan, nan, 0.84147{{[0-9]*}}, -0.84147{{[0-9]*}},
// RUN: fx-run %s --entry=powers --target=cpu --compare-target=ref --rtol=2e-7 --atol=0
// RUN: fx-run %s --entry=powers --target=cpu --print | FileCheck %s --check-prefix=POWERS
// POWERS: out0: tensor<24xf32> [1, 1, 1, 1, 1, 1, nan, -8, 4, inf, -inf, inf, 0, -0, 0, inf, 0, 0, inf, -inf, inf, -0, nan, nan]
// RUN: fx-run %s --entry=many_others --inputs=seed:1 --target=cpu --compare-target=ref --rtol=2e-7 --atol=1e-45
// Inverse and hyperbolic functions, what is left of 1 by erf, angles and remainders.
// RUN: fx-run %s --entry=special_inverse --target=cpu --compare-target=ref --rtol=3e-7 --atol=0
// RUN: fx-run %s --entry=special_inverse --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-7 --atol=0
// RUN: fx-run %s --entry=special_inverse --target=cpu --print | FileCheck %s --check-prefix=INVERSE
// INVERSE: out0: tensor<24xf32> [0, -0, nan, nan, nan, 1.57079{{[0-9]*}}, -1.57079{{[0-9]*}}, nan, 0.523598{{[0-9]*}},
// INVERSE: out1: tensor<24xf32> [1.57079{{[0-9]*}}, 1.57079{{[0-9]*}}, nan, nan, nan, 0, 3.14159{{[0-9]*}}, nan,
// INVERSE: out2: tensor<24xf32> [0, -0, nan, inf, -inf, 1.1752{{[0-9]*}}, -1.1752{{[0-9]*}},
// INVERSE: out3: tensor<24xf32> [1, 1, nan, inf, inf, 1.54308{{[0-9]*}}, 1.54308{{[0-9]*}},
// INVERSE: out4: tensor<24xf32> [0, -0, nan, inf, -inf, 0.881373{{[0-9]*}}, -0.881373{{[0-9]*}},
// INVERSE: out5: tensor<24xf32> [nan, nan, nan, inf, nan, 0, nan, 1.31695{{[0-9]*}},
// INVERSE: out6: tensor<24xf32> [0, -0, nan, nan, nan, inf, -inf, nan, 0.549306{{[0-9]*}},
// INVERSE: out7: tensor<24xf32> [0, -0, nan, nan, nan, 1.55740{{[0-9]*}}, -1.55740{{[0-9]*}},
// INVERSE: out8: tensor<24xf32> [1, 1, nan, 0, 2, 0.157299{{[0-9]*}}, 1.842700{{[0-9]*}},
// RUN: fx-run %s --entry=angles --target=cpu --compare-target=ref --rtol=2e-7 --atol=0
// RUN: fx-run %s --entry=angles --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=2e-7 --atol=0
// RUN: fx-run %s --entry=angles --target=cpu --print | FileCheck %s --check-prefix=ANGLES
// ANGLES: out0: tensor<22xf32> [0, -0, 3.14159{{[0-9]*}}, -3.14159{{[0-9]*}}, 0.785398{{[0-9]*}}, 2.35619{{[0-9]*}}, 0, -0, 3.14159{{[0-9]*}}, 1.57079{{[0-9]*}}, nan, nan,
// ANGLES: out1: tensor<22xf32> [nan, nan, nan, nan, nan, nan, 1, -1, 1, nan, nan, nan, nan, 0.5, -1.5, 1, 0, 1.40{{[0-9]*}}e-45, 0, -0, 1, 0]
// ANGLES: out2: tensor<22xf32> [nan, nan, nan, nan, nan, nan, 1, inf, -inf, nan, nan, nan, nan, 0.5, 0.5, -2, 0, 1.40{{[0-9]*}}e-45, 0, -0, 1, 0]
// RUN: fx-run %s --entry=many_inverse --inputs=seed:1 --target=cpu --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=many_inverse --inputs=seed:1 --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-7 --atol=1e-45
// RUN: fx-run %s --entry=remainders --inputs=seed:1 --target=cpu --compare-target=ref --rtol=0 --atol=0
// RUN: fx-translate %s --entry=many_inverse --to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: fx-translate %s --entry=remainders --to=llvm | FileCheck %s --check-prefix=LLVM
// The exponential of f64.
// RUN: fx-run %s --entry=special_wide --target=cpu --print | FileCheck %s --check-prefix=EXP64
// EXP64: out0: tensor<16xf64> [1, 1, nan, inf, 0, 2.71828{{[0-9]*}}, inf, 0, 4.940{{[0-9]*}}e-324, 4.940{{[0-9]*}}e-324, 1.79769{{[0-9]*}}e+308, 2.2{{[0-9]*}}e-308, inf, 0, 1, inf]
// RUN: fx-run %s --entry=special_wide --target=cpu --compare-target=ref --rtol=3e-16 --atol=0
// RUN: fx-run %s --entry=special_wide --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-16 --atol=0
// RUN: fx-run %s --entry=many_wide --inputs=seed:1 --target=cpu --compare-target=ref --rtol=3e-16 --atol=5e-324
// RUN: fx-run %s --entry=many_wide --inputs=seed:2 --target=cpu --target-option=cpu=generic --compare-target=ref --rtol=3e-16 --atol=5e-324
// RUN: fx-translate %s --entry=many_wide --to=llvm | FileCheck %s --check-prefix=MANYWIDE
// MANYWIDE: <{{[0-9]+}} x double>
// MANYWIDE-NOT: {{@exp\(}}
// The others of f64 are libm's.
// RUN: fx-translate %s --entry=wide --to=llvm | FileCheck %s --check-prefix=WIDE
// WIDE-DAG: @{{(llvm.)?}}asin{{(.f64)?}}(
// WIDE-DAG: frem double
// RUN: fx-translate %s --entry=many_others --to=llvm | FileCheck %s --check-prefix=LLVM
// RUN: fx-translate %s --entry=many --to=llvm | FileCheck %s --check-prefix=LLVM
// LLVM: <{{[0-9]+}} x float>
// LLVM-NOT: {{@(exp|expm1|exp2|erf|tanh|log|log1p|sin|cos|pow|atan|tan|asin|acos|sinh|cosh|asinh|acosh|atanh|erfc|atan2|fmod)f?\(}}
// LLVM-NOT: frem

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

func.func @special_others() -> (tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>,
                                tensor<20xf32>, tensor<20xf32>) {
  %x = fxgraph.constant dense<[0.0, -0.0, 0x7FC00000, 0x7F800000, 0xFF800000, 1.0, -1.0, 2.0, 1.4e-45, 1.17549e-38, 5.9e-8, -6.0e-8, 3.4e38, -3.4e38, 1.0e22,
                              16367173.0, 0.41421357, 2.4142137, -103.5, 88.72]> : tensor<20xf32>
  %0 = fxgraph.log %x : tensor<20xf32>
  %1 = fxgraph.log2 %x : tensor<20xf32>
  %2 = fxgraph.log10 %x : tensor<20xf32>
  %3 = fxgraph.log1p %x : tensor<20xf32>
  %4 = fxgraph.expm1 %x : tensor<20xf32>
  %5 = fxgraph.exp2 %x : tensor<20xf32>
  %6 = fxgraph.atan %x : tensor<20xf32>
  %7 = fxgraph.sin %x : tensor<20xf32>
  %8 = fxgraph.cos %x : tensor<20xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>, tensor<20xf32>,
                                              tensor<20xf32>, tensor<20xf32>
}
func.func @powers() -> tensor<24xf32> {
  %x = fxgraph.constant dense<[0x7FC00000, 0.0, 0xFF800000, 1.0, 1.0, -1.0, -2.0, -2.0, -2.0, 0.0, -0.0, -0.0, 0.0, -0.0, -0.0, 0x7F800000, 0x7F800000, 0.5, 0.5,
                              0xFF800000, 0xFF800000, 0xFF800000, 0x7FC00000, 2.0]> : tensor<24xf32>
  %y = fxgraph.constant dense<[0.0, 0.0, 0.0, 0x7FC00000, 0x7F800000, 0xFF800000, 0.5, 3.0, 2.0, -1.0, -1.0, -2.0, 3.0, 3.0, 2.0, 0.1, -0.1, 0x7F800000, 0xFF800000,
                              3.0, 0.5, -3.0, 1.0, 0x7FC00000]> : tensor<24xf32>
  %0 = fxgraph.pow %x, %y : (tensor<24xf32>, tensor<24xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}
func.func @many_others(%x: tensor<100001xf32>, %y: tensor<100001xf32>) -> (tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>,
    tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>) {
  %0 = fxgraph.log %x : tensor<100001xf32>
  %1 = fxgraph.log1p %x : tensor<100001xf32>
  %2 = fxgraph.expm1 %x : tensor<100001xf32>
  %3 = fxgraph.exp2 %x : tensor<100001xf32>
  %4 = fxgraph.atan %x : tensor<100001xf32>
  %5 = fxgraph.sin %x : tensor<100001xf32>
  %6 = fxgraph.cos %x : tensor<100001xf32>
  %7 = fxgraph.pow %x, %y : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>,
                                          tensor<100001xf32>, tensor<100001xf32>
}

func.func @special_inverse() -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) {
  %x = fxgraph.constant dense<[0.0, -0.0, 0x7FC00000, 0x7F800000, 0xFF800000, 1.0, -1.0, 2.0, 0.5, -0.5, 0.50000006, 1.4e-45, -1.4e-45, 1.17549e-38, 2.4e-4, 2.5e-4,
                              3.4e38, -3.4e38, 89.4, -89.4, 10.05, 10.06, 0.9999999, -0.9999999]> : tensor<24xf32>
  %0 = fxgraph.asin %x : tensor<24xf32>
  %1 = fxgraph.acos %x : tensor<24xf32>
  %2 = fxgraph.sinh %x : tensor<24xf32>
  %3 = fxgraph.cosh %x : tensor<24xf32>
  %4 = fxgraph.asinh %x : tensor<24xf32>
  %5 = fxgraph.acosh %x : tensor<24xf32>
  %6 = fxgraph.atanh %x : tensor<24xf32>
  %7 = fxgraph.tan %x : tensor<24xf32>
  %8 = fxgraph.erfc %x : tensor<24xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8 : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>
}
func.func @angles() -> (tensor<22xf32>, tensor<22xf32>, tensor<22xf32>) {
  %y = fxgraph.constant dense<[0.0, -0.0, 0.0, -0.0, 0x7F800000, 0x7F800000, 1.0, -1.0, 1.0, 0x7F800000, 0x7FC00000, 1.0, 0x7F800000, 5.5, -5.5, 7.0, 3.4e38, 1.4e-45, 3.0, -3.0, 3.4e38, 1.0e30]> : tensor<22xf32>
  %x = fxgraph.constant dense<[0.0, 0.0, -0.0, -0.0, 0x7F800000, 0xFF800000, 0x7F800000, 0x7F800000, 0xFF800000, 1.0, 1.0, 0x7FC00000, 0.0, 1.0, 2.0, -3.0, 1.4e-45, 3.4e38, -3.0, 3.0, 7.0, 1.1754944e-38]> : tensor<22xf32>
  %0 = fxgraph.atan2 %y, %x : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xf32>
  %1 = fxgraph.fmod %y, %x : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xf32>
  %2 = fxgraph.remainder %y, %x : (tensor<22xf32>, tensor<22xf32>) -> tensor<22xf32>
  return %0, %1, %2 : tensor<22xf32>, tensor<22xf32>, tensor<22xf32>
}
func.func @many_inverse(%x: tensor<100001xf32>, %y: tensor<100001xf32>) -> (tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>) {
  %0 = fxgraph.asin %x : tensor<100001xf32>
  %1 = fxgraph.acos %x : tensor<100001xf32>
  %2 = fxgraph.sinh %x : tensor<100001xf32>
  %3 = fxgraph.cosh %x : tensor<100001xf32>
  %4 = fxgraph.asinh %x : tensor<100001xf32>
  %5 = fxgraph.acosh %x : tensor<100001xf32>
  %6 = fxgraph.atanh %x : tensor<100001xf32>
  %7 = fxgraph.tan %x : tensor<100001xf32>
  %8 = fxgraph.erfc %x : tensor<100001xf32>
  %9 = fxgraph.atan2 %y, %x : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>
}
func.func @remainders(%x: tensor<100001xf32>, %y: tensor<100001xf32>) -> (tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>) {
  %0 = fxgraph.fmod %x, %y : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  %1 = fxgraph.remainder %x, %y : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  // Long quotients.
  %2 = fxgraph.mul %x, %x : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  %3 = fxgraph.mul %2, %2 : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  %4 = fxgraph.div %y, %3 : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  %5 = fxgraph.mul %4, %4 : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  %6 = fxgraph.fmod %5, %3 : (tensor<100001xf32>, tensor<100001xf32>) -> tensor<100001xf32>
  return %0, %1, %6 : tensor<100001xf32>, tensor<100001xf32>, tensor<100001xf32>
}
func.func @special_wide() -> tensor<16xf64> {
  %x = fxgraph.constant dense<[0.0, -0.0, 0x7FF8000000000000, 0x7FF0000000000000, 0xFFF0000000000000, 1.0, 710.0, -746.0, -745.13, -744.5, 709.782712893384, -708.39, 1.0e300, -1.0e300, 4.9406564584124654e-324, 709.7827128933841]> : tensor<16xf64>
  %0 = fxgraph.exp %x : tensor<16xf64>
  return %0 : tensor<16xf64>
}
func.func @many_wide(%x: tensor<100001xf64>) -> (tensor<100001xf64>, tensor<100001xf64>) {
  %0 = fxgraph.exp %x : tensor<100001xf64>
  %scale = fxgraph.constant dense<160.0> : tensor<f64>
  %1 = fxgraph.mul %x, %scale : (tensor<100001xf64>, tensor<f64>) -> tensor<100001xf64>
  %2 = fxgraph.exp %1 : tensor<100001xf64>
  return %0, %2 : tensor<100001xf64>, tensor<100001xf64>
}
func.func @wide(%x: tensor<9xf64>, %y: tensor<9xf64>) -> (tensor<9xf64>, tensor<9xf64>) {
  %0 = fxgraph.asin %x : tensor<9xf64>
  %1 = fxgraph.fmod %x, %y : (tensor<9xf64>, tensor<9xf64>) -> tensor<9xf64>
  return %0, %1 : tensor<9xf64>, tensor<9xf64>
}
