// The runtime draws, in the order of the ops, also what nobody uses: kind, address, count, dtype, parameter.
// RUN: fx-opt %s --fxgraph-to-linalg --canonicalize | FileCheck %s

// CHECK-DAG: func.func private @fxcpu_random(i64, i64, i64, i64, f64) -> i64
// CHECK-DAG: func.func private @fxcpu_random_integers(i64, i64, i64, i64) -> i64
// CHECK-LABEL: func.func @draws
// CHECK-DAG: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f64
// CHECK-DAG: %[[RATE:.*]] = arith.constant 2.500000e+00 : f64
// CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f64
// CHECK-DAG: %[[KEEP:.*]] = arith.constant 7.500000e-01 : f64
// CHECK: call @fxcpu_random(%c0_i64, %{{.*}}, %c12_i64, %c1_i64, %[[ZERO]])
// CHECK: call @fxcpu_random(%c1_i64, %{{.*}}, %{{.*}}, %c4_i64, %[[ZERO]])
// CHECK: call @fxcpu_random(%c2_i64, %{{.*}}, %c5_i64, %c2_i64, %[[RATE]])
// CHECK: call @fxcpu_random(%c3_i64, %{{.*}}, %c12_i64, %c10_i64, %[[KEEP]])
// CHECK: call @fxcpu_random(%c3_i64, %{{.*}}, %c6_i64, %c10_i64, %[[HALF]])
// CHECK: call @fxcpu_random_integers(%{{.*}}, %c6_i64, %c-5_i64, %c7_i64)
// CHECK: call @fxcpu_random(%c4_i64, %{{.*}}, %{{.*}}, %{{.*}}, %[[ZERO]])
// CHECK-NOT: call
func.func @draws(%x: tensor<3x4xf32>, %n: index) -> (tensor<3x4xf32>, tensor<?xbf16>, tensor<3x4xf32>) {
  %0 = fxgraph.rand : tensor<3x4xf32>
  %1 = fxgraph.randn sizes %n : tensor<?xbf16>
  %2 = fxgraph.exponential rate 2.5 : tensor<5xf64>
  %3 = fxgraph.dropout %x p 0.25 training true : tensor<3x4xf32>
  %4 = fxgraph.bernoulli p 0.5 : tensor<2x3xi1>
  %5 = fxgraph.randint from -5 to 7 : tensor<6xi64>
  %6 = fxgraph.randperm sizes %n : tensor<?xi64>
  return %0, %1, %3 : tensor<3x4xf32>, tensor<?xbf16>, tensor<3x4xf32>
}

// The twins draw nothing.
// CHECK-LABEL: func.func @no_draws
// CHECK-NOT: call
func.func @no_draws(%x: tensor<3x4xf32>) -> (tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>) {
  %0 = fxgraph.dropout %x p 0.25 training false : tensor<3x4xf32>
  %1 = fxgraph.dropout %x p 0.0 training true : tensor<3x4xf32>
  %2 = fxgraph.dropout %x p 1.0 training true : tensor<3x4xf32>
  return %0, %1, %2 : tensor<3x4xf32>, tensor<3x4xf32>, tensor<3x4xf32>
}
