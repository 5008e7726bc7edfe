// A grid of processes in one: each rank runs the function, groups meet at collectives.

// RUN: rm -rf %t && mkdir -p %t
// RUN: %python %S/Inputs/grid-inputs.py %t
// RUN: fx-run %s --ranks=2 --inputs=%t/x.npz --print | FileCheck %s
// The arguments of rank 0 are [1, 2, 3, 4], those of rank 1 [10, 20, 30, nan]; n is [3, -4] on both.
// CHECK: rank0/out0: tensor<4xf32> [11, 22, 33, nan]
// CHECK-NEXT: rank0/out1: tensor<2xf32> [5.5, 11]
// CHECK-NEXT: rank0/out2: tensor<8xf32> [1, 2, 3, 4, 10, 20, 30, nan]
// CHECK-NEXT: rank0/out3: tensor<4xf32> [10, 20, 30, nan]
// CHECK-NEXT: rank0/out4: tensor<2xi64> [9, 16]
// CHECK-NEXT: rank1/out0: tensor<4xf32> [11, 22, 33, nan]
// CHECK-NEXT: rank1/out1: tensor<2xf32> [16.5, nan]
// CHECK-NEXT: rank1/out2: tensor<8xf32> [1, 2, 3, 4, 10, 20, 30, nan]
// CHECK-NEXT: rank1/out3: tensor<4xf32> [10, 20, 30, nan]
// CHECK-NEXT: rank1/out4: tensor<2xi64> [9, 16]
func.func @main(%x: tensor<4xf32> {fxgraph.name = "x"}, %n: tensor<2xi64> {fxgraph.name = "n"})
    -> (tensor<4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<4xf32>, tensor<2xi64>) {
  %0 = fxgraph.all_reduce %x op "sum" group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4xf32>) -> tensor<4xf32>
  %2 = fxgraph.reduce_scatter_tensor %x op "avg" group "g" of 2 : (tensor<4xf32>) -> tensor<2xf32>
  %3 = fxgraph.wait_tensor %2 : (tensor<2xf32>) -> tensor<2xf32>
  %4 = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4xf32>) -> tensor<8xf32>
  %5 = fxgraph.wait_tensor %4 : (tensor<8xf32>) -> tensor<8xf32>
  %6:2 = fxgraph.all_reduce_coalesced (%x, %x) op "max" group "g" : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %7 = fxgraph.wait_tensor %6#1 : (tensor<4xf32>) -> tensor<4xf32>
  %8 = fxgraph.all_reduce %n op "product" group "g" : (tensor<2xi64>) -> tensor<2xi64>
  %9 = fxgraph.wait_tensor %8 : (tensor<2xi64>) -> tensor<2xi64>
  return %1, %3, %5, %7, %9 : tensor<4xf32>, tensor<2xf32>, tensor<8xf32>, tensor<4xf32>, tensor<2xi64>
}

// RUN: fx-run %s --entry=others --ranks=2 --inputs=%t/x.npz --print | FileCheck %s --check-prefix=OTHERS
// OTHERS: rank0/out0: tensor<4xf32> [10, 20, 30, nan]
// OTHERS-NEXT: rank0/out1: tensor<4xf32> [1, 2, 10, 20]
// OTHERS-NEXT: rank0/out2: tensor<8xf32> [1, 2, 3, 4, 10, 20, 30, nan]
// OTHERS-NEXT: rank0/out3: tensor<4xi64> [3, -4, 3, -4]
// OTHERS-NEXT: rank0/out4: tensor<2xf32> [11, 22]
// OTHERS-NEXT: rank0/out5: tensor<1xi64> [6]
// OTHERS-NEXT: rank1/out0: tensor<4xf32> [10, 20, 30, nan]
// OTHERS-NEXT: rank1/out1: tensor<4xf32> [3, 4, 30, nan]
// OTHERS: rank1/out4: tensor<2xf32> [33, nan]
// OTHERS-NEXT: rank1/out5: tensor<1xi64> [-8]
func.func @others(%x: tensor<4xf32> {fxgraph.name = "x"}, %n: tensor<2xi64> {fxgraph.name = "n"})
    -> (tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xi64>, tensor<2xf32>, tensor<1xi64>) {
  %0 = fxgraph.broadcast %x from 1 group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %1 = fxgraph.all_to_all_single %x give [2, 2] take [2, 2] group "g" : (tensor<4xf32>) -> tensor<4xf32>
  %2:2 = fxgraph.all_gather_into_tensor_coalesced (%x, %n) group "g" of 2 : (tensor<4xf32>, tensor<2xi64>) -> (tensor<8xf32>, tensor<4xi64>)
  %3:2 = fxgraph.reduce_scatter_tensor_coalesced (%x, %n) op "sum" group "g" of 2 : (tensor<4xf32>, tensor<2xi64>) -> (tensor<2xf32>, tensor<1xi64>)
  return %0, %1, %2#0, %2#1, %3#0, %3#1 : tensor<4xf32>, tensor<4xf32>, tensor<8xf32>, tensor<4xi64>, tensor<2xf32>, tensor<1xi64>
}

