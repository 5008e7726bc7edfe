// What the cost model says. Not verified: the products are large.
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda}))' --remarks-filter='fxgraph.*' --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK < %t
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda shape-padding-multiplier=3}))' | FileCheck %s --check-prefix=NEVER
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda unaligned-rate=1}))' | FileCheck %s --check-prefix=NEVER
// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-matmul-pad-mm{default-device=cuda before-hopper=true k-threshold-to-pad=8000}))' | FileCheck %s --check-prefix=OLD

// NEVER-NOT: constant_pad_nd

// A large square product.
// CHECK-LABEL: func.func @square
// CHECK: constant_pad_nd
func.func @square(%a: tensor<8191x8191xf16>) -> tensor<8191x8191xf16> {
  %0 = fxgraph.mm %a, %a : (tensor<8191x8191xf16>, tensor<8191x8191xf16>) -> tensor<8191x8191xf16>
  return %0 : tensor<8191x8191xf16>
}

// A few rows.
// CHECK-LABEL: func.func @memory_bound
// CHECK-NOT: constant_pad_nd
// REMARK-DAG: [[@LINE+2]]:8: remark: [Missed] pad-mm {{.*}}Remark="memory bounds the product, not arithmetic"
func.func @memory_bound(%a: tensor<31x8191xf16>, %b: tensor<8191x8191xf16>) -> tensor<31x8191xf16> {
  %0 = fxgraph.mm %a, %b : (tensor<31x8191xf16>, tensor<8191x8191xf16>) -> tensor<31x8191xf16>
  return %0 : tensor<31x8191xf16>
}

// The copies of arguments cost more than the product; made by elementwise ops they cost nothing.
// CHECK-LABEL: func.func @copies
// CHECK-NOT: constant_pad_nd
// CHECK-LABEL: func.func @made
// CHECK: constant_pad_nd
// REMARK-DAG: [[@LINE+2]]:8: remark: [Missed] pad-mm {{.*}}Remark="padding costs more than it gains"
func.func @copies(%a: tensor<401x8191xf16>, %b: tensor<8191x511xf16>) -> tensor<401x511xf16> {
  %0 = fxgraph.mm %a, %b : (tensor<401x8191xf16>, tensor<8191x511xf16>) -> tensor<401x511xf16>
  return %0 : tensor<401x511xf16>
}
func.func @made(%a: tensor<401x8191xf16>, %b: tensor<8191x511xf16>) -> tensor<401x511xf16> {
  %c = fxgraph.relu %a : tensor<401x8191xf16>
  %d = fxgraph.relu %b : tensor<8191x511xf16>
  %0 = fxgraph.mm %c, %d : (tensor<401x8191xf16>, tensor<8191x511xf16>) -> tensor<401x511xf16>
  return %0 : tensor<401x511xf16>
}

// Inductor's rule for bf16 on older GPUs: an odd number of columns, and a sum from the threshold on.
// CHECK-LABEL: func.func @long_sum
// CHECK-NOT: constant_pad_nd
// OLD-LABEL: func.func @long_sum
// OLD: fxgraph.mm {{.*}} (tensor<16x8192xbf16>, tensor<8192x24xbf16>)
// REMARK-DAG: [[@LINE+2]]:8: remark: [Missed] pad-mm {{.*}}Remark="memory bounds the product, not arithmetic"
func.func @long_sum(%a: tensor<16x8191xbf16>, %b: tensor<8191x17xbf16>) -> tensor<16x17xbf16> {
  %0 = fxgraph.mm %a, %b : (tensor<16x8191xbf16>, tensor<8191x17xbf16>) -> tensor<16x17xbf16>
  return %0 : tensor<16x17xbf16>
}
