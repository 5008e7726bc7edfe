// RUN: fx-opt %s --pass-pipeline='builtin.module(func.func(fxgraph-onednn-concat-linear-int4))' > %t.once
// RUN: FileCheck %s < %t.once
// RUN: fx-opt %t.once --pass-pipeline='builtin.module(func.func(fxgraph-onednn-concat-linear-int4))' | diff %t.once -

// The one that does not fill its last block goes last, wherever it stands; in blocks of 32.
// CHECK-LABEL: func.func @order
// CHECK-DAG: fxgraph.cat %arg3, %arg5, %arg1 dim 0
// CHECK-DAG: fxgraph.cat %arg4, %arg6, %arg2 dim 1
// CHECK: %[[P:.+]]:3 = fxgraph.split_with_sizes %{{.+}} sizes [32, 64, 16] dim 1
// CHECK-DAG: fxgraph.relu %[[P]]#2
// CHECK-DAG: fxgraph.tanh %[[P]]#0
// CHECK-DAG: fxgraph.sigmoid %[[P]]#1
func.func @order(%x: tensor<4x32xf32>, %u: tensor<16x16xui8> {fxgraph.kind = "parameter"}, %q: tensor<2x16x2xf32> {fxgraph.kind = "parameter"}, %v: tensor<32x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<2x32x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<64x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<2x64x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x16xf32>, tensor<4x32xf32>, tensor<4x64xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %u, %q group 16 layout "avx2" : (tensor<4x32xf32>, tensor<16x16xui8>, tensor<2x16x2xf32>) -> tensor<4x16xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %v, %r group 16 layout "avx2" : (tensor<4x32xf32>, tensor<32x16xui8>, tensor<2x32x2xf32>) -> tensor<4x32xf32>
  %2 = fxgraph.weight_int4pack_mm %x, %w, %s group 16 layout "avx2" : (tensor<4x32xf32>, tensor<64x16xui8>, tensor<2x64x2xf32>) -> tensor<4x64xf32>
  %3 = fxgraph.relu %0 : tensor<4x16xf32>
  %4 = fxgraph.tanh %1 : tensor<4x32xf32>
  %5 = fxgraph.sigmoid %2 : tensor<4x64xf32>
  return %3, %4, %5 : tensor<4x16xf32>, tensor<4x32xf32>, tensor<4x64xf32>
}

// Pieces of one product that are results get memory of their own.
// CHECK-LABEL: func.func @results
// CHECK: fxgraph.split_with_sizes
// CHECK: fxgraph.clone
func.func @results(%x: tensor<4x32xf32>, %v: tensor<32x16xui8> {fxgraph.kind = "parameter"}, %r: tensor<1x32x2xf32> {fxgraph.kind = "parameter"}, %w: tensor<32x16xui8> {fxgraph.kind = "parameter"}, %s: tensor<1x32x2xf32> {fxgraph.kind = "parameter"}) -> (tensor<4x32xf32>, tensor<4x32xf32>) {
  %0 = fxgraph.weight_int4pack_mm %x, %v, %r group 32 layout "scalar" : (tensor<4x32xf32>, tensor<32x16xui8>, tensor<1x32x2xf32>) -> tensor<4x32xf32>
  %1 = fxgraph.weight_int4pack_mm %x, %w, %s group 32 layout "scalar" : (tensor<4x32xf32>, tensor<32x16xui8>, tensor<1x32x2xf32>) -> tensor<4x32xf32>
  return %0, %1 : tensor<4x32xf32>, tensor<4x32xf32>
}