// A mesh of 2 x 2: one name for the groups of its rows, one for those of its columns. Sums over both are sums over all.
// RUN: fx-run %s --entry=mesh --ranks=4 '--group=tp:0,1;2,3' '--group=dp:0,2;1,3' --inputs=seed:5 -o %t/mesh.npz
// RUN: fx-run %s --entry=all --ranks=4 --inputs=seed:5 --compare=%t/mesh.npz
// A group's order is that of its ranks.
// RUN: fx-run %s --entry=gather --ranks=2 --group=g:1,0 --inputs=%t/x.npz --print | FileCheck %s --check-prefix=ORDER
// ORDER: rank0/out0: tensor<8xf32> [10, 20, 30, nan, 1, 2, 3, 4]
// ORDER-NEXT: rank1/out0: tensor<8xf32> [10, 20, 30, nan, 1, 2, 3, 4]
func.func @mesh(%x: tensor<6xi64>) -> tensor<6xi64> {
  %0 = fxgraph.all_reduce %x op "sum" group "tp" : (tensor<6xi64>) -> tensor<6xi64>
  %1 = fxgraph.wait_tensor %0 : (tensor<6xi64>) -> tensor<6xi64>
  %2 = fxgraph.all_reduce %1 op "sum" group "dp" : (tensor<6xi64>) -> tensor<6xi64>
  %3 = fxgraph.wait_tensor %2 : (tensor<6xi64>) -> tensor<6xi64>
  return %3 : tensor<6xi64>
}
func.func @all(%x: tensor<6xi64>) -> tensor<6xi64> {
  %0 = fxgraph.all_reduce %x op "sum" group "world" : (tensor<6xi64>) -> tensor<6xi64>
  %1 = fxgraph.wait_tensor %0 : (tensor<6xi64>) -> tensor<6xi64>
  return %1 : tensor<6xi64>
}
func.func @gather(%x: tensor<4xf32> {fxgraph.name = "x"}) -> tensor<8xf32> {
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 2 : (tensor<4xf32>) -> tensor<8xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// The fused ops are what they are made of, along each dimension; arguments are written on their rank.
// RUN: fx-run %s --entry=fused --ranks=2 --inputs=seed:7 -o %t/fused.npz
// RUN: fx-opt %s --fxgraph-decompose | fx-run - --entry=fused --ranks=2 --inputs=seed:7 --compare=%t/fused.npz | FileCheck %s --check-prefix=FUSED
// FUSED-COUNT-10: equal, max abs 0
func.func @fused(%x: tensor<4x6xf32>, %w: tensor<6x2xf32>, %w2: tensor<12x2xf32>, %buffer: tensor<4x2xf32> {fxgraph.name = "buffer"})
    -> (tensor<8x6xf32>, tensor<8x2xf32>, tensor<4x2xf32>, tensor<2x2xf32>) {
  %0:2 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 2 : (tensor<4x6xf32>, tensor<6x2xf32>) -> (tensor<8x6xf32>, tensor<8x2xf32>)
  %1 = fxgraph.fused_all_gather_matmul %x x (%w2) dim -1 group "g" of 2 return_a false : (tensor<4x6xf32>, tensor<12x2xf32>) -> tensor<4x2xf32>
  %2 = fxgraph.fused_matmul_reduce_scatter %x x %w op "sum" dim 0 group "g" of 2 : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<2x2xf32>
  fxgraph.copy_ %1 into %buffer : tensor<4x2xf32>, tensor<4x2xf32>
  return %0#0, %0#1, %1, %2 : tensor<8x6xf32>, tensor<8x2xf32>, tensor<4x2xf32>, tensor<2x2xf32>
}

// Those of 8-bit floats, with scales of rows and of columns, or of all.
// RUN: fx-run %s --entry=scaled --ranks=2 --inputs=seed:7 -o %t/scaled.npz
// RUN: fx-opt %s --fxgraph-decompose | fx-run - --entry=scaled --ranks=2 --inputs=seed:7 --compare=%t/scaled.npz --rtol=1e-5 --atol=1e-5 | FileCheck %s --check-prefix=SCALED
// SCALED-COUNT-8: equal
func.func @scaled(%x: tensor<2x2x6xf8E4M3FN>, %w: tensor<6x3xf8E4M3FN>, %rows: tensor<8x1xf32>, %columns: tensor<1x3xf32>, %bias: tensor<3xf32>)
    -> (tensor<2x4x6xf8E4M3FN>, tensor<2x4x3xf32>, tensor<4x2x3xbf16>, tensor<1x2x3xf32>) {
  %one = fxgraph.full 0.5 : tensor<f32>
  %some = fxgraph.slice %rows dim 0 from 0 to 4 : (tensor<8x1xf32>) -> tensor<4x1xf32>
  %0:2 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %rows, (%columns) + (%bias) dim 1 group "g" of 2 : (tensor<2x2x6xf8E4M3FN>, tensor<6x3xf8E4M3FN>, tensor<8x1xf32>, tensor<1x3xf32>, tensor<3xf32>) -> (tensor<2x4x6xf8E4M3FN>, tensor<2x4x3xf32>)
  %1 = fxgraph.fused_all_gather_scaled_matmul %x x (%w) scales %one, (%one) dim 0 group "g" of 2 return_a false : (tensor<2x2x6xf8E4M3FN>, tensor<6x3xf8E4M3FN>, tensor<f32>, tensor<f32>) -> tensor<4x2x3xbf16>
  %2 = fxgraph.fused_scaled_matmul_reduce_scatter %x x %w scales %some, %columns bias %bias op "sum" dim 0 group "g" of 2 : (tensor<2x2x6xf8E4M3FN>, tensor<6x3xf8E4M3FN>, tensor<4x1xf32>, tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x2x3xf32>
  return %0#0, %0#1, %1, %2 : tensor<2x4x6xf8E4M3FN>, tensor<2x4x3xf32>, tensor<4x2x3xbf16>, tensor<1x2x3xf32>
}

// Without a grid a group of one process runs.
// RUN: fx-run %s --entry=alone --inputs=seed:1 -o %t/alone.npz
// RUN: fx-run %s --entry=alone --inputs=seed:1 --target=cpu --compare=%t/alone.npz --rtol=1e-5 --atol=1e-6
func.func @alone(%x: tensor<4x6xf32>, %w: tensor<6x2xf32>) -> (tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.fused_matmul_reduce_scatter %x x %w op "avg" dim 1 group "g" of 1 : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  %3 = fxgraph.fused_all_gather_matmul %x x (%w) dim 0 group "g" of 1 return_a false : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %1, %2, %3 : tensor<4x6xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}
// RUN: fx-run %s --entry=alone_on_gpu --inputs=seed:1 -o %t/alone.npz
// RUN: fx-run %s --entry=alone_on_gpu --inputs=seed:1 --target=gpu-emulator --compare=%t/alone.npz
func.func @alone_on_gpu(%x: tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = fxgraph.all_gather_into_tensor %x group "g" of 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = fxgraph.wait_tensor %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = fxgraph.relu %1 : tensor<4x6xf32>
  %3 = fxgraph.reduce_scatter_tensor %2 op "sum" group "g" of 1 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %4 = fxgraph.wait_tensor %3 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  return %1, %4 : tensor<4x6xf32>, tensor<4x6xf32>
}
